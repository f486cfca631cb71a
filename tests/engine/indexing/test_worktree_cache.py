"""One look at the disk for several threads."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Repo
from trackdown.engine.indexing import worktree_cache as module
from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.errors import NoSuchPath, TooBusy
from trackdown.repository.source import open_source
from trackdown.settings import Settings
from trackdown.store.store import Store


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    store = Store(settings.store)
    yield store
    store.close()


@pytest.fixture
def looker(repo: Repo) -> Iterator[WorktreeCache]:
    repo.commit("Begin", {"web/a.py": "a = 1\n"})
    looker = WorktreeCache(open_source(repo.root), 1 << 20)
    yield looker
    looker.close()


def test_a_look_is_kept_until_something_happens(looker: WorktreeCache, store: Store, repo: Repo) -> None:
    first = looker.look(store)
    assert looker.look(store).key == first.key and looker.last is not None
    assert looker.look(store) is looker.look(store)
    repo.write("web/a.py", "a = 2\n")
    assert looker.look(store).key != first.key


def test_while_another_thread_looks_there_is_no_waiting_without_patience(
    looker: WorktreeCache, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    look: Any = vars(module)["scan_worktree"]

    def slow(*arguments: Any) -> Any:
        begun.set()
        assert go_on.wait(20)
        return look(*arguments)

    monkeypatch.setattr(module, "scan_worktree", slow)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(looker.look(store)))
    thread.start()
    assert begun.wait(20)
    with pytest.raises(TooBusy, match="being listed"):
        looker.look(store, 0.05)
    assert looker.drain()
    go_on.set()
    thread.join(20)
    assert found == [looker.last] and looker.look(store, 0.05).files


def test_a_folder_that_is_gone_is_told_and_seen_again_when_it_is_back(
    looker: WorktreeCache, store: Store, repo: Repo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for _ in range(3):
        first = looker.look(store)
    aside = tmp_path_factory.mktemp("aside") / "repo"
    shutil.move(repo.root, aside)
    for _ in range(2):
        with pytest.raises(NoSuchPath, match="repo is gone"):
            looker.look(store)
    assert not looker.watch.armed
    shutil.copytree(aside, repo.root)
    for _ in range(3):
        assert looker.look(store).key == first.key
    repo.write("web/a.py", "a = 2\n")
    assert looker.look(store).key != first.key


def test_git_can_be_asked_cheaply_whether_anything_changed(looker: WorktreeCache, store: Store, repo: Repo) -> None:
    assert looker.unchanged()
    looker.look(store)
    assert looker.unchanged()
    repo.git("commit", "-q", "--allow-empty", "-m", "Again")
    assert not looker.unchanged()
    looker.look(store)
    assert looker.unchanged()


def test_a_look_that_is_due_does_not_watch_every_folder_anew(
    looker: WorktreeCache, store: Store, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trackdown.repository import watch

    for _ in range(3):
        looker.look(store)
    monkeypatch.setattr(watch, "_FULL_SCAN_SECONDS", -1.0)
    armed: list[object] = []
    with monkeypatch.context() as patch:
        patch.setattr(looker.watch, "arm", lambda *given: armed.append(given))
        looker.look(store)
        assert not armed
    repo.write("web/a.py", "a = 2\n")
    before = looker.last
    assert before is not None and looker.look(store).key != before.key


def test_a_changed_global_ignore_file_is_seen_while_folders_are_watched(
    looker: WorktreeCache, store: Store, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trackdown.repository import watch

    monkeypatch.setattr(watch, "_FULL_SCAN_SECONDS", 1000.0)
    rules = tmp_path / "config/git/ignore"
    rules.parent.mkdir(parents=True)
    rules.write_text("mote.py\n")
    repo.write("note.py", "n = 1\n")
    for _ in range(3):
        assert "note.py" in {file.path for file in looker.look(store).files}
    assert looker.watch.armed and looker.unchanged()
    before = rules.stat()
    with rules.open("r+") as stream:
        stream.write("n")
    os.utime(rules, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert not looker.unchanged()
    assert "note.py" not in {file.path for file in looker.look(store).files}
