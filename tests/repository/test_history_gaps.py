"""History of clones that lack something: it goes on, says what it does not know, and asks no network."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.repository.programs import REAL_GIT, put_in_place_of_git
from trackdown.errors import GitError, GitTimeout
from trackdown.repository import history as module
from trackdown.repository.git import Git
from trackdown.repository.history import CommitFacts, PathChange, list_commits, read_commits, shallow_commits
from trackdown.repository.source import open_source

LINES = "".join(f"line {number}\n" for number in range(30))


def git_at(place: Path) -> Git:
    found = open_source(place).git
    assert found is not None
    return found


def history(place: Path, *, exact_renames_only: bool = False) -> list[CommitFacts]:
    source = open_source(place)
    head = source.head()
    assert head is not None and source.git is not None
    return list(read_commits(source.git, list_commits(source.git, head), exact_renames_only=exact_renames_only))


def remove(repo: Repo, name: str) -> None:
    """Take an object out of the repository."""
    oid = repo.git("rev-parse", name)
    (repo.root / ".git/objects" / oid[:2] / oid[2:]).unlink()


def make_moves(repo: Repo, count: int) -> None:
    """A first commit, then commits that each rename a file and edit it, so that renames need both contents."""
    repo.commit("Begin", {f"old{number}.py": f"{number}\n" + LINES for number in range(count)})
    for number in range(count):
        repo.git("mv", f"old{number}.py", f"new{number}.py")
        repo.commit(f"Move {number}", {f"new{number}.py": f"{number}\n" + LINES + "more\n"})


def test_the_boundary_of_a_shallow_clone_has_no_changes_and_is_incomplete(repo: Repo, tmp_path: Path) -> None:
    for number in range(4):
        repo.commit(f"Commit {number}", {f"{number}.py": "x\n"})
    for name in ("shallow", "caf\udce9"):
        repo.git("clone", "-q", "--depth=2", f"file://{repo.root}", str(tmp_path / name))
        assert shallow_commits(git_at(tmp_path / name)) == {repo.git("rev-parse", "HEAD~1")}
        boundary, last = history(tmp_path / name)
        assert (boundary.message, boundary.changes, boundary.parents) == ("Commit 2", [], [])
        assert not boundary.complete
        assert (last.message, last.changes, last.complete) == ("Commit 3", [PathChange("A", b"3.py")], True)


def test_the_boundary_is_known_in_a_worktree_of_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}", {f"{number}.py": "x\n"})
    repo.git("clone", "-q", "--depth=1", f"file://{repo.root}", str(tmp_path / "shallow"))
    Repo(tmp_path / "shallow").git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert [commit.complete for commit in history(tmp_path / "side")] == [False]


def test_a_partial_clone_asks_no_network_and_knows_exact_renames_only(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Begin", {"a.py": LINES, "b.py": LINES.upper()})
    repo.git("mv", "a.py", "exact.py")
    repo.git("mv", "b.py", "edited.py")
    repo.commit("Move", {"edited.py": LINES.upper() + "more\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.root}", str(partial))
    objects = {path.name for path in (partial / ".git/objects").rglob("*")}

    source = open_source(partial)
    assert source.partial
    begin, move = history(partial, exact_renames_only=source.partial)
    assert not begin.complete and not move.complete
    assert begin.changes == [PathChange("A", b"a.py"), PathChange("A", b"b.py")]
    assert set(move.changes) == {
        PathChange("R", b"exact.py", b"a.py"),
        PathChange("D", b"b.py"),
        PathChange("A", b"edited.py"),
    }

    asked = history(partial)  # even a reader that wants all renames must not fetch what they need
    assert (asked[0].complete, asked[1].complete) == (True, False)
    assert {path.name for path in (partial / ".git/objects").rglob("*")} == objects
    shutil.rmtree(repo.root)
    assert history(partial, exact_renames_only=True) == [begin, move]


def test_a_clone_without_trees_still_gives_messages(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"Commit {number}", {f"{number}.py": "x\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=tree:0", f"file://{repo.root}", str(tmp_path / "treeless"))
    read = history(tmp_path / "treeless", exact_renames_only=True)
    assert [commit.message for commit in read] == ["Commit 0", "Commit 1", "Commit 2"]
    assert not any(commit.complete or commit.changes for commit in read)


def test_a_commit_whose_renames_need_a_missing_blob_is_incomplete_and_the_stream_goes_on(repo: Repo) -> None:
    make_moves(repo, 3)
    whole = history(repo.root)
    remove(repo, "HEAD~1:new1.py")
    read = history(repo.root)
    assert [commit.complete for commit in read] == [True, True, False, True]
    assert read[:2] == whole[:2] and read[3] == whole[3]
    assert whole[2].changes == [PathChange("R", b"new1.py", b"old1.py")]
    assert (read[2].oid, read[2].message, read[2].parents) == (whole[2].oid, whole[2].message, whole[2].parents)
    assert set(read[2].changes) == {PathChange("D", b"old1.py"), PathChange("A", b"new1.py")}


def test_a_commit_whose_tree_is_missing_keeps_its_message(repo: Repo) -> None:
    make_moves(repo, 3)
    remove(repo, "HEAD~1^{tree}")
    read = history(repo.root)
    assert [commit.message for commit in read] == ["Begin", "Move 0", "Move 1", "Move 2"]
    assert [commit.complete for commit in read] == [True, True, False, False]
    assert read[2].changes == read[3].changes == []


def test_after_many_failures_the_rest_is_read_at_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GIVE_UP_AFTER", 3)
    make_moves(repo, 8)
    for number in range(8):
        remove(repo, f"HEAD~{number}:new{7 - number}.py")
    read = history(repo.root)
    assert [commit.message for commit in read] == ["Begin", *(f"Move {number}" for number in range(8))]
    assert [commit.complete for commit in read] == [True] + [False] * 8
    for number, commit in enumerate(read[1:]):
        assert {change.path for change in commit.changes} == {b"old%d.py" % number, b"new%d.py" % number}


def test_a_missing_commit_is_an_error(repo: Repo) -> None:
    make_moves(repo, 1)
    git = git_at(repo.root)
    listed = list_commits(git, repo.git("rev-parse", "HEAD"))
    remove(repo, "HEAD~1")
    with pytest.raises(GitError) as caught:
        list(read_commits(git, listed))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", [1, 45, 60, 75, 90, 120, 150, 5000])
def test_a_git_that_is_killed_midway_leaves_no_half_commit(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    make_moves(repo, 3)
    whole = history(repo.root)
    once = tmp_path / "done"
    kill = (
        f'case "$*" in *" log "*) if [ ! -e {once} ]; then touch {once}; '
        f'{REAL_GIT} "$@" | head -c {cut}; kill -9 $$; fi;; esac; exec {REAL_GIT} "$@"'
    )
    put_in_place_of_git(monkeypatch, tmp_path / "bin", kill)
    assert history(repo.root) == whole
    assert once.exists()


@pytest.mark.parametrize("first", ["works", "dies"])
def test_a_git_that_works_for_too_long_ends_the_reading_and_no_commit_is_called_incomplete(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    make_moves(repo, 2)
    monkeypatch.setattr(module, "LONGEST_RUN", 0.3)
    die = f"if [ ! -e {tmp_path}/died ]; then touch {tmp_path}/died; exit 1; fi; " if first == "dies" else ""
    work = f'case "$*" in *-l1000*) {die}while :; do :; done;; esac; exec {REAL_GIT} "$@"'
    put_in_place_of_git(monkeypatch, tmp_path / "bin", work)
    with pytest.raises(GitTimeout, match="try again"):
        history(repo.root)
