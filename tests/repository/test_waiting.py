"""We wait for a git that works, however slowly, and not for one that waits in vain."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import children
from trackdown.errors import GitError
from trackdown.repository import waiting
from trackdown.repository.blobs import BlobReader
from trackdown.repository.git import Git, finish
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="sleep is looked up in /proc")


@pytest.fixture(autouse=True)
def _short_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LONGEST_SLEEP", 0.3)


def started(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@needs_proc
@pytest.mark.parametrize("stdin", [None, b"", b"x" * 10, b"x" * 300_000])
def test_a_process_that_only_sleeps_is_ended(tmp_path: Path, stdin: bytes | None) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = started("import sys; open(sys.argv[1])", str(tmp_path / "pipe"))
    with pytest.raises(GitError, match="named pipe"):
        finish(process, stdin)
    assert process.returncode is not None
    assert all(pipe is None or pipe.closed for pipe in (process.stdin, process.stdout, process.stderr))


@pytest.mark.skipif(not Path("/proc/self/wchan").exists(), reason="the kernel does not tell where a process sleeps")
def test_a_process_at_a_pipe_is_ended_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LONGEST_SLEEP", 120.0)
    os.mkfifo(tmp_path / "pipe")
    begun = time.monotonic()
    with pytest.raises(GitError, match="it waits at a named pipe"):
        finish(started("import sys; open(sys.argv[1])", str(tmp_path / "pipe")))
    assert time.monotonic() - begun < 60


def test_a_process_that_works_may_take_its_time() -> None:
    work = "import sys, time; t = time.time()\nwhile time.time() - t < 1: pass\nsys.stdout.write(sys.stdin.read())"
    text = b"x" * 300_000
    assert finish(started(work), text) == text


def test_a_process_that_waits_for_many_short_answers_may_take_its_time() -> None:
    """As git does on a file system far away: it sleeps whenever we look, and uses hardly any processor time."""
    ask = "import sys, time\nfor _ in range(40): time.sleep(0.04)\nsys.stdout.write('done')"
    assert finish(started(ask)) == b"done"


def test_a_process_that_works_too_long_is_ended() -> None:
    process = started("while True: pass")
    with pytest.raises(GitError, match="did not end within 1 s: try again"):
        finish(process, seconds=0.6)
    assert process.returncode is not None


@needs_proc
@pytest.mark.parametrize("place", ["nested/.git/HEAD", ".gitattributes", ".git/evil"])
def test_a_pipe_anywhere_in_a_repository_ends_in_one_line(repo: Repo, place: str) -> None:
    repo.commit("Begin", {"a.py": "a\n", "b.py": "b\n"})
    repo.write("a.py", "b\n")
    path = repo.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    if place == "nested/.git/HEAD":
        (path.parent / "objects").mkdir()
        (path.parent / "refs").mkdir()
    if place == ".git/evil":
        repo.write(".git/config", (repo.root / ".git/config").read_text() + "[include]\n\tpath = evil\n")
    begun = time.monotonic()
    before = children()
    with pytest.raises(GitError, match="named pipe"):
        scan_worktree(open_source(repo.root), None, 1 << 20)
    gc.collect()
    assert time.monotonic() - begun < 5 and children() <= before


@needs_proc
def test_a_blob_that_git_never_delivers_is_missing(repo: Repo) -> None:
    repo.commit("Begin", {"a.py": "a\n", "b.py": "b\n"})
    stuck, sound = repo.git("rev-parse", "HEAD:a.py"), repo.git("rev-parse", "HEAD:b.py")
    path = repo.root / ".git/objects" / stuck[:2] / stuck[2:]
    path.unlink()
    os.mkfifo(path)
    with BlobReader(Git(repo.root / ".git")) as reader:
        assert reader.read(stuck) is None
        assert reader.read(sound) == b"b\n"
