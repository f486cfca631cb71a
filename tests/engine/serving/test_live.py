"""An index that keeps itself up to date, whatever happens to the files, the folder, the disk or other processes."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import trackdown
from tests.conftest import Repo
from tests.store.limits import files_end_at
from tests.surfaces.program import wait_for
from trackdown.engine import LiveIndex, LiveUpdate, Repository, SharedRepositories
from trackdown.engine import open as open_repository
from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.engine.serving import change_events, throttle
from trackdown.engine.serving import live as module
from trackdown.engine.serving.recent_states import RecentStates
from trackdown.engine.serving.wakeup import Wakeup
from trackdown.index.code_update import CODE_MANIFESTS
from trackdown.repository.source import open_source
from trackdown.settings import Settings
from trackdown.store.store import FORMAT, Store
from trackdown.types import no_progress

pytestmark = pytest.mark.slow


class Noted:
    """Wraps a method and keeps what it was given and what it returned."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        self.given: list[tuple[Any, ...]] = []
        self.returned: list[Any] = []
        method = getattr(owner, name)

        def call(*arguments: Any) -> Any:
            self.given.append(arguments[1:])
            self.returned.append(method(*arguments))
            return self.returned[-1]

        monkeypatch.setattr(owner, name, call)


CODE = "def zebra(value):\n    return value\n"
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


class Heard:
    """A live index and what it told."""

    def __init__(self, place: Path, settings: Settings) -> None:
        self.place = place
        self.settings = settings
        self.updates: list[LiveUpdate] = []
        self.live = LiveIndex(self._opened, self.updates.append)

    def _opened(self, present: Repository | None) -> Repository:
        return present or open_repository(self.place, settings=self.settings)

    def ready(self) -> bool:
        """Whether it has come to rest: all that is there is indexed, and it waits for events."""
        return wait_for(lambda: self.live.state.phase == "ready" and not self.live.state.problem)

    def stored(self) -> bool:
        """Whether what is there now is in the store, as a look without any memory says."""
        with open_repository(self.place, settings=self.settings) as fresh:
            return fresh.status().ready

    def up_to_date(self, seconds: float = 20.0) -> bool:
        return wait_for(self.stored, seconds)

    def last(self) -> LiveUpdate:
        return self.updates[-1]


@contextmanager
def watching(place: Path, settings: Settings, mode: str = "inotify") -> Iterator[Heard]:
    """A live index that is ready and watches."""
    heard = Heard(place, settings)
    with heard.live:
        assert heard.ready()
        assert wait_for(lambda: heard.live.state.watching == mode), heard.live.state
        yield heard
    assert heard.live.state.phase == "closed"


@pytest.fixture
def begun(repo: Repo) -> Repo:
    repo.commit(
        "Begin", {"web/a.py": CODE, "web/b.py": "def gnu():\n    pass\n", "lib/c.py": "def okapi():\n    pass\n"}
    )
    return repo


def found(place: Path, settings: Settings, query: str) -> list[str]:
    with trackdown.open(place, settings=settings) as opened:
        return [result.path for result in opened.search(query)]


