"""Programs that tests put in git's place, or in git's way."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

_FOUND = shutil.which("git")
assert _FOUND is not None
REAL_GIT = _FOUND


def write_program(path: Path, body: str) -> Path:
    """A shell script at a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def put_in_place_of_git(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str) -> None:
    """Let `git` be a shell script from now on; the real one is at REAL_GIT."""
    write_program(folder / "git", body)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def without_git(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let there be no git on the PATH."""
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))


def children(of: int | None = None) -> set[int]:
    """The processes that a process (this one, unless told) has started and that have not ended."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes are looked up in /proc")
    parent, found = of or os.getpid(), set()
    for entry in os.listdir("/proc"):
        try:
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
        except (OSError, IndexError):
            continue
        if entry.isdigit() and int(fields[1]) == parent and fields[0] != "Z":
            found.add(int(entry))
    return found
