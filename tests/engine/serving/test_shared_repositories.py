"""Repositories that many threads share: names, turns, fresh answers, answers from what is ready, faults."""

from __future__ import annotations

import gc
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.rerank.tiny_models import make_models
from tests.store.limits import files_end_at
from tests.surfaces.program import wait_for
from trackdown.engine import Repository, SharedRepositories
from trackdown.engine.indexing import build as build_module
from trackdown.errors import (
    Cancelled,
    EmptyRepository,
    NoSuchPath,
    QueryError,
    StoreError,
    TooBusy,
    UnknownRepository,
    UnknownRevision,
    UsageError,
)
from trackdown.settings import Settings
from trackdown.store.store import FORMAT
from trackdown.types import SearchResults

pytestmark = pytest.mark.slow

CODE = "class Zebra:\n    def stripe(self, value):\n        return value\n\n\ndef gallop(zebra):\n    return zebra\n"
Maker = Callable[[str], Repo]


@pytest.fixture
def zoo(repo: Repo) -> Repo:
    repo.commit(
        "Begin with a zebra", {"web/a.py": CODE, "web/b.py": "def gnu():\n    pass\n", "lib/c.js": "let x = 1;\n"}
    )
    return repo


@contextmanager
def sharing(*places: Path, settings: Settings, ready: bool = True, **options: Any) -> Iterator[SharedRepositories]:
    with SharedRepositories(places, settings=settings, **options) as shared:
        shared.start()
        if ready:
            assert all(shared.wait_ready(name, 30) for name in shared.names)
        yield shared


def paths(answer: SearchResults) -> list[str]:
    return [result.path for result in answer]


def without_timings(answer: SearchResults) -> SearchResults:
    return replace(answer, timings_ms={})


def test_it_answers_as_a_repository_does(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings) as shared, trackdown.open(zoo.root, settings=settings) as alone:
        assert without_timings(shared.search("zebra gallop")) == without_timings(alone.search("zebra gallop"))
        assert shared.history("zebra") == alone.history("zebra") and shared.history("zebra").commits
        assert shared.unit("web/a.py", symbol="gallop") == alone.unit("web/a.py", "gallop")
        assert shared.graph("Zebra") == alone.graph("Zebra")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(zoo.root)
            assert shared.related("web/a.py:2") == alone.related("web/a.py:2")
        status = shared.status()
        assert (status.repository, status.ready, status.files) == ("repo", True, 3)
        assert shared.languages() == {"python": 2, "javascript": 1}
        (place,) = shared.places()
        assert (place.name, place.root, place.kind, place.state.ready) == ("repo", str(zoo.root), "worktree", True)