@linux_only
def test_every_kind_of_change_is_indexed_and_told(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        assert heard.last().first and heard.last().files == 3
        changes: list[tuple[Callable[[], object], tuple[int, int, int, int]]] = [
            (lambda: begun.write("web/a.py", CODE + "\n# more\n"), (0, 1, 0, 0)),
            (lambda: begun.write("web/new.py", "def quagga():\n    pass\n"), (1, 0, 0, 0)),
            (lambda: begun.write("deep/er/new.py", "def tapir():\n    pass\n"), (1, 0, 0, 0)),
            (lambda: begun.write("deep/er/new.py", "def tapir2():\n    pass\n"), (0, 1, 0, 0)),
            (lambda: (begun.root / "web/b.py").unlink(), (0, 0, 1, 0)),
            (lambda: (begun.root / "web").rename(begun.root / "site"), (0, 0, 0, 2)),
            (
                lambda: os.replace(begun.write("lib/c.tmp", "def okapi2():\n    pass\n"), begun.root / "lib/c.py"),
                (0, 1, 0, 0),
            ),
            (lambda: shutil.rmtree(begun.root / "deep"), (0, 0, 1, 0)),
        ]
        for number, (change, expected) in enumerate(changes):
            before = len(heard.updates)
            change()
            assert wait_for(lambda before=before: len(heard.updates) > before), number  # type: ignore[misc]
            assert heard.up_to_date() and wait_for(lambda: heard.live.state.phase == "ready")
            told = heard.updates[before:]
            added, changed, removed, renamed = (
                sum(getattr(update, name) for update in told) for name in ("added", "changed", "removed", "renamed")
            )
            assert (added, changed, removed, renamed) == expected, (number, told)
            assert all(update.behind is not None and not update.problem for update in told)
        assert heard.live.state.updates == len(heard.updates)


@linux_only
def test_commits_and_branches_are_followed(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        commit = begun.commit("Nothing but a message")
        assert wait_for(lambda: heard.live.state.commit == commit) and heard.up_to_date()
        begun.git("switch", "-q", "-c", "side/branch")
        other = begun.commit("Elsewhere", {"web/side.py": "def tapir():\n    pass\n"})
        assert wait_for(lambda: heard.live.state.commit == other) and heard.up_to_date()
        begun.git("switch", "-q", "main")
        assert wait_for(lambda: heard.live.state.commit == commit) and heard.up_to_date()
        begun.git("update-ref", "refs/heads/main", other)
        assert wait_for(lambda: heard.live.state.commit == other), "a reference that moved by itself"


@linux_only
def test_a_burst_is_one_update_or_two(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        before = len(heard.updates)
        for number in range(300):
            begun.write(f"many/{number % 7}/n{number}.py", f"def bird_{number}():\n    pass\n")
        assert heard.up_to_date()
        assert wait_for(lambda: sum(update.added for update in heard.updates[before:]) == 300)
        assert len(heard.updates) - before <= 4
        assert heard.live.state.files == 303


@linux_only
def test_while_git_works_it_waits_but_not_for_a_lock_that_was_left_behind(
    begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = Noted(monkeypatch, change_events.ChangeEvents, "git_is_busy")
    with watching(begun.root, settings) as heard:
        lock = begun.write(".git/index.lock", "")
        begun.write("web/a.py", CODE + "# one\n")
        assert wait_for(lambda: sum(busy.returned) >= 10)
        assert len(heard.updates) == 1, "git is at it"
        lock.unlink()
        assert wait_for(lambda: len(heard.updates) == 2)
        lock.touch()
        os.utime(lock, (time.time() - 60, time.time() - 60))
        begun.write("web/a.py", CODE + "# two\n")
        assert wait_for(lambda: len(heard.updates) == 3), "git is dead"
        lock.unlink()


@linux_only
def test_a_storm_leaves_the_core_to_others(begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SAVED", 0.0), ("SHARE", 0.001), ("_LONGEST_REST", 0.2)):
        monkeypatch.setattr(throttle, name, value)
    rests = Noted(monkeypatch, throttle.Throttle, "rest")
    with watching(begun.root, settings) as heard:
        stop = threading.Event()

        def blow() -> None:
            number = 0
            while not stop.wait(0.002):
                number += 1
                (begun.root / "web/log.py").write_text(f"LINE = {number}\n")

        before = len(heard.updates)
        thread = threading.Thread(target=blow)
        thread.start()
        try:
            assert wait_for(lambda: len(heard.updates) > before + 2), "events keep coming, and still it is updated"
            assert wait_for(lambda: sum(seconds > 0 for seconds in rests.returned) >= 2), "it rests between updates"
        finally:
            stop.set()
            thread.join()
        assert heard.up_to_date()


def test_without_inotify_it_polls(begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    with watching(begun.root, settings, "polling") as heard:
        begun.write("new/d.py", "def quagga():\n    pass\n")
        assert heard.up_to_date() and wait_for(lambda: heard.last().added == 1)
        commit = begun.commit("Commit it")
        assert wait_for(lambda: heard.live.state.commit == commit)


def test_where_others_change_files_unseen_it_polls(
    begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_events, "changes_unseen", lambda root: True)
    with watching(begun.root, settings, "polling"):
        pass


def test_polling_takes_little_of_the_time(begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    with watching(begun.root, settings, "polling") as heard:
        stirring = heard.live._events
        assert stirring is not None
        for seconds, expected in ((0.0, 1.0), (0.2, 4.0), (60.0, 30.0)):
            stirring.looked(None, seconds)
            assert stirring.interval() == expected


@linux_only
def test_it_sleeps_while_nothing_happens(begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK", 0.2)
    with watching(begun.root, settings) as heard:
        sleeps, rounds = Noted(monkeypatch, Wakeup, "sleep"), heard.live._done
        assert wait_for(lambda: len(sleeps.given) >= 6)
        assert [seconds for seconds, _ in sleeps.given] == [0.2] * len(sleeps.given) and heard.live._done == rounds


@pytest.mark.parametrize("kind", ["git", "folder"])
def test_a_folder_that_is_deleted_and_comes_back(begun: Repo, settings: Settings, tmp_path: Path, kind: str) -> None:
    if kind == "folder":
        shutil.rmtree(begun.root / ".git")
    with watching(begun.root, settings) as heard:
        aside = tmp_path / "aside"
        begun.root.rename(aside)
        assert wait_for(lambda: heard.live.state.phase == "broken")
        assert "repo" in heard.live.state.problem and heard.last().problem == heard.live.state.problem
        problems, rounds = len([update for update in heard.updates if update.problem]), heard.live._done
        assert wait_for(lambda: heard.live._done >= rounds + 2)
        assert len([update for update in heard.updates if update.problem]) <= problems + 1, "told again and again"
        aside.rename(begun.root)
        begun.write("web/new.py", "def quagga():\n    pass\n")
        assert heard.ready() and heard.up_to_date()
        assert found(begun.root, settings, "quagga") == ["web/new.py"]


def test_a_folder_nobody_may_read(begun: Repo, settings: Settings) -> None:
    from tests.store.limits import NOBODY

    begun.write("secret/d.py", "def quagga():\n    pass\n")
    (begun.root / "secret").chmod(0)
    settings.store.mkdir(parents=True, exist_ok=True)
    for path in (begun.root, *begun.root.rglob("*"), settings.store):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False) if os.getuid() == 0 else None
    for path in begun.root.parents:
        if path.stat().st_uid == os.getuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    root = os.getuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        with watching(begun.root, settings) as heard:
            assert heard.live.state.files == 3
            begun.write("web/a.py", CODE + "# more\n")
            assert wait_for(lambda: heard.last().changed == 1), heard.updates
            (begun.root / "secret").chmod(0o755)
            assert wait_for(lambda: heard.live.state.files == 4), heard.live.state
    finally:
        if root:
            os.setresuid(0, 0, 0)
        (begun.root / "secret").chmod(0o755)


def test_a_full_disk_is_told_and_got_over(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        with files_end_at(4096):
            begun.write("web/new.py", "def quagga():\n    pass\n")
            assert wait_for(lambda: heard.live.state.phase == "broken")
            assert "full" in heard.live.state.problem and heard.live.state.ready
        assert heard.ready() and heard.up_to_date()
        assert found(begun.root, settings, "quagga") == ["web/new.py"]


def test_a_damaged_store_is_built_anew(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        database = settings.store / FORMAT / "facts.sqlite3"
        with open(database, "r+b") as stream:
            stream.write(b"this is no database, but a poem about one " * 200)
        begun.write("web/new.py", "def quagga():\n    pass\n")
        assert wait_for(lambda: len(heard.updates) > 1)
        assert heard.ready() and heard.up_to_date()
        assert found(begun.root, settings, "quagga") == ["web/new.py"]


def test_parsers_that_are_killed(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        stop = threading.Event()

        def kill() -> None:
            while not stop.wait(0.05):
                for folder in Path("/proc").glob("[0-9]*"):
                    try:
                        line = (folder / "cmdline").read_bytes()
                        parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                    except (OSError, ValueError, IndexError):
                        continue
                    if parent == os.getpid() and b"trackdown.units.worker" in line:
                        os.kill(int(folder.name), 9)
                        stop.set()

        thread = threading.Thread(target=kill)
        thread.start()
        for number in range(400):
            begun.write(f"many/n{number}.py", f"def bird_{number}():\n    pass\n")
        assert wait_for(stop.is_set), "no parser was there to be killed"
        thread.join(20)
        assert heard.up_to_date() and wait_for(lambda: heard.live.state.files >= 402)


def test_another_process_that_indexes_is_waited_for(
    begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0.1)
    with trackdown.open(begun.root, settings=settings) as opened:
        identity = opened.indexes.identity(begun.git("rev-parse", "HEAD"))
    store = Store(settings.store)
    heard = Heard(begun.root, settings)
    with store.writing(identity) as held, heard.live:
        assert held
        assert wait_for(lambda: heard.live.state.step == "wait")
        assert not wait_for(lambda: heard.live.state.ready or heard.live.state.problem, 0.5)
        assert not heard.live.state.ready and not heard.live.state.problem
    store.close()
    heard = Heard(begun.root, settings)
    with heard.live:
        assert heard.ready() and heard.up_to_date()


def test_somebody_who_asks_does_not_wait_for_quiet(begun: Repo, settings: Settings) -> None:
    with watching(begun.root, settings) as heard:
        for number in range(5):
            begun.write("web/a.py", CODE + f"# {number}\n")
            while not heard.stored():
                assert heard.live.bring_up_to_date(120.0, no_progress)
        assert heard.live.bring_up_to_date(10.0, no_progress)


def test_who_asks_hears_that_it_failed(begun: Repo, settings: Settings, tmp_path: Path) -> None:
    with watching(begun.root, settings) as heard:
        begun.root.rename(tmp_path / "aside")
        assert not heard.live.bring_up_to_date(10.0, no_progress)
        assert "gone" in heard.live.problem() or "no such" in heard.live.problem()


def test_those_who_keep_asking_do_not_make_a_broken_one_busy(begun: Repo, settings: Settings, tmp_path: Path) -> None:
    with watching(begun.root, settings) as heard:
        begun.root.rename(tmp_path / "aside")
        assert wait_for(lambda: heard.live.state.phase == "broken")
        before, asked = heard.live._done, 100
        for _ in range(asked):
            heard.live.bring_up_to_date(0.01, no_progress)
        assert heard.live._done - before < asked / 4


def test_what_nobody_thought_of_does_not_end_it(
    begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watching(begun.root, settings) as heard:
        with monkeypatch.context() as patch:

            def explode(self: object) -> bool:
                raise ZeroDivisionError("never thought of")

            patch.setattr(change_events.ChangeEvents, "stirred", explode)
            begun.write("web/a.py", CODE + "# more\n")
            assert wait_for(lambda: heard.live.state.problem == "never thought of")
        assert heard.ready() and heard.up_to_date()


def test_closing_stops_a_first_index(begun: Repo, settings: Settings) -> None:
    for number in range(600):
        begun.write(f"many/n{number}.py", f"def bird_{number}():\n    pass\n" * 30)
    heard = Heard(begun.root, settings)
    heard.live.start()
    assert wait_for(lambda: heard.live.state.step == "parse")
    heard.live.close()
    assert heard.live.state.phase == "closed"
    assert not heard.updates
    assert not heard.live.bring_up_to_date(5.0, no_progress)


def test_an_empty_folder_is_ready_and_says_so(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "empty").mkdir()
    heard = Heard(tmp_path / "empty", settings)
    with heard.live:
        assert wait_for(lambda: heard.live.state.ready and bool(heard.live.state.problem))
        assert "no searchable files" in heard.live.state.problem and heard.live.state.files == 0
        (tmp_path / "empty/a.py").write_text(CODE)
        assert wait_for(lambda: heard.live.state.files == 1) and heard.ready()


def test_an_empty_folder_never_looks_like_a_success(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, str]] = []
    tell = module.LiveIndex._set_state

    def listening(self: LiveIndex, **changes: object) -> None:
        tell(self, **changes)  # type: ignore[arg-type]
        told.append((self.state.phase, self.state.problem))

    monkeypatch.setattr(module.LiveIndex, "_set_state", listening)
    (tmp_path / "empty").mkdir()
    heard = Heard(tmp_path / "empty", settings)
    with heard.live:
        assert wait_for(lambda: heard.live.state.ready and bool(heard.live.state.problem))
        assert not heard.live.bring_up_to_date(10.0, no_progress)
    assert ("ready", "") not in told


@linux_only
def test_an_event_that_another_look_has_used_up_is_not_lost(begun: Repo, settings: Settings) -> None:
    store = Store(settings.store)
    looker = WorktreeCache(open_source(begun.root), 1 << 20)
    stirring = change_events.ChangeEvents(looker)
    for _ in range(3):  # until folders are watched
        indexed = looker.look(store)
    stirring.looked(indexed, 0.0)
    assert looker.watch.armed and not stirring.stirred()
    begun.write("web/new.py", CODE)
    looker.look(store)
    assert stirring.stirred()
    stirring.looked(looker.last, 0.0)
    assert not stirring.stirred()
    stirring.close()
    looker.close()
    store.close()


@linux_only
def test_a_search_that_does_not_wait_has_what_it_saw_indexed(
    begun: Repo, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SharedRepositories([begun.root], settings=settings) as shared:
        shared.start()
        assert shared.wait_ready(seconds=30) and wait_for(lambda: shared.state().watching == "inotify")
        monkeypatch.setattr(change_events.ChangeEvents, "stirred", lambda self: False)  # the search has taken the event
        begun.write("web/new.py", CODE)
        shared.search("quagga", wait=0.0)
        assert wait_for(lambda: shared.state().files == 4)


def test_a_bare_repository_is_kept_too(begun: Repo, settings: Settings, tmp_path: Path) -> None:
    begun.git("clone", "-q", "--bare", str(begun.root), str(tmp_path / "bare.git"))
    with watching(tmp_path / "bare.git", settings) as heard:
        commit = begun.commit("More", {"web/new.py": "def quagga():\n    pass\n"})
        begun.git("push", "-q", str(tmp_path / "bare.git"), "main")
        assert wait_for(lambda: heard.live.state.commit == commit and heard.live.state.files == 4)


def test_states_that_nobody_comes_back_to_do_not_pile_up(begun: Repo, settings: Settings) -> None:
    with open_repository(begun.root, settings=settings) as opened:
        recent = RecentStates()
        for number in range(20):
            begun.write("web/a.py", CODE + f"# {number}\n")
            recent.build(opened, 0.0, no_progress)
        store = Store(settings.store)
        assert len(store.database.records(CODE_MANIFESTS)) <= 9
        names = store.array_names()
        assert len([name for name in names if name.startswith("delta-")]) <= 8
        assert not [name for name in names if "delta-" in name and name.startswith("vectors-")]
        store.close()
        assert [result.path for result in opened.search("zebra")] == ["web/a.py"]
    assert found(begun.root, replace(settings), "zebra") == ["web/a.py"]
