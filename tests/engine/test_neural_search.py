"""Searching with models: efforts, depths and budgets, facts computed once, and no failure for want of a model."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.engine import default_plan, rank, with_mode
from trackdown.engine.indexing.housekeeping import collect
from trackdown.errors import UsageError
from trackdown.pipeline import Tapped
from trackdown.rerank.cache import MODEL_OUTPUTS, RELEVANCE, TOKENS, VECTORS
from trackdown.settings import Settings
from trackdown.store.store import Store
from trackdown.types import SearchResults

Open = Callable[..., trackdown.Repository]
FILES = {
    "src/session.py": "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return key\n",
    "src/header.py": "def parse(line):\n    header = line\n    return header\n",
    "src/route.py": "def route(request):\n    return request\n\n\ndef get(value):\n    return value\n",
}
NEURAL = {"encoder", "commit-reranker", "code-reranker"}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return make_models(tmp_path / "models", late=True)


@pytest.fixture
def web(repo: Repo) -> Repo:
    repo.commit("Begin", FILES)
    repo.commit("Sign the cookie", {"src/session.py": FILES["src/session.py"] + "\n\ndef save(key):\n    return key\n"})
    repo.commit("Parse the header", {"src/header.py": FILES["src/header.py"] + "\n"})
    return repo


@pytest.fixture
def open_with(settings: Settings, models: Path, web: Repo) -> Open:
    """Opens the repository with the tiny models and other settings."""

    def opened(**changes: Any) -> trackdown.Repository:
        return trackdown.open(web.root, settings=replace(settings, **{"models": str(models), **changes}))

    return opened


def signals(answer: SearchResults) -> set[str]:
    return {why.signal for result in answer for why in result.why}


def order(answer: SearchResults) -> list[tuple[str, str, float]]:
    return [(result.path, result.symbol, result.score) for result in answer]


def test_what_shares_no_word_is_found(open_with: Open) -> None:
    with open_with() as opened:
        answer = opened.search("autograph a biscuit", effort="fast")
        assert answer[0].symbol == "sign" and signals(answer) == {"dense"} and answer.notes == ()
        assert "dense" in answer.timings_ms and "encode" not in answer.timings_ms


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"effort": "fast"}, set()),
        ({"effort": "balanced", "budget": 60_000}, {"encoder", "code-reranker"}),
        ({"effort": "thorough"}, NEURAL),
        ({"effort": "fast", "depth": 5}, {"encoder", "code-reranker"}),
        ({"depth": 10_000}, {"encoder", "code-reranker"}),
        ({"effort": "thorough", "rerank": False}, set()),
        ({"budget": 0}, set()),
    ],
)
def test_an_effort_is_what_it_says(open_with: Open, asked: dict[str, Any], expected: set[str]) -> None:
    with open_with() as opened:
        answer = opened.search("sign the cookie", **asked)
        assert signals(answer) & NEURAL == expected and answer.notes == ()
        for result in answer:
            assert sum(why.value for why in result.why) == pytest.approx(result.score)


def test_models_read_past_a_log_that_stands_first(open_with: Open) -> None:
    log = "".join(
        f"2024-05-01 10:00:00 INFO request {'abcdefgh'[row % 8] * (row // 8 + 1)} done\n" for row in range(300)
    )
    prose = "The cookie is not signed.\nThe header is parsed.\n"
    with open_with() as opened:
        first, last = (opened.search(f"Login fails\n\n{text}", depth=5) for text in (prose + log, log + prose))
        assert order(first) == order(last) and "encoder" in signals(first)


def test_an_answer_that_the_clock_cut_short_says_so(open_with: Open) -> None:
    with open_with() as opened:
        plain = opened.search("sign the cookie", effort="fast")
        cut = opened.search("sign the cookie", budget=0.001)
        (note,) = cut.notes
        assert "ran out of time" in note and "compare: 0 of" in note and "read code: 0 of" in note and "--depth" in note
        assert order(cut) == order(plain) and opened.search("sign the cookie").notes == ()


@pytest.mark.parametrize(
    "asked",
    [{"budget": 5, "depth": 5}, {"depth": 0}, {"depth": -1}, {"depth": 10**6}, {"budget": -1}, {"effort": "most"}],
)
def test_what_cannot_be_asked_is_refused(open_with: Open, asked: dict[str, Any]) -> None:
    with open_with() as opened, pytest.raises(UsageError):
        opened.search("cookie", **asked)


def test_the_same_depth_gives_the_same_answer_with_and_without_facts(open_with: Open, settings: Settings) -> None:
    with open_with() as opened:
        first = opened.search("autograph a biscuit for the header", depth=4)
        again = opened.search("autograph a biscuit for the header", depth=4)
    shutil.rmtree(settings.store)
    with open_with() as opened:
        opened.search("autograph a biscuit for the header", depth=2)
        anew = opened.search("autograph a biscuit for the header", depth=4)
    assert order(first) == order(again) == order(anew)


def test_what_models_compute_is_kept_and_an_edit_costs_what_it_changed(
    open_with: Open, web: Repo, settings: Settings
) -> None:
    store = Store(settings.store)

    def kept() -> tuple[int, int]:
        return len(store.database.fact_keys(TOKENS)), len(store.database.fact_keys(RELEVANCE))

    with open_with() as opened:
        first = opened.search("sign the cookie", depth=50)
        vectors, pairs = kept()
        assert vectors == pairs == len(first)
        opened.search("sign the cookie", depth=50)
        assert kept() == (vectors, pairs)
        web.write("src/header.py", "def parse(line):\n    cookie = line\n    return cookie\n")
        opened.search("sign the cookie", depth=50)
        assert kept() == (vectors + 1, pairs + 1)


def test_two_models_never_mix(open_with: Open, tmp_path: Path) -> None:
    other = str(make_models(tmp_path / "other", seed=1))
    alone = trackdown.load_settings({"HOME": "/"}, store=tmp_path / "alone")
    with open_with() as opened:
        opened.search("sign the cookie", depth=9)
        place = opened.source.root
    with open_with(models=other) as mixed, trackdown.open(place, settings=replace(alone, models=other)) as fresh:
        assert order(mixed.search("sign the cookie", depth=9)) == order(fresh.search("sign the cookie", depth=9))


@pytest.mark.parametrize("effort", ["fast", "balanced", "thorough"])
def test_missing_weights_cost_a_note_and_no_answer(open_with: Open, tmp_path: Path, effort: Any) -> None:
    with open_with(models="none") as opened:
        plain = opened.search("sign the cookie", effort="fast")
        assert plain.notes == ()
    with open_with(models=str(tmp_path / "gone")) as opened:
        answer = opened.search("sign the cookie", effort=effort)
    assert order(answer) == order(plain) and answer.results
    assert len(answer.notes) == 1 and "there is no folder" in answer.notes[0]


def test_broken_weights_cost_a_note_and_their_stages_only(open_with: Open, models: Path) -> None:
    (models / "encoder.onnx").write_bytes(b"broken")
    with open_with() as opened:
        answer = opened.search("autograph a biscuit", depth=5)
    assert answer[0].symbol == "sign" and signals(answer) == {"dense"}
    assert len(answer.notes) == 1 and "encoder.onnx" in answer.notes[0]


def test_who_asks_for_models_where_there_are_none_is_told(open_with: Open) -> None:
    with open_with(models="none") as opened:
        assert opened.search("sign the cookie").notes == ()
        chosen: list[dict[str, Any]] = [{"rerank": True}, {"depth": 5}, {"effort": "thorough"}]
        for asked in chosen:
            (note,) = opened.search("sign the cookie", **asked).notes
            assert "no model" in note
    with open_with(models="none", mode="dense") as opened:
        answer = opened.search("sign the cookie")
        assert "no model" in answer.notes[0] and not answer.results


def test_a_mode_says_itself_what_takes_part(open_with: Open) -> None:
    with open_with(mode="bm25") as opened:
        assert signals(opened.search("sign the cookie")) == {"lexical"}
        assert signals(opened.search("sign the cookie", rerank=True, budget=60_000)) > {"lexical", "encoder"}
    with open_with(mode="hybrid+code-reranker@1") as opened:
        answer = opened.search("sign the cookie", effort="fast")
        assert [result.rank for result in answer if any(why.signal == "code-reranker" for why in result.why)] == [1]


def test_evaluations_rank_as_deep_as_a_mode_says(open_with: Open, web: Repo) -> None:
    heard: list[Tapped] = []
    with open_with() as opened:
        prepared, plain = opened.corpus(), default_plan(opened.settings)
        found = rank(prepared, "autograph a biscuit", with_mode(plain, "hybrid+rerank@3"), tap=heard.append)
        assert found[0].symbol == "sign" and set(heard[0].judged) == {"encoder", "late-interaction", "code-reranker"}
        first = web.git("rev-list", "--max-parents=0", "HEAD")
        past = with_mode(replace(plain, level="file"), "commits+commit-reranker@9")
        assert [place.path for place in rank(prepared, "autograph the biscuit", past)] == []
        assert rank(prepared, "sign the cookie", past)[0].path == "src/session.py"
        assert rank(prepared, "sign the cookie", past, seen_from=first) == []


def test_a_past_state_is_read_as_it_was(open_with: Open) -> None:
    with open_with() as opened:
        answer = opened.search("save the key", at="HEAD~2", depth=9)
        assert "save" not in {result.symbol for result in answer} and "code-reranker" in signals(answer)
        assert "save" in {result.symbol for result in opened.search("save the key", depth=9)}


def test_indexing_makes_vectors_ready(open_with: Open, settings: Settings) -> None:
    with open_with() as opened:
        status = opened.index()
    (path,) = settings.store.glob("v*/arrays/vectors-*")
    assert status.index_bytes > path.stat().st_size
    with open_with(models="none") as opened:
        opened.index()


def test_what_models_computed_is_collected_and_computed_again(open_with: Open, settings: Settings) -> None:
    store = Store(settings.store)
    with open_with() as opened:
        before = opened.search("sign the cookie", depth=9)
        collect(store)
        assert not any(store.database.fact_keys(kind) for kind in MODEL_OUTPUTS)
        assert order(opened.search("sign the cookie", depth=9)) == order(before)


def test_several_repositories_are_merged_in_the_order_of_each(
    open_with: Open, make_repo: Callable[[str], Repo], settings: Settings, models: Path
) -> None:
    other = make_repo("other")
    other.commit("Begin", {"a.py": FILES["src/session.py"]})
    with open_with() as one, trackdown.open(other.root, settings=replace(settings, models=str(models))) as two:
        merged = trackdown.search_all([one, two], "sign the cookie", k=20, depth=2)
        for opened in (one, two):
            alone = [place[:2] for place in order(opened.search("sign the cookie", k=20, depth=2))]
            name = opened.source.name
            assert [(r.path, r.symbol) for r in merged if r.repository == name] == alone


def test_clearing_another_repository_leaves_what_models_have_read(open_with: Open, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("def other():\n    return 1\n")
    with open_with() as opened:
        opened.search("autograph a biscuit", depth=5)
        with trackdown.open(tmp_path / "other", settings=opened.settings) as other:
            other.search("other", effort="fast")
            other.clear()
        facts = Store(opened.settings.store).database
        assert all(facts.fact_keys(kind) for kind in MODEL_OUTPUTS if kind != VECTORS)
        opened.clear()
        assert not any(facts.fact_keys(kind) for kind in MODEL_OUTPUTS)
