"""Fixtures for looks at folders on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Repo
from trackdown.repository import worktree
from trackdown.repository.blobs import read_on_disk


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are read from now on."""
    found: list[str] = []

    def counted(root: Path, path: str, max_bytes: int | None = None) -> bytes | None:
        found.append(path)
        return read_on_disk(root, path, max_bytes)

    monkeypatch.setattr(worktree, "read_on_disk", counted)
    return found


@pytest.fixture
def settle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function after which what was changed counts as old: the two seconds of the racy rule, made short."""
    monkeypatch.setattr(worktree, "_RACY_NS", 20_000_000)
    return lambda: time.sleep(0.04)


@pytest.fixture(params=["git", "plain"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    """A repository, and the same files without git."""
    made = Repo(tmp_path / "place")
    made.commit("Begin", {"a.py": "a1\n", "pkg/b.py": "b1\n", ".gitignore": "*.tmp\n"})
    made.write(".git/info/exclude", ".gitignore\n")
    made.git("rm", "-q", "--cached", ".gitignore")
    made.git("commit", "-q", "-m", "Keep the ignore file out")
    if request.param == "plain":
        (made.root / ".git").rename(tmp_path / "taken-away")
        (made.root / ".gitignore").write_text("*.tmp\n.gitignore\n")
    return made
