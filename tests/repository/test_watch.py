"""The kernel reports every change, and without inotify every answer is "maybe"."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.growth import calls_of
from trackdown.repository import watch as module
from trackdown.repository.watch import FolderWatch

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file and a folder with a file."""
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text("a\n")
    (folder / "sub/b.py").write_text("b\n")
    return folder


@pytest.fixture
def watch(root: Path) -> Iterator[FolderWatch]:
    """A watch over both folders."""
    made = FolderWatch()
    made.arm(root, ["", "sub"])
    yield made
    made.close()


@linux_only
def test_reading_is_not_a_change(watch: FolderWatch, root: Path) -> None:
    assert not watch.happened() and not watch.happened()
    (root / "a.py").read_text()
    os.listdir(root / "sub")
    assert not watch.happened()


def _in_place(root: Path) -> None:
    with open(root / "sub/b.py", "r+") as stream:
        stream.write("c")


@linux_only
@pytest.mark.parametrize(
    "happen",
    [
        lambda root: (root / "a.py").write_text("a2\n"),
        _in_place,
        lambda root: (root / "sub/c.py").write_text("c\n"),
        lambda root: (root / "sub/empty.py").touch(),
        lambda root: (root / "a.py").unlink(),
        lambda root: (root / "a.py").rename(root / "sub/a.py"),
        lambda root: (root / "sub/b.py").rename(root.parent / "away.py"),
        lambda root: (root / "new").mkdir(),
        lambda root: (root / "sub").rename(root / "other"),
        lambda root: shutil.rmtree(root / "sub"),
        lambda root: (root / "link").symlink_to("a.py"),
        lambda root: os.link(root / "a.py", root / "sub/hard.py"),
        lambda root: (root / "a.py").chmod(0o600),
        lambda root: os.utime(root / "a.py", ns=(0, 0)),
        lambda root: os.truncate(root / "a.py", 0),
        lambda root: os.replace(root / "sub/b.py", root / "a.py"),
    ],
)
def test_every_change_is_reported_once(watch: FolderWatch, root: Path, happen: Callable[[Path], object]) -> None:
    assert not watch.happened()
    happen(root)
    assert watch.happened()
    assert not watch.happened()


@linux_only
def test_what_happens_in_a_folder_that_is_not_watched_goes_unnoticed_until_it_is(
    watch: FolderWatch, root: Path
) -> None:
    (root / "new").mkdir()
    assert watch.happened()
    watch.arm(root, ["", "sub", "new"])
    (root / "new/c.py").write_text("c\n")
    assert watch.happened()


@linux_only
def test_a_folder_that_is_gone_before_it_is_watched_is_passed_over(watch: FolderWatch, root: Path) -> None:
    watch.arm(root, ["", "sub", "gone", "a.py/below"])
    assert not watch.happened()
    (root / "sub/b.py").write_text("b2\n")
    assert watch.happened()


@linux_only
def test_after_closing_folders_are_watched_anew(watch: FolderWatch, root: Path) -> None:
    shutil.rmtree(root / "sub")
    (root / "sub").mkdir()
    watch.close()
    assert watch.happened()
    watch.arm(root, ["", "sub"])
    assert not watch.happened()
    (root / "sub/b.py").write_text("back\n")
    assert watch.happened()


@linux_only
def test_a_full_scan_is_due_after_a_while(watch: FolderWatch, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setattr(module, "_FULL_SCAN_SECONDS", 0.05)
    time.sleep(0.06)
    assert watch.due() and not watch.happened()
    watch.arm(root, ["", "sub"])
    assert not watch.due()


@linux_only
def test_folders_with_names_of_any_bytes_are_watched(root: Path) -> None:
    (root / "caf\udce9").mkdir()
    watch = FolderWatch()
    watch.arm(root, ["", "caf\udce9"])
    assert not watch.happened()
    (root / "caf\udce9/a.py").write_text("a\n")
    assert watch.happened()
    watch.close()


def test_before_it_is_armed_anything_may_have_happened() -> None:
    assert FolderWatch().happened()


def test_without_inotify_anything_may_have_happened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    watch = FolderWatch()
    watch.arm(root, ["", "sub"])
    assert watch.happened()
    watch.close()


@linux_only
@pytest.mark.parametrize(("name", "code"), [("add_watch", errno.ENOSPC), ("__init__", errno.EMFILE)])
def test_when_watches_run_out_anything_may_have_happened(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    import inotify_simple

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(inotify_simple.INotify, name, refuse)
    if name == "__init__":
        monkeypatch.setattr(inotify_simple.INotify, "close", lambda self: None)
    watch = FolderWatch()
    for _ in range(2):
        watch.arm(root, ["", "sub"])
        assert watch.happened()


def test_on_another_system_anything_may_have_happened(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    watch = FolderWatch()
    watch.arm(root, [""])
    assert watch.happened()


@linux_only
def test_closing_gives_the_descriptor_back(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        watch = FolderWatch()
        watch.arm(root, ["", "sub"])
        watch.close()
        watch.close()
    assert len(os.listdir("/proc/self/fd")) == before


@linux_only
def test_drained_events_are_still_reported(watch: FolderWatch, root: Path) -> None:
    assert not watch.drain()
    (root / "a.py").write_text("a2\n")
    assert watch.drain()
    assert not watch.drain()
    assert watch.has_events
    assert watch.happened()
    assert not watch.happened()


@linux_only
def test_a_folder_made_anew_is_watched_when_it_is_armed_again(watch: FolderWatch, root: Path) -> None:
    shutil.rmtree(root / "sub")
    (root / "sub").mkdir()
    watch.arm(root, ["", "sub"])
    watch.happened()
    (root / "sub/b.py").write_text("back\n")
    assert watch.happened()


@linux_only
def test_a_folder_that_may_not_be_read_does_not_end_the_watch(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import inotify_simple

    add = inotify_simple.INotify.add_watch

    def refuse(self: object, path: str, mask: int) -> int:
        if str(path).endswith("/sub"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return int(add(self, path, mask))

    monkeypatch.setattr(inotify_simple.INotify, "add_watch", refuse)
    watch = FolderWatch()
    watch.arm(root, ["", "sub"])
    assert watch.armed and watch.possible and not watch.happened()
    (root / "sub").chmod(0o700)
    assert watch.happened()
    watch.close()


@linux_only
def test_a_storm_is_drained_without_a_call_for_each_event(watch: FolderWatch, root: Path) -> None:
    for number in range(3000):
        (root / f"sub/{number % 50}.tmp").touch()
    assert calls_of(watch.drain) < 300
    assert not watch.drain()
