"""The state between looks: nothing is read that did not change, and no change is missed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import Repo
from tests.repository.looks import LIMIT, WorktreeCache, contents, ids, left_out
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.errors import GitError
from trackdown.repository import worktree
from trackdown.repository.blobs import blob_id
from trackdown.repository.source import open_source
from trackdown.repository.worktree import listing_inputs_unchanged, scan_worktree
from trackdown.repository.worktree_state import decode_state, encode_state

Reads = list[str]


def test_nothing_is_read_again_when_nothing_changed(place: Repo, reads: Reads, settle: Callable[[], None]) -> None:
    settle()
    looker = WorktreeCache(place.root)
    first = looker()
    assert sorted(reads) == ["a.py", "pkg/b.py"]
    reads.clear()
    assert looker() is first
    assert (reads, looker.changed) == ([], False)
    place.write("a.py", "a2\n")
    looker()
    assert (reads, looker.changed) == (["a.py"], True)


def test_a_state_from_the_store_spares_all_reading(place: Repo, reads: Reads, settle: Callable[[], None]) -> None:
    settle()
    source = open_source(place.root)
    first = scan_worktree(source, None, LIMIT)
    state = decode_state(encode_state(first.state))
    assert state == first.state
    reads.clear()
    second = scan_worktree(source, state, LIMIT)
    assert (reads, second.changed) == ([], False)
    assert second.snapshot == first.snapshot


def test_what_was_changed_a_moment_ago_is_read_again_until_it_is_old(
    place: Repo, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    looker = WorktreeCache(place.root)
    looker()
    reads.clear()
    looker()
    assert sorted(reads) == ["a.py", "pkg/b.py"]
    monkeypatch.setattr(worktree, "_RACY_NS", 20_000_000)
    time.sleep(0.04)
    looker()
    reads.clear()
    looker()
    assert reads == []


def test_an_edit_that_keeps_size_and_time_is_seen(place: Repo, settle: Callable[[], None]) -> None:
    settle()
    looker = WorktreeCache(place.root)
    looker()
    for text in ("a2\n", "a3\n"):
        before = (place.root / "a.py").stat()
        place.write("a.py", text)
        os.utime(place.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        assert contents(looker())["a.py"] == blob_id(text.encode())
        settle()


class CoarseClock:
    """The os module on a file system whose time stamps are whole seconds."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def lstat(self, path: str) -> SimpleNamespace:
        found = os.lstat(path)
        times = {name: getattr(found, name) // 10**9 * 10**9 for name in ("st_mtime_ns", "st_ctime_ns")}
        return SimpleNamespace(st_mode=found.st_mode, st_size=found.st_size, st_ino=found.st_ino, **times)

    stat = lstat


@pytest.fixture(params=["fine", "coarse"])
def _clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system's own clock, and one that ticks once a second."""
    if request.param == "coarse":
        monkeypatch.setattr(worktree, "os", CoarseClock())


@pytest.mark.usefixtures("_clock")
def test_edits_within_one_tick_of_the_clock_are_seen(tmp_path: Path) -> None:
    """Faster than the file system's clock: neither size nor any time stamp tells the edits apart."""
    root = tmp_path / "plain"
    root.mkdir()
    looker = WorktreeCache(root)
    for number in range(100, 200):
        text = f"a{number}\n".encode()
        (root / "a.py").write_bytes(text)
        assert contents(looker()) == {"a.py": blob_id(text)}


@pytest.mark.usefixtures("_clock")
def test_files_that_come_and_go_within_one_tick_of_the_clock_are_seen(tmp_path: Path) -> None:
    folder = tmp_path / "plain/pkg"
    folder.mkdir(parents=True)
    looker = WorktreeCache(tmp_path / "plain")
    for number in range(30):
        (folder / f"{number}.py").write_text("x\n")
        assert contents(looker()).keys() == {f"pkg/{number}.py"}
        (folder / f"{number}.py").unlink()
        assert contents(looker()) == {}


def test_a_file_replaced_by_another_of_the_same_size_and_time_is_seen(place: Repo, settle: Callable[[], None]) -> None:
    settle()
    looker = WorktreeCache(place.root)
    looker()
    before = (place.root / "a.py").stat()
    other = place.write("other.tmp", "aX\n")
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.rename(place.root / "a.py")
    assert contents(looker())["a.py"] == blob_id(b"aX\n")


def test_a_file_in_a_folder_that_was_empty_at_the_last_look_is_seen(place: Repo, settle: Callable[[], None]) -> None:
    (place.root / "empty/deep").mkdir(parents=True)
    (place.root / "pkg/empty").mkdir()
    settle()
    looker = WorktreeCache(place.root)
    looker()
    settle()
    assert looker() is looker()
    place.write("empty/deep/c.py", "c\n")
    assert contents(looker()) == ids(a="a1\n", pkg__b="b1\n", empty__deep__c="c\n")
    settle()
    place.write("pkg/empty/d.py", "d\n")
    assert "pkg/empty/d.py" in contents(looker())


def test_a_file_in_a_folder_whose_files_were_all_ignored_is_seen(place: Repo, settle: Callable[[], None]) -> None:
    place.write("scratch/inner/a.tmp", "t\n")
    settle()
    looker = WorktreeCache(place.root)
    looker()
    settle()
    assert looker() is looker()
    place.write("scratch/inner/c.py", "c\n")
    assert "scratch/inner/c.py" in contents(looker())


def test_a_folder_that_keeps_its_time_cannot_hide_a_new_file(place: Repo, settle: Callable[[], None]) -> None:
    """Archives set the times of folders to their own."""
    settle()
    looker = WorktreeCache(place.root)
    looker()
    before = (place.root / "pkg").stat()
    place.write("pkg/c.py", "c\n")
    os.utime(place.root / "pkg", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "pkg/c.py" in contents(looker())


@pytest.mark.usefixtures("_clock")
def test_ignore_files_edited_within_one_tick_of_the_clock_are_seen(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    for name in ("0", "1"):
        (root / f"{name}.py").write_text(name)
    looker = WorktreeCache(root)
    for number in range(100):
        (root / ".trackdownignore").write_text(f"{number % 2}.py\n.trackdownignore\n")
        assert contents(looker()) == {f"{1 - number % 2}.py": blob_id(b"%d" % (1 - number % 2))}


def test_an_ignore_file_is_not_trusted_while_its_time_is_not_past(place: Repo, settle: Callable[[], None]) -> None:
    later = time.time_ns() + 3600 * 10**9
    ignore_file = place.write(".trackdownignore", "x.py\n.*\n")
    os.utime(ignore_file, ns=(later, later))
    settle()
    looker = WorktreeCache(place.root)
    assert contents(looker()) == ids(a="a1\n", pkg__b="b1\n")
    ignore_file.write_text("a.py\n.*\n")
    os.utime(ignore_file, ns=(later, later))
    assert contents(looker()) == ids(pkg__b="b1\n")


def test_another_limit_starts_afresh(place: Repo) -> None:
    place.write("a.py", "#" * 500)
    source = open_source(place.root)
    first = scan_worktree(source, None, LIMIT)
    second = scan_worktree(source, first.state, 100, first.snapshot)
    assert "a.py" in contents(first.snapshot)
    assert left_out(second.snapshot)["a.py"] == "large"


def test_a_file_whose_name_is_not_utf8_is_listed_afresh(place: Repo, reads: Reads, settle: Callable[[], None]) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    place.write(name, "x\n")
    place.write("mine.py", "m\n")
    settle()
    source = open_source(place.root)
    first = scan_worktree(source, None, LIMIT)
    reads.clear()
    second = scan_worktree(source, decode_state(encode_state(first.state)), LIMIT)
    assert contents(second.snapshot) == contents(first.snapshot)
    assert reads == [name] and name in contents(second.snapshot)
    place.write("new.py", "n\n")
    place.write(".gitignore", "mine.py\n")
    third = scan_worktree(source, decode_state(encode_state(second.state)), LIMIT)
    assert third.state.withdrawn == {"mine.py": blob_id(b"m\n")} and "new.py" in contents(third.snapshot)
    last = decode_state(encode_state(third.state))
    assert last is not None and last.withdrawn == third.state.withdrawn


def test_a_root_whose_name_is_not_utf8_is_listed_afresh(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "caf\udce9")
    repo.commit("Begin", {"a.py": "a\n"})
    looker = WorktreeCache(repo.root)
    assert contents(looker()) == ids(a="a\n")
    assert looker.last is not None
    repo.write("b.py", "b\n")
    state = decode_state(encode_state(looker.last.state))
    assert contents(scan_worktree(open_source(repo.root), state, LIMIT).snapshot) == ids(a="a\n", b="b\n")


def test_a_damaged_or_foreign_state_is_none(place: Repo) -> None:
    looker = WorktreeCache(place.root)
    looker()
    assert looker.last is not None
    data = encode_state(looker.last.state)
    assert decode_state(data) is not None
    looker.last.state.version += 1
    for bad in (b"", b"junk", data[:-1], data[1:], data + b"x", encode_state(looker.last.state)):
        assert decode_state(bad) is None


def test_a_look_that_breaks_off_leaves_nothing_stale_behind(
    repo: Repo, tmp_path: Path, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("Begin", {"a.py": "a1\n"})
    settle()
    looker = WorktreeCache(repo.root)
    assert not looker().dirty
    settle()
    looker()
    repo.write("a.py", "a2\n")
    with monkeypatch.context() as broken:
        put_in_place_of_git(broken, tmp_path / "bin", f'case "$*" in *status*) exit 3;; esac; exec {REAL_GIT} "$@"')
        with pytest.raises(GitError):
            looker()
    snapshot = looker()
    assert (contents(snapshot), snapshot.dirty) == (ids(a="a2\n"), True)


def test_what_steers_the_listing_is_asked_for_by_itself(repo: Repo, settle: Callable[[], None]) -> None:
    repo.commit("Begin", {"a.py": "a\n", ".gitignore": "*.tmp\n"})
    settle()
    for change in (
        lambda: repo.write(".gitignore", "*.log\n.tmp\n"),
        lambda: repo.write(".git/info/exclude", "b.py\n# more\n"),
        lambda: repo.git("config", "core.excludesFile", "elsewhere"),
        lambda: repo.git("rm", "-q", "--cached", "a.py"),
        lambda: (repo.root / ".gitignore").unlink(),
    ):
        state = scan_worktree(open_source(repo.root), None, LIMIT).state
        assert listing_inputs_unchanged(state)
        change()
        assert not listing_inputs_unchanged(state)
