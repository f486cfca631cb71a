"""The deep index in the background: complete when idle, out of the way when not, and stopped at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from tests.surfaces.program import wait_for
from trackdown.engine.repository import Repository
from trackdown.engine.serving.deep_keeper import DeepKeeper, DeepTarget
from trackdown.engine.serving.live import LiveIndex
from trackdown.engine.serving.shared_repositories import SharedRepositories
from trackdown.settings import Settings
from trackdown.surfaces.mcp.status_answer import state as index_status
from trackdown.types import DeepState

MANY = "\n\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(200))


@pytest.fixture
def with_models(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return replace(settings, models=str(make_models(tmp_path_factory.mktemp("models"))))


def state(repo: Repo, settings: Settings) -> DeepState | None:
    with trackdown.open(repo.root, settings=settings) as opened:
        return opened.status().deep


def ready(repo: Repo, settings: Settings) -> bool:
    found = state(repo, settings)
    return found is not None and found.ready


@contextmanager
def kept(repo: Repo, settings: Settings, quiet: Callable[[], float]) -> Iterator[tuple[DeepKeeper, DeepTarget]]:
    """A live index of a repository, and a keeper of its deep index."""

    def opened(present: Repository | None) -> Repository:
        return present or trackdown.open(repo.root, settings=settings)

    with LiveIndex(opened) as live, DeepKeeper(quiet, idle_seconds=0.05) as keeper:
        target = DeepTarget(live, partial(trackdown.open, repo.root, settings=settings))
        keeper.start([target])
        yield keeper, target


def test_it_is_completed_when_idle_and_again_after_a_change(repo: Repo, with_models: Settings) -> None:
    repo.commit("Begin", {"a.py": "def evict(store):\n    store.clear()\n"})
    with kept(repo, with_models, lambda: inf) as (_, target):
        assert wait_for(lambda: ready(repo, with_models)), target
        repo.write("b.py", "def sign(cookie):\n    return cookie\n")
        assert wait_for(lambda: state(repo, with_models) == DeepState(True, 2, 2)), target


def test_it_pauses_while_something_is_asked(repo: Repo, with_models: Settings) -> None:
    repo.commit("Begin", {"many.py": MANY})
    asked = threading.Event()
    asked.set()
    with kept(repo, with_models, lambda: 0.0 if asked.is_set() else inf) as (_, target):
        assert wait_for(lambda: target.live.state.phase == "ready")
        time.sleep(0.3)
        assert state(repo, with_models) == DeepState(False, 0, 200)
        asked.clear()
        assert wait_for(lambda: (state(repo, with_models) or DeepState(False, 0, 0)).units > 0)
        assert wait_for(lambda: ready(repo, with_models))


def test_closing_stops_it_and_keeps_what_is_done(repo: Repo, with_models: Settings) -> None:
    repo.commit("Begin", {"many.py": MANY})
    calls = 0

    def quiet() -> float:
        nonlocal calls
        calls += 1
        return inf if calls < 6 else 0.0  # something is asked after a few units, and never ends

    with kept(repo, with_models, quiet) as (keeper, target):
        assert wait_for(lambda: calls > 10)
        before = time.monotonic()
        keeper.close()
        assert time.monotonic() - before < 3 and target.problem == ""
    found = state(repo, with_models)
    assert found is not None and 0 < found.units < 200 and not found.ready


def test_a_failure_is_told_and_does_not_end_it(repo: Repo, settings: Settings) -> None:
    repo.commit("Begin", {"a.py": "def evict(store):\n    store.clear()\n"})
    with kept(repo, settings, lambda: inf) as (_, target):  # there are no models
        assert wait_for(lambda: "no encoder" in target.problem)
        repo.write("b.py", "def sign(cookie):\n    return cookie\n")
        assert wait_for(lambda: target.live.state.updates == 2 and target.seen == 2)


def test_a_server_tells_why_it_is_not_completed(repo: Repo, with_models: Settings) -> None:
    repo.commit("Begin", {"a.py": "def evict(store):\n    store.clear()\n"})
    (Path(with_models.models) / "encoder.onnx").write_bytes(b"no model")
    with SharedRepositories([repo.root], settings=with_models) as shared:
        assert shared._deep is not None
        shared._deep._idle_seconds = 0.05
        shared.start()
        assert shared.wait_ready()
        assert wait_for(lambda: shared.places()[0].deep_problem != "")
        (note,) = [note for note in shared.status().notes if "the deep index cannot be computed" in note]
        assert note == shared.places()[0].deep_problem and "encoder.onnx has 8 bytes" in note
        assert note[:150] in index_status(shared.places(), 1000).text


@pytest.mark.parametrize("deep", [True, False])
def test_a_server_does_it_unless_the_setting_says_no(
    repo: Repo, with_models: Settings, monkeypatch: pytest.MonkeyPatch, deep: bool
) -> None:
    repo.commit("Begin", {"a.py": "def evict(store):\n    store.clear()\n"})
    with SharedRepositories([repo.root], settings=replace(with_models, deep=deep)) as shared:
        if shared._deep is not None:
            shared._deep._idle_seconds = 0.05
        shared.start()
        assert shared.wait_ready()
        if deep:
            assert wait_for(lambda: ready(repo, with_models))
            assert shared.search("evict", mode="deep").deep == DeepState(True, 1, 1)
        else:
            assert shared._deep is None and "deep index" not in {one.name for one in threading.enumerate()}
