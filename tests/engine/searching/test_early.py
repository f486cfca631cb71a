"""Results before models have read, and searches that nobody waits for any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from trackdown.errors import Cancelled
from trackdown.settings import Settings
from trackdown.types import SearchResults

FILES = {
    "src/session.py": "def sign(cookie):\n    return cookie\n\n\ndef load(key):\n    return key\n",
    "src/header.py": "def parse(line):\n    header = line\n    return header\n",
    "src/route.py": "def route(request):\n    return request\n\n\ndef get(value):\n    return value\n",
}
QUERY = "sign the cookie header of a request"


@pytest.fixture
def opened(repo: Repo, settings: Settings, tmp_path: Path) -> trackdown.Repository:
    repo.commit("Begin", FILES)
    return trackdown.open(repo.root, settings=replace(settings, models=str(make_models(tmp_path / "models"))))


def test_the_fast_stages_are_heard_before_the_models(opened: trackdown.Repository) -> None:
    heard: list[SearchResults] = []
    answer = opened.search(QUERY, depth=5, early=heard.append)
    fast = opened.search(QUERY, effort="fast")
    (early,) = heard
    assert early.confidence is None, "nobody knows yet what the models will say"
    assert early.results == tuple(replace(result, probability=None) for result in fast)
    assert early.snapshots == answer.snapshots
    assert "code-rerank" in answer.timings_ms and "code-rerank" not in early.timings_ms
    assert {why.signal for result in early for why in result.why}.isdisjoint({"encoder", "code-reranker"})
    assert {why.signal for result in answer for why in result.why} >= {"encoder", "code-reranker"}
    assert answer.results == opened.search(QUERY, depth=5).results


@pytest.mark.parametrize("asked", [{"effort": "fast"}, {"rerank": False}, {"budget": 0}])
def test_without_models_there_is_nothing_early(opened: trackdown.Repository, asked: dict[str, object]) -> None:
    heard: list[SearchResults] = []
    assert opened.search(QUERY, early=heard.append, **asked)  # type: ignore[arg-type]
    assert heard == []


def test_several_repositories_are_heard_together(
    opened: trackdown.Repository, make_repo: Callable[[str], Repo]
) -> None:
    other = make_repo("other")
    other.commit("Begin", {"cookie.py": "def sign_cookie_header(request):\n    return request\n"})
    heard: list[SearchResults] = []
    with trackdown.open(other.root, settings=opened.settings) as second:
        answer = trackdown.search_all([opened, second], QUERY, depth=5, early=heard.append)
    assert [len(found.snapshots) for found in heard] == [1, 2]
    assert {result.repository for result in heard[1]} == {"repo", "other"} == {result.repository for result in answer}


def counting(most: int) -> tuple[Callable[[], bool], list[int]]:
    """A caller who changes their mind when asked for the so-manieth time."""
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) >= most

    return cancelled, asked


def test_a_search_stops_at_every_point_where_it_asks(opened: trackdown.Repository) -> None:
    opened.search(QUERY, depth=5)
    never, asked = counting(10**9)
    whole = opened.search(QUERY, depth=5, cancelled=never)
    points = len(asked)
    assert points > 8
    for point in range(1, points + 1):
        cancelled, asked = counting(point)
        with pytest.raises(Cancelled):
            opened.search(QUERY, depth=5, cancelled=cancelled)
        assert len(asked) == point
    assert opened.search(QUERY, depth=5).results == whole.results


def test_models_are_asked_between_their_batches(opened: trackdown.Repository) -> None:
    laps: list[str] = []

    def cancelled() -> bool:
        return bool(laps)

    def early(found: SearchResults) -> None:
        laps.append("early")

    with pytest.raises(Cancelled):
        opened.search(QUERY, depth=5, early=early, cancelled=cancelled)
    assert laps == ["early"]


def test_an_index_that_is_being_made_is_stopped_and_can_be_made_later(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {f"a{n}.py": f"def zebra_{n}():\n    pass\n" for n in range(30)})
    with trackdown.open(repo.root, settings=settings) as opened:
        steps: list[str] = []

        def progress(step: str, done: int, total: int | None) -> None:
            steps.append(step)

        with pytest.raises(Cancelled):
            opened.search("zebra", progress=progress, cancelled=lambda: "parse" in steps)
        assert len(opened.search("zebra", k=50)) == 30


def test_what_is_kept_reports_to_who_asks_now(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "def zebra():\n    return gnu()\n\n\ndef gnu():\n    pass\n"})
    with trackdown.open(repo.root, settings=settings) as opened:

        def first(step: str, done: int, total: int | None) -> None:
            if step == "references":
                raise Cancelled("the first is gone")

        with pytest.raises(Cancelled):
            opened.graph("zebra", progress=first)
        assert opened.graph("zebra").edges
