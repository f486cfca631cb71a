"""Commits that do not match their objects are found: by their id, and by their parents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.forged import forge_loose, forge_packed
from trackdown.repository.commit_objects import altered_commits
from trackdown.repository.git import Git
from trackdown.repository.history import list_commits, shallow_commits
from trackdown.repository.source import open_source


def git_at(repo: Repo) -> Git:
    git = open_source(repo.root).git
    assert git is not None
    return git


def with_merge(repo: Repo) -> list[str]:
    """Two commits, one on a side branch, and their merge."""
    first = repo.commit("Begin", {"a.py": "a\n"})
    repo.git("switch", "-q", "-c", "side")
    side = repo.commit("Side", {"b.py": "b\n"})
    repo.git("switch", "-q", "main")
    second = repo.commit("Second", {"a.py": "aa\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    return [first, side, second, repo.git("rev-parse", "HEAD")]


def test_commits_of_a_sound_history_match(repo: Repo) -> None:
    tip = with_merge(repo)[-1]
    git = git_at(repo)
    assert altered_commits(git, list_commits(git, tip), ()) == frozenset()
    repo.git("gc", "-q")
    assert altered_commits(git, list_commits(git, tip), ()) == frozenset()


def test_a_parent_that_is_named_twice_is_no_alteration(repo: Repo) -> None:
    first = repo.commit("Begin", {"a.py": "a\n"})
    text = f"tree {repo.git('rev-parse', 'HEAD^{tree}')}\nparent {first}\nparent {first}\n"
    text += "author A <a@b> 1600000000 +0000\ncommitter A <a@b> 1600000000 +0000\n\nTwice\n"
    tip = repo.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text.encode())
    git = git_at(repo)
    assert altered_commits(git, list_commits(git, tip), ()) == frozenset()


@pytest.mark.parametrize("forge", [forge_loose, forge_packed])
@pytest.mark.parametrize("which", [0, 2, 3])
def test_a_forged_commit_is_found(repo: Repo, which: int, forge: Callable[[Path, str, str, bytes], None]) -> None:
    commits = with_merge(repo)
    content = repo.git("cat-file", "commit", commits[which]).replace("Ada", "Eve") + "\n"
    forge(repo.root / ".git", commits[which], "commit", content.encode())
    git = git_at(repo)
    assert altered_commits(git, list_commits(git, commits[-1]), ()) == {commits[which]}


def test_other_parents_than_those_in_the_object_are_found(repo: Repo) -> None:
    _, _, second, merge = with_merge(repo)
    git = git_at(repo)
    listed = list_commits(git, merge)
    cut = [replace(commit, parents=()) if commit.oid == second else commit for commit in listed]
    assert altered_commits(git, cut, ()) == {second}
    assert altered_commits(git, cut, {second}) == frozenset()


def test_a_shallow_clone_is_not_altered(repo: Repo, tmp_path: Path) -> None:
    tip = with_merge(repo)[-1]
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.root}", str(tmp_path / "shallow"))
    git = open_source(tmp_path / "shallow").git
    assert git is not None and shallow_commits(git)
    assert altered_commits(git, list_commits(git, tip), shallow_commits(git)) == frozenset()


def test_grafts_replacements_and_a_commit_graph_change_nothing(repo: Repo) -> None:
    commits = with_merge(repo)
    git = git_at(repo)
    expected = list_commits(git, commits[-1])
    repo.git("commit-graph", "write", "--reachable")
    repo.write(".git/info/grafts", f"{commits[2]}\n")
    repo.git("replace", "--graft", commits[1])
    assert len(repo.git("rev-list", "HEAD").split()) < len(commits)  # git follows both
    assert list_commits(git, commits[-1]) == expected
