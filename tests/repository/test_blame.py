"""Which commit last changed each line."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Repo
from trackdown.repository import Git, blame_lines, ignored_revisions


def git_of(repo: Repo) -> Git:
    return Git(repo.root / ".git", repo.root)


def test_lines_of_a_revision_and_of_the_work_tree(repo: Repo) -> None:
    first = repo.commit("Write it", {"a.py": "a\nb\nc\nd\n"})
    second = repo.commit("Change c", {"a.py": "a\nb\nC\nd\n"})
    found = blame_lines(git_of(repo), "a.py", 1, 4, second)
    assert [(one.first, one.last, one.oid) for one in found] == [(1, 2, first), (3, 3, second), (4, 4, first)]
    assert (found[1].author, found[1].time, found[1].subject) == ("Ada", 1_600_000_120, "Change c")
    now = blame_lines(git_of(repo), "a.py", 1, 3, None, b"a\nnew\nC\nd\n")
    assert [(one.first, one.oid) for one in now] == [(1, first), (2, ""), (3, second)]


def test_lines_keep_the_name_that_the_file_had(repo: Repo) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    first = repo.commit("Write it", {"old.py": text})
    repo.git("mv", "old.py", "new.py")
    repo.commit("Rename it")
    (found,) = blame_lines(git_of(repo), "new.py", 3, 5, "HEAD")
    assert (found.oid, found.path, found.original_line) == (first, "old.py", 3)


def test_a_file_that_git_does_not_track_has_no_commits(repo: Repo) -> None:
    repo.commit("first", {"a.py": "a\n"})
    (found,) = blame_lines(git_of(repo), "b.py", 1, 2, None, b"x\ny\n")
    assert (found.first, found.last, found.oid) == (1, 2, "")


def test_commits_that_only_reformat_are_passed_over(repo: Repo) -> None:
    first = repo.commit("Write it", {"a.py": "call( 1,2 )\n"})
    second = repo.commit("Format it", {"a.py": "call(1, 2)\n"})
    assert ignored_revisions(f"# formatting\n{second} # black\nnonsense\n") == (second,)
    (found,) = blame_lines(git_of(repo), "a.py", 1, 1, "HEAD", ignored=[second])
    assert found.oid == first


def test_no_program_of_the_repository_runs(repo: Repo, tmp_path: Path) -> None:
    repo.commit("first", {".gitattributes": "*.py diff=evil filter=evil\n", "a.py": "1\n"})
    trap = tmp_path / "ran"
    for key in ("diff.evil.textconv", "filter.evil.clean", "filter.evil.process", "core.fsmonitor"):
        repo.git("config", key, f"touch {trap};cat")
    repo.git("config", "blame.ignoreRevsFile", "/nowhere")
    blame_lines(git_of(repo), "a.py", 1, 1, "HEAD")
    blame_lines(git_of(repo), "a.py", 1, 1, None, b"1\n")
    assert not trap.exists()