def test_paths_in_questions_are_from_the_root(zoo: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    zoo.commit("More", {"web/web/a.py": "def inner():\n    pass\n"})
    monkeypatch.chdir(zoo.root / "web")
    with sharing(zoo.root, settings=settings) as shared:
        assert shared.related("web/a.py:2").symbol == "Zebra.stripe"
        assert shared.graph("web/a.py").starts[0].path == "web/a.py"
        for location in ("a.py:1", "/etc/passwd:1", "../../etc/passwd:1", f"{zoo.root}/web/a.py:1"):
            with pytest.raises(UsageError):
                shared.related(location)


def test_names_are_unique_and_only_they_can_be_asked_for(tmp_path: Path, settings: Settings) -> None:
    for place in ("left/app", "right/app", "docs"):
        Repo(tmp_path / place).commit("Begin", {"web/a.py": CODE, "b.py": f"def {place[0]}_bird():\n    pass\n"})
    places = [tmp_path / "left/app", tmp_path / "right/app", tmp_path / "docs/web", tmp_path / "left/app"]
    with sharing(*places, settings=settings) as shared:
        assert shared.names == ("app", "app-2", "docs/web")
        assert paths(shared.search("bird", repository="app-2")) == ["b.py"]
        assert shared.search("bird", repository="app-2")[0].symbol == "r_bird"
        assert paths(shared.search("bird", repository="docs/web")) == []
        for name in ("", "other", "/etc", "../docs", str(tmp_path / "docs")):
            with pytest.raises(UnknownRepository, match="known are app, app-2, docs/web"):
                shared.search("bird", repository=name)
        with pytest.raises(UsageError, match="name one of them: app, app-2, docs/web"):
            shared.unit("b.py")
        everywhere = shared.search("bird zebra", k=20)
        assert {result.repository for result in everywhere} == {"app", "app-2", "docs/web"}
        assert [info.repository for info in everywhere.snapshots] == ["app", "app-2", "docs/web"]
        assert [result.rank for result in everywhere] == list(range(1, len(everywhere) + 1))
        history = shared.history("begin")
        assert sorted(commit.repository for commit in history) == ["app", "app-2", "docs/web"]
        assert [commit.rank for commit in history] == [1, 2, 3]


def test_an_edit_is_in_the_very_next_answer(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        for number in range(12):
            zoo.write("web/new.py", f"def bird_{number}():\n    pass\n")
            answer = shared.search(f"bird_{number}", wait=20.0)
            assert [result.symbol for result in answer] == [f"bird_{number}"] and not answer.partial, number
        commit = zoo.commit("Catch the bird")
        history = shared.history("catch bird", wait=20.0)
        assert history[0].commit == commit and not history.partial


def test_many_threads_get_right_answers_while_files_change(zoo: Repo, settings: Settings) -> None:
    names = ["zebra", "gnu", "gallop", "stripe"]
    wrong: list[object] = []
    with sharing(zoo.root, settings=settings, searches=3) as shared:
        expected = {name: paths(shared.search(name))[0] for name in names}
        stop = threading.Event()

        def ask(name: str) -> None:
            while not stop.is_set():
                try:
                    answer = shared.search(name, wait=20.0)
                    if paths(answer)[:1] != [expected[name]] or answer[0].snippet == "":
                        wrong.append((name, answer))
                    if shared.unit("web/b.py", wait=20.0).text != "def gnu():\n    pass":
                        wrong.append("unit")
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=ask, args=(name,)) for name in names * 3]
        for thread in threads:
            thread.start()
        for number in range(8):
            zoo.write("lib/d.py", f"def other_{number}():\n    pass\n")
            assert shared.search(f"other_{number}", wait=120.0)[0].symbol == f"other_{number}"
        stop.set()
        for thread in threads:
            thread.join(30)
        assert not wrong, wrong[:3]
        assert shared.load().running == 0 and shared.load().waiting == 0
        assert len(shared._served["repo"]._idle) <= 3


