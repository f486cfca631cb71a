"""The cascade with models: what they add to a score is a part like any other, and weights can be fitted to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.index.segments import commits_of
from tests.rerank.reranked_code import Snapshot
from tests.rerank.tiny_models import make_models
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.expand.spider import Expansion
from trackdown.index.corpus import Corpus, no_vectors
from trackdown.index.vectors import UnitVectors, build_vectors
from trackdown.models.registry import Models, open_models
from trackdown.pipeline import Ranked, SearchPlan, Stopwatch, Tapped, search
from trackdown.pipeline.cascade import fused_candidates
from trackdown.pipeline.reranking import trust_in_words
from trackdown.query.parse import understand
from trackdown.rerank.plan import CODE, COMMITS, ENCODER, RerankPlan
from trackdown.store.store import Store
from trackdown.types import LEVELS, Fusion, Level
from trackdown.units.extraction import extract
from trackdown.units.languages import language_of

BODY = "def {0}(cookie):\n    session = cookie\n    return session\n"
FILES = {
    "src/web/session.py": BODY.format("sign_cookie") + "\nclass Store:\n    def load(self, key):\n        return key\n",
    "src/web/router.py": BODY.format("route"),
    "src/core/header.py": "def parse_header(line):\n    return line\n",
    "src/core/empty.py": "",
    "tests/test_session.py": BODY.format("sign_cookie"),
}
MESSAGES = ["Sign the session cookie", "Parse headers", "Route the cookie"]
HISTORY = (
    (MESSAGES[0], ["src/web/session.py", "tests/test_session.py"]),
    (MESSAGES[1], ["src/core/header.py"]),
    (MESSAGES[2], ["src/web/router.py"]),
)
WORDS = (("lexical", 1.0), ("mentions", 0.5), ("messages", 2.0))
DEEP = RerankPlan(encoder=50, commits=50, code=50)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    return open_models(make_models(tmp_path_factory.mktemp("models")), threads=1)


@pytest.fixture
def corpus(models: Models, tmp_path: Path) -> Corpus:
    snapshot = Snapshot(FILES)
    assert models.static is not None
    facts = [
        (path, extract(text.encode(), language_of(path), forced=False, max_bytes=1 << 20))
        for path, text in sorted(FILES.items())
    ]
    vectors = UnitVectors(models.static, [build_vectors(facts, models.static)])
    corpus = snapshot.corpus(models, StoreFacts(Store(tmp_path / "store")), MESSAGES)
    return replace(corpus, history=commits_of(*HISTORY), vectors=lambda: vectors)


def places(corpus: Corpus, found: list[Ranked]) -> list[str]:
    return [
        corpus.code.path(item.file) + (f":{corpus.code.symbol(item.unit)}" if item.unit >= 0 else "") for item in found
    ]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_the_parts_of_a_score_sum_to_it(corpus: Corpus, level: Level, fusion: Fusion) -> None:
    for text in ("where is the session biscuit signed?", "sign_cookie in src/web/session.py", "tests of the session"):
        found = search(corpus, understand(text), SearchPlan(level, k=50, fusion=fusion, judging=DEEP))
        assert found or level == "class"
        for item in found:
            assert sum(part.value for part in item.parts) == pytest.approx(item.score, rel=1e-12)
            assert all(part.text for part in item.parts)
        assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


@pytest.mark.parametrize(
    ("text", "level", "times"),
    [
        ("the session cookie is not signed. " + "We saw it after the upgrade of the router. " * 5, "function", 1),
        ("the session cookie is not signed. " + "We saw it after the upgrade of the router. " * 5, "file", 1),
        ("where is the session cookie signed?", "function", 1),
        ("where is the session cookie signed?", "file", 4),
        ("Sign the session cookie\nIt is not signed.", "file", 1),
        ("sign_cookie", "function", 4),
        ("sign_cookie", "file", 16),
        ("no cookie named id was sent", "function", 4),
        ("where does sign_cookie read its key from?", "function", 1),
        ("what went wrong with it at src/web/session.py:2 then?", "function", 4),
    ],
)
def test_words_count_more_where_they_see_more(corpus: Corpus, text: str, level: Level, times: float) -> None:
    saying = Snapshot(
        FILES | {"src/web/errors.py": 'def missing(name):\n    raise E(f"no cookie named {name} was sent")\n'}
    )
    query = understand(text)
    fused = fused_candidates(replace(corpus, code=saying.code), query, SearchPlan(level, weights=WORDS))
    assert trust_in_words(query, fused, units_read=1) == times
    if level == "file":  # files that are read whole
        assert trust_in_words(query, fused, units_read=9) == max(1, times / 4)


def test_every_stage_is_heard_and_timed(corpus: Corpus) -> None:
    watch = Stopwatch()
    best = search(corpus, understand("sign the session cookie"), SearchPlan(judging=DEEP), watch)[0]
    assert {part.signal for part in best.parts} == {"lexical", "commits", "dense", ENCODER, COMMITS, CODE}
    assert list(watch.timings) == [
        "lexical",
        "mentions",
        "messages",
        "commits",
        "references",
        "dense",
        "deep",
        "fuse",
        "encode",
        "commit-rerank",
        "code-rerank",
        "explain",
    ]


def test_a_question_without_a_shared_word_finds_its_answer(corpus: Corpus) -> None:
    query = understand("autograph a biscuit")
    assert search(replace(corpus, vectors=no_vectors), query, SearchPlan()) == []
    for judging in (None, DEEP):
        found = search(corpus, query, SearchPlan(judging=judging))
        assert places(corpus, found)[0] == "src/web/session.py:sign_cookie"
        shown = search(corpus, query, SearchPlan("file", judging=judging))[0]
        assert corpus.code.symbol(shown.best_unit) == "sign_cookie", "what speaks for a file is shown of it"


def test_a_depth_is_exact_and_what_lies_behind_keeps_its_order(corpus: Corpus) -> None:
    query = understand("cookie key line")
    plain = places(corpus, search(corpus, query, SearchPlan(k=50)))
    for depth in range(1, len(plain)):
        judged = search(corpus, query, SearchPlan(k=50, judging=RerankPlan(encoder=depth, code=depth)))
        read = [item for item in judged if any(part.signal == CODE for part in item.parts)]
        assert len(read) == depth and judged[:depth] == read
        assert places(corpus, judged)[depth:] == plain[depth:]


def test_k_cuts_the_same_list(corpus: Corpus) -> None:
    query = understand("sign the session cookie")
    whole = places(corpus, search(corpus, query, SearchPlan(k=50, judging=DEEP)))
    for k in range(1, len(whole)):
        assert places(corpus, search(corpus, query, SearchPlan(k=k, judging=DEEP))) == whole[:k]


def test_ranks_without_reasons_are_the_same(corpus: Corpus) -> None:
    query = understand("sign the session cookie")
    said = search(corpus, query, SearchPlan(judging=DEEP))
    silent = search(corpus, query, SearchPlan(judging=DEEP, explained=False))
    assert [(item.unit, item.score) for item in said] == [(item.unit, item.score) for item in silent]


def test_tests_stay_below_code(corpus: Corpus) -> None:
    found = places(corpus, search(corpus, understand("autograph a session biscuit"), SearchPlan(judging=DEEP)))
    assert found.index("src/web/session.py:sign_cookie") < found.index("tests/test_session.py:sign_cookie")


def test_a_file_that_only_its_path_speaks_for_is_not_lost(corpus: Corpus) -> None:
    query = understand("src/core/empty.py")
    found = search(corpus, query, SearchPlan("file", judging=DEEP))
    empty = found[places(corpus, found).index("src/core/empty.py")]
    assert {part.signal for part in empty.parts} == {"mentions", ENCODER, CODE}
    assert empty.score > 0.5 * found[0].score


def test_the_commit_reranker_runs_where_commits_have_no_say(corpus: Corpus) -> None:
    weights = (("lexical", 1.0), ("commits", 0.0), ("mentions", 0.0), ("dense", 0.0))
    best = search(
        corpus, understand("sign the session cookie"), SearchPlan(weights=weights, judging=RerankPlan(commits=9))
    )[0]
    assert {part.signal for part in best.parts} == {"lexical", COMMITS}
    said = next(part for part in best.parts if part.signal == COMMITS)
    assert said.text == 'a past change of its file reads like this: "Sign the session cookie" (2020)'
    assert not said.numbers


def test_without_models_the_rest_ranks_as_ever(corpus: Corpus) -> None:
    query = understand("sign the session cookie")
    bare = replace(corpus, models=None, vectors=no_vectors)
    assert search(bare, query, SearchPlan(judging=DEEP)) == search(bare, query, SearchPlan())


def test_a_tap_hears_what_every_stage_said(corpus: Corpus) -> None:
    heard: list[Tapped] = []
    query = understand("sign the session cookie")
    search(corpus, query, SearchPlan(k=2, judging=DEEP), tap=heard.append)
    search(corpus, query, SearchPlan(k=2), tap=heard.append)
    judged, plain = heard
    assert len(judged.files) > 2 and len(plain.files) > 2 and plain.judged == {}  # ten are assessed, however few shown
    assert set(judged.judged) == {ENCODER, COMMITS, CODE}
    for values in (*judged.judged.values(), *judged.scores.values(), judged.final):
        assert len(values) == len(judged.files)
    assert not np.isnan(judged.judged[ENCODER]).any() and (np.abs(judged.judged[ENCODER]) <= 1.001).all()
    assert judged.best["lexical"] == max(judged.scores["lexical"]) and set(judged.best) == set(judged.scores)


def test_the_cross_encoder_picks_neighbours(corpus: Corpus) -> None:
    query = understand("sign_cookie biscuit header")
    expansion = Expansion(window=4, centres=1, depth=6, selector="cross-encoder", relevant=0.1, each=1)
    found = search(corpus, query, SearchPlan(expansion=expansion))
    moved = [item for item in found if any(part.signal == "graph" for part in item.parts)]
    assert places(corpus, moved) == ["src/web/router.py:route"], "parse_header has the higher score"
    nobody = search(corpus, query, SearchPlan(expansion=replace(expansion, relevant=1.0)))
    assert not any(part.signal == "graph" for item in nobody for part in item.parts)
    scores = replace(expansion, selector="scores")
    without = replace(corpus, models=None)
    assert search(without, query, SearchPlan(expansion=expansion)) == search(
        without, query, SearchPlan(expansion=scores)
    )
