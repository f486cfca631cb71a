# Everything is set up in .venv by the targets themselves: a fresh machine needs Python 3.11 or newer, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench

.PHONY: help demo test lint types unit bench-speed bench-commits bench-golden bench-kills clean

help:  ## Say what the targets do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,bench]'
	@touch $@

demo: $(STAMP)  ## Search this repository
	$(BIN)/trackdown search "where are renames followed to the present path of a file?" . -k 3
	$(BIN)/trackdown history "make the first index faster" . -k 2
	$(BIN)/trackdown status .

test: lint types unit  ## Lint, types and tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(BIN)/pytest

bench-speed: $(BENCH_STAMP)  ## Speed beside semble: make bench-speed REPO=path
	$(BIN)/python benchmarks/speed.py $(REPO) --peer semble $(if $(JSON),--json $(JSON))

bench-commits: $(BENCH_STAMP)  ## Commit retrieval: make bench-commits GOLD=file.parquet REPO=path
	$(BIN)/python benchmarks/commit_retrieval.py $(GOLD) $(REPO) $(if $(JSON),--json $(JSON))

bench-golden: $(BENCH_STAMP)  ## Known answers on a pinned commit of flask: make bench-golden REPO=path
	$(BIN)/python benchmarks/golden.py benchmarks/golden/flask.json $(REPO) $(if $(JSON),--json $(JSON))

bench-kills: $(BENCH_STAMP)  ## Kill a first index at random moments: make bench-kills REPO=path
	$(BIN)/python benchmarks/kills.py $(REPO) --kills 50 $(if $(JSON),--json $(JSON))

clean:  ## Remove what the targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