def test_too_many_are_sent_away_and_the_others_are_served(
    zoo: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    search = Repository.search

    def slow(self: Repository, *arguments: Any, **options: Any) -> SearchResults:
        assert go_on.wait(20)
        return search(self, *arguments, **options)

    with sharing(zoo.root, settings=settings, searches=1, most_waiting=2) as shared:
        monkeypatch.setattr(Repository, "search", slow)
        answers: list[SearchResults] = []
        threads = [threading.Thread(target=lambda: answers.append(shared.search("zebra"))) for _ in range(3)]
        for thread in threads:
            thread.start()
        assert wait_for(lambda: shared.load().running == 1 and shared.load().waiting == 2)
        with pytest.raises(TooBusy) as refused:
            shared.search("zebra")
        assert refused.value.retry_after >= 1
        go_on.set()
        for thread in threads:
            thread.join(20)
        assert [bool(answer.results) for answer in answers] == [True] * 3


def test_who_waits_for_a_turn_can_be_cancelled(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings, searches=1) as shared, shared._queue.turn():
        with pytest.raises(Cancelled):
            shared.search("zebra", cancelled=lambda: shared.load().waiting == 1)
        assert shared.load().waiting == 0


@pytest.mark.parametrize("effort", ["fast", "thorough"])
def test_a_cancelled_search_gives_its_repository_back(
    zoo: Repo, settings: Settings, tmp_path: Path, effort: Any
) -> None:
    settings = replace(settings, models=str(make_models(tmp_path / "models")))
    with sharing(zoo.root, settings=settings, searches=1) as shared:
        for point in range(2, 6):
            asked: list[int] = []
            with pytest.raises(Cancelled):
                shared.search(
                    "zebra",
                    effort=effort,
                    cancelled=lambda asked=asked, point=point: asked.append(1) or len(asked) >= point,  # type: ignore[misc]
                )
        assert len(shared._served["repo"]._idle) == 1
        heard: list[SearchResults] = []
        answer = shared.search("zebra", effort=effort, early=heard.append)
        assert answer.results and len(heard) == (effort == "thorough")


def test_threads_share_models_and_get_the_same_answers(zoo: Repo, settings: Settings, tmp_path: Path) -> None:
    settings = replace(settings, models=str(make_models(tmp_path / "models")))
    queries = ["zebra", "gallop a zebra", "stripe value", "gnu"]
    with trackdown.open(zoo.root, settings=replace(settings, store=tmp_path / "other")) as alone:
        expected = {query: alone.search(query, depth=5).results for query in queries}
    found: list[tuple[str, object]] = []
    with sharing(zoo.root, settings=settings, searches=4) as shared:

        def ask(query: str) -> None:
            for _ in range(3):
                found.append((query, shared.search(query, depth=5).results))

        threads = [threading.Thread(target=ask, args=(query,)) for query in queries * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert len(found) == 24 and all(results == expected[query] for query, results in found)


@pytest.fixture
def slow_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A first index that stops half way until it is let go: it has written what it parsed, not gathered it."""
    go_on = threading.Event()
    update: Any = vars(build_module)["update_code"]

    def slow(store: Any, snapshot: Any, repository: str, **options: Any) -> Any:
        half = replace(snapshot, files=snapshot.files[: len(snapshot.files) // 2], key="half")
        update(store, half, repository, **options)
        options["progress"]("parse", len(half.files), len(snapshot.files))
        assert go_on.wait(30)
        return update(store, snapshot, repository, **options)

    monkeypatch.setattr(build_module, "update_code", slow)
    yield go_on
    go_on.set()


def test_while_a_first_index_runs_what_is_ready_answers(
    repo: Repo, settings: Settings, slow_index: threading.Event
) -> None:
    repo.commit("Begin", {f"a{n:02}.py": f"def bird_{n}():\n    pass\n" for n in range(20)})
    with sharing(repo.root, settings=settings, ready=False) as shared:
        assert wait_for(lambda: shared.state().step == "parse" and shared.state().done == 10), shared.state()
        steps: list[tuple[str, int, int | None]] = []
        answer = shared.search("bird", k=50, wait=0.5, progress=lambda *step: steps.append(step))
        assert answer.partial and len(answer) == 10 and ("parse", 10, 20) in steps
        assert any("10 of 20 files are searchable so far" in note for note in answer.notes), answer.notes
        assert not shared.wait_ready(seconds=0.1) and not shared.state().ready
        assert shared.history("begin", wait=0.1).partial
        assert shared.unit("a03.py", wait=0.1).text == "def bird_3():\n    pass"
        threading.Timer(0.3, slow_index.set).start()
        whole = shared.search("bird", k=50, wait=20.0)
        assert not whole.partial and len(whole) == 20 and not whole.notes
        assert shared.state().phase in ("ready", "indexing") and shared.state().ready


def test_while_an_update_runs_the_state_before_answers(
    zoo: Repo, settings: Settings, request: pytest.FixtureRequest
) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        before = shared.search("zebra gnu")
        go_on: threading.Event = request.getfixturevalue("slow_index")
        zoo.write("web/b.py", "def tapir():\n    pass\n")
        answer = shared.search("zebra gnu", wait=0.5)
        assert answer.partial and paths(answer) == [path for path in paths(before) if path != "web/b.py"]
        assert answer.notes == (
            "the index is being updated: this answer does not include the latest changes",
            "results left out because their files changed during the search or cannot be read: 1",
        )
        assert shared.state().ready and shared.unit("web/a.py", wait=0.1).text
        go_on.set()
        whole = shared.search("tapir", wait=20.0)
        assert paths(whole) == ["web/b.py"] and not whole.partial


def test_who_waits_for_an_update_takes_no_turn_from_others(
    zoo: Repo, settings: Settings, make_repo: Maker, request: pytest.FixtureRequest
) -> None:
    other = make_repo("other")
    other.commit("Begin", {"z.py": "def zebra_too():\n    pass\n"})
    with sharing(zoo.root, other.root, settings=settings, searches=1, most_waiting=3) as shared:
        go_on: threading.Event = request.getfixturevalue("slow_index")
        zoo.write("web/b.py", "def tapir():\n    pass\n")
        answers: list[SearchResults] = []
        thread = threading.Thread(target=lambda: answers.append(shared.search("tapir", repository="repo", wait=20.0)))
        thread.start()
        assert wait_for(lambda: shared.state("repo").phase == "indexing")
        for _ in range(5):
            assert paths(shared.search("zebra", repository="other")) == ["z.py"]
        assert not answers
        go_on.set()
        thread.join(20)
        assert paths(answers[0]) == ["web/b.py"] and not answers[0].partial


def test_nobody_who_searches_makes_the_vectors_of_a_new_index(
    zoo: Repo, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trackdown.index import vectors as module

    settings = replace(settings, models=str(make_models(tmp_path / "models")))
    go_on, makers = threading.Event(), []
    build: Any = vars(module)["build_vectors"]

    def slow(*arguments: Any) -> Any:
        makers.append(threading.current_thread().name)
        assert go_on.wait(30)
        return build(*arguments)

    monkeypatch.setattr(module, "build_vectors", slow)
    with sharing(zoo.root, settings=settings, ready=False) as shared:
        assert wait_for(lambda: bool(makers))
        answer = shared.search("zebra", effort="fast", wait=0.3)
        assert answer.partial and answer.results
        assert any("vectors are not ready yet" in note for note in answer.notes), answer.notes
        go_on.set()
        whole = shared.search("zebra", effort="fast", wait=20.0)
        assert not whole.partial and not whole.notes
        go_on.clear()
        zoo.write("web/new.py", "def zebra_too():\n    pass\n")
        answer = shared.search("zebra", effort="fast", wait=0.3)
        assert answer.partial and paths(answer) == paths(whole)
        go_on.set()
        assert len(shared.search("zebra", effort="fast", wait=20.0)) == len(whole) + 1
    assert set(makers) == {"live index"}


def test_before_anything_is_known_the_answer_is_empty_and_says_so(
    zoo: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trackdown.engine.indexing import worktree_cache as module

    go_on = threading.Event()
    look: Any = vars(module)["scan_worktree"]

    def slow(*arguments: Any) -> Any:
        assert go_on.wait(30)
        return look(*arguments)

    monkeypatch.setattr(module, "scan_worktree", slow)
    with sharing(zoo.root, settings=settings, ready=False) as shared:
        assert wait_for(lambda: shared.state().step == "look")
        answer = shared.search("zebra", wait=0.2)
        assert answer.partial and not answer.results and "try again" in answer.notes[0]
        assert shared.history("zebra", wait=0.2).partial
        assert not shared.status(wait=0.2).ready
        for ask in (lambda: shared.unit("web/a.py", wait=0.1), lambda: shared.related("web/a.py:1", wait=0.1)):
            with pytest.raises(TooBusy):
                ask()
        with pytest.raises(QueryError):
            shared.search("", wait=0.1)
        go_on.set()
        assert not shared.search("zebra", wait=20.0).partial


def test_without_a_background_it_indexes_when_it_is_asked(zoo: Repo, settings: Settings) -> None:
    with SharedRepositories([zoo.root], settings=settings, live=False) as shared:
        shared.start()
        assert paths(shared.search("gnu")) == ["web/b.py"]
        zoo.write("web/b.py", "def tapir():\n    pass\n")
        assert paths(shared.search("tapir")) == ["web/b.py"]


def test_a_past_state_is_built_by_who_asks(zoo: Repo, settings: Settings) -> None:
    zoo.commit("Take the gnu away", {"web/b.py": "def tapir():\n    pass\n"})
    with sharing(zoo.root, settings=settings) as shared:
        assert paths(shared.search("gnu", at="HEAD~1")) == ["web/b.py"] and not shared.search("gnu").results
        assert shared.unit("web/b.py", at="HEAD~1").text.startswith("def gnu")
        with pytest.raises(UnknownRevision):
            shared.search("gnu", at="nowhere")


def test_a_repository_that_is_deleted_and_comes_back(zoo: Repo, settings: Settings, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.commit("Begin", {"z.py": "def zebra_too():\n    pass\n"})
    with sharing(zoo.root, other.root, settings=settings) as shared:
        assert len(shared.search("zebra", repository="repo")) == 2
        zoo.root.rename(tmp_path / "aside")
        for _ in range(3):
            with pytest.raises(NoSuchPath, match="repo is gone"):
                shared.search("zebra", repository="repo")
        with pytest.raises(NoSuchPath):
            shared.unit("web/a.py", repository="repo")
        answer = shared.search("zebra")
        assert paths(answer) == ["z.py"] and answer.partial and "repo is gone" in " ".join(answer.notes)
        assert wait_for(lambda: shared.state("repo").phase == "broken")
        assert shared.state("other").phase == "ready"
        (tmp_path / "aside").rename(zoo.root)
        assert wait_for(lambda: len(shared.search("zebra", repository="repo", wait=5.0)) == 2)
        shutil.rmtree(zoo.root)
        replaced = Repo(zoo.root)
        replaced.commit("Another one", {"n.py": "def quagga():\n    pass\n"})
        found = shared.search("quagga", repository="repo", wait=20.0)
        assert paths(found) == ["n.py"] and not found.partial
        assert shared.history("another", repository="repo", wait=20.0)[0].subject == "Another one"
        shutil.rmtree(zoo.root)
        zoo.root.mkdir()
        (zoo.root / "plain.py").write_text("def okapi():\n    pass\n")
        assert paths(shared.search("okapi", repository="repo", wait=20.0)) == ["plain.py"]


def test_a_full_disk_leaves_what_was_there_and_tells(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        with files_end_at(4096):
            zoo.write("web/new.py", "def quagga():\n    pass\n")
            answer = shared.search("zebra quagga", wait=10.0)
            assert answer.partial and "web/a.py" in paths(answer) and "web/new.py" not in paths(answer)
            assert "cannot be updated" in " ".join(answer.notes) and "full" in " ".join(answer.notes)
        assert wait_for(lambda: not shared.search("quagga", wait=5.0).partial)
        assert paths(shared.search("quagga")) == ["web/new.py"]


def test_a_disk_that_is_full_from_the_start_is_an_error(zoo: Repo, settings: Settings) -> None:
    with SharedRepositories([zoo.root], settings=settings) as shared, files_end_at(8192):
        shared.start()
        for _ in range(2):
            with pytest.raises(StoreError, match="full or cannot be written"):
                shared.search("zebra", wait=20.0)
        assert shared.state().phase in ("broken", "indexing") and not shared.state().ready


def test_a_store_that_is_damaged_under_it_heals(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        shared.search("zebra")
        with open(settings.store / FORMAT / "facts.sqlite3", "r+b") as stream:
            stream.write(b"no database any more " * 500)
        zoo.write("web/new.py", "def quagga():\n    pass\n")

        def healed() -> bool:
            try:
                return paths(shared.search("quagga", wait=5.0)) == ["web/new.py"]
            except StoreError:
                return False

        assert wait_for(healed)


def test_what_the_keeper_finds_damaged_is_said_in_the_next_answer(zoo: Repo, settings: Settings) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        wanted = paths(shared.search("zebra"))
        with closing(sqlite3.connect(settings.store / FORMAT / "facts.sqlite3")) as database, database:
            database.execute("UPDATE records SET value=x'00' WHERE kind='code'")
        zoo.write("web/new.py", "def quagga():\n    pass\n")
        answer = shared.search("zebra", wait=20.0)
        assert paths(answer) == wanted and not answer.partial
        assert any("damaged data in the store was removed (code)" in note for note in answer.notes)
        assert shared.search("zebra", wait=20.0).notes == ()


@pytest.mark.parametrize("everything", [True, False])
def test_a_store_that_is_cleared_under_it_is_filled_again(zoo: Repo, settings: Settings, everything: bool) -> None:
    with sharing(zoo.root, settings=settings) as shared:
        before = paths(shared.search("zebra"))
        if everything:
            shutil.rmtree(settings.store)
        else:
            with trackdown.open(zoo.root, settings=settings) as other:
                other.clear()
        shared._served["repo"]._drop_idle()  # as if another thread came
        for _ in range(2):
            answer = shared.search("zebra", wait=20.0)
            assert paths(answer) == before and not answer.partial, answer.notes


def test_an_empty_folder_is_told_and_filled(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "empty").mkdir()
    with sharing(tmp_path / "empty", settings=settings) as shared:
        with pytest.raises(EmptyRepository):
            shared.search("zebra")
        (tmp_path / "empty/a.py").write_text(CODE)
        assert shared.search("zebra", wait=20.0).results


def test_closing_waits_for_what_runs_and_then_refuses(zoo: Repo, settings: Settings) -> None:
    before = set(threading.enumerate())
    descriptors = len(os.listdir("/proc/self/fd"))
    with sharing(zoo.root, settings=settings) as shared:
        for _ in range(5):
            shared.search("zebra")
    assert shared.state().phase == "closed"
    with pytest.raises(TooBusy, match="stopping"):
        shared.search("zebra")
    assert wait_for(lambda: set(threading.enumerate()) <= before)
    gc.collect()  # arrays are given back with the objects that hold them
    assert len(os.listdir("/proc/self/fd")) <= descriptors + 2


def test_a_place_that_is_not_there_is_refused_at_the_start(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(NoSuchPath):
        SharedRepositories([tmp_path / "none"], settings=settings)
