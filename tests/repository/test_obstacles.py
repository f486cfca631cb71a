"""What keeps git waiting in a work tree: it is found and named, and no process stays behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.odd_files import KINDS, put_odd
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.errors import GitError
from trackdown.repository import obstacles, waiting
from trackdown.repository.obstacles import find_obstacle
from trackdown.repository.source import open_source
from trackdown.repository.worktree import scan_worktree


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_SLOW_RUN", 0.3)
    monkeypatch.setattr(waiting, "_LAST_CHANCE", 0.3)


def children() -> set[str]:
    """The programs that this process has started and that still run."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return {line for line in listed.stdout.splitlines() if "git" in line}


@pytest.mark.parametrize("system_tells", [True, False])
@pytest.mark.parametrize("name", [".gitignore", "deep/er/.gitignore", ".gitattributes"])
def test_a_pipe_in_place_of_a_file_that_git_reads(
    repo: Repo, name: str, system_tells: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not system_tells:
        monkeypatch.setattr(waiting.ProcessWatch, "is_at_pipe", lambda _: False)
    repo.commit("Begin", {"a.py": "a\n"})
    repo.write("a.py", "b\n")  # so that git compares it, and asks for its attributes
    (repo.root / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(repo.root / name)
    before = children()
    with pytest.raises(GitError, match=rf"{name} is a named pipe, not a file: .*; remove it$"):
        scan_worktree(open_source(repo.root), None, 1000)
    assert children() == before


@pytest.mark.parametrize("command", ["ls-files", "status"])
def test_git_is_not_started_where_the_first_ignore_file_is_a_pipe(repo: Repo, command: str) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    source = open_source(repo.root)
    assert source.git is not None
    os.mkfifo(repo.root / ".gitignore")
    with pytest.raises(GitError, match=r"\.gitignore is a named pipe"):
        source.git.stream(command)
    assert source.git.run("ls-tree", "HEAD"), "what reads no ignore file works"


def test_a_pipe_among_the_users_own_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "git").mkdir()
    os.mkfifo(tmp_path / "git" / "ignore")
    assert find_obstacle(None).startswith(f"{tmp_path}/git/ignore is a named pipe")


@pytest.mark.parametrize("name", [".gitignore", ".trackdownignore"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_odd_in_place_of_an_ignore_file_stops_a_scan(repo: Repo, name: str, kind: str) -> None:
    repo.write("a.py", "a\n")
    if name == ".gitignore":
        shutil.rmtree(repo.root / ".git")
    put_odd(repo.root / name, kind)
    snapshot = scan_worktree(open_source(repo.root), None, 1000).snapshot
    assert [file.path for file in snapshot.files] == ["a.py"]


@pytest.mark.parametrize("kind", ["folder", "socket", "zero", "loop"])
def test_git_passes_over_what_is_not_a_file(repo: Repo, kind: str) -> None:
    repo.write("a.py", "a\n")
    put_odd(repo.root / ".gitignore", kind)
    snapshot = scan_worktree(open_source(repo.root), None, 1000).snapshot
    assert [file.path for file in snapshot.files] == ["a.py"]


def test_a_pipe_that_configuration_names_as_ignore_file(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": "a\n"})
    os.mkfifo(tmp_path / "excludes")
    repo.git("config", "core.excludesFile", str(tmp_path / "excludes"))
    with pytest.raises(GitError, match="excludes is a named pipe, not a file"):
        scan_worktree(open_source(repo.root), None, 1000)


def test_a_pattern_that_explodes_in_git_is_named(repo: Repo) -> None:
    repo.write("a/" * 40 + "x.py", "x\n")
    repo.write(".gitignore", "# **/**/**/**/**/**/**/\n" + "**/a/" * 15 + "b\n")
    before = children()
    with pytest.raises(GitError, match=r"takes too long with a pattern in .*\.gitignore: write '\*\*/a/"):
        scan_worktree(open_source(repo.root), None, 1000)
    assert children() == before


def test_git_may_take_its_time_where_nothing_is_wrong(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("Begin", {"a.py": "a\n", ".gitignore": "**/build/**/x\n"})
    monkeypatch.setattr(waiting, "_SLOW_RUN", 0.0)
    assert find_obstacle(repo.root) == ""
    assert len(scan_worktree(open_source(repo.root), None, 1000).snapshot.files) == 2


@pytest.mark.parametrize("innocent", ["pattern", "pipe"])
def test_a_git_that_is_merely_slow_is_waited_for(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, innocent: str
) -> None:
    repo.commit("Begin", {"a.py": "a\n", ".gitignore": "**/" * 7 + "x\n"})
    if innocent == "pipe":
        repo.write(".gitignore", "node_modules/\n")
        repo.write("node_modules/x.js", "x\n")
        os.mkfifo(repo.root / "node_modules/.gitignore")
    assert find_obstacle(repo.root)
    source = open_source(repo.root)
    monkeypatch.setattr(waiting, "_SLOW_RUN", 0.05)
    monkeypatch.setattr(waiting, "_LAST_CHANCE", 8.0)
    slow = f'case "$*" in *--deduplicate*) sleep 0.4;; esac; exec {REAL_GIT} "$@"'
    put_in_place_of_git(monkeypatch, tmp_path / "bin", slow)
    assert len(scan_worktree(source, None, 1000).snapshot.files) == 2


def test_looking_around_ends_in_a_large_work_tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(repo.root / ".gitattributes")
    assert find_obstacle(repo.root)
    monkeypatch.setattr(obstacles, "_LONGEST_LOOK", -1.0)
    assert not find_obstacle(repo.root)
