"""Which commits resolve which issues, on a real history with branches and merges."""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from trackdown.lab.mine.matching.history import IssueHistory, is_no_fix, read_history
from trackdown.lab.mine.matching.references import references_of
from trackdown.repository import CommitFacts, open_source

IDS = {str(number) for number in range(1, 10)}


def history_of(repo: Repo, *links: tuple[str, str]) -> IssueHistory:
    git = open_source(repo.root).git
    assert git is not None
    head = repo.git("rev-parse", "HEAD")
    history = read_history(git, head, references_of("fixes"), IDS)
    for issue, pull in links:
        history.link(issue, pull)
    history.close(head)
    return history


def branch(repo: Repo, merge: str, *messages: str) -> list[str]:
    """Commits on a branch and the merge that brings them in."""
    repo.git("checkout", "-q", "-b", "side")
    commits = [repo.commit(message, {f"{len(message)}.py": message}) for message in messages]
    repo.git("checkout", "-q", "main")
    repo.commit("Meanwhile")
    repo.git("merge", "-q", "--no-ff", "-m", merge, "side")
    repo.git("branch", "-q", "-D", "side")
    return [*commits, repo.git("rev-parse", "HEAD")]


def resolving(history: IssueHistory, issue: str) -> list[str]:
    return [history.ref(commit).oid for commit in history.resolving(issue)]


def test_a_merge_stands_for_a_branch_that_resolves_one_issue(repo: Repo) -> None:
    repo.commit("Begin")
    *_, merge = branch(repo, "Merge pull request #20 from x", "Prepare the ground", "Fixes #1")
    first, second, _ = branch(repo, "Merge pull request #21 from y", "Fixes #2", "This fixes #3")
    history = history_of(repo)
    assert resolving(history, "1") == [merge]
    assert (resolving(history, "2"), resolving(history, "3")) == ([first], [second])
    assert history.ref(history.pulls["20"]) == history.ref(history.resolving("1")[0])
    assert history.pull_of(history.resolving("1")[0]) == "20"
    assert history.ref(history.pulls["20"]).parents == (repo.git("rev-parse", f"{merge}^1"),)


def test_pull_requests_close_what_their_text_says(repo: Repo) -> None:
    begin = repo.commit("Begin")
    squashed = repo.commit("Lock the pool (#30)")
    many = branch(repo, "Merge pull request #31 from x", "Add tests")[-1]
    links = [("4", "30"), *((issue, "31") for issue in "5678"), ("9", "404")]
    history = history_of(repo, *links)
    assert resolving(history, "4") == [squashed]
    assert many and all(resolving(history, issue) == [] for issue in "56789")
    child = history.child_of(begin)
    assert child is not None and history.ref(child).oid == squashed
    assert history.child_of("0" * 40) is None is history.known("0" * 40)


def test_a_merge_of_the_main_line_stands_for_nothing(repo: Repo) -> None:
    repo.commit("Begin")
    fix, merge = branch(repo, "Merge branch 'master' of git://example.org/x", "Fixes #1")
    assert merge and resolving(history_of(repo), "1") == [fix]


def test_reverts_and_their_like_resolve_nothing(repo: Repo) -> None:
    repo.commit("Begin")
    repo.commit('Revert "Lock the pool"\n\nThis fixes #1')
    repo.commit("Fixes #404")
    history = history_of(repo)
    assert resolving(history, "1") == [] and history.outside == {"404"}


@pytest.mark.parametrize(
    ("message", "is_none"),
    [
        ("Merge #12: Revert the lock", True),
        ("[KEY-1] Revert the lock", True),
        ("Backport the lock, fixes #1", True),
        ("Address review comments, fixes #1", True),
        ("Release 1.2, closes #3", False),
        ("Rollup of 5 pull requests", True),
        ("Bump django from 1.0 to 1.1", True),
        ("Merge pull request #1 from ada/lock", False),
        ("Merge branch 'lock'", False),
        ("Merge branch 'lock' of git://example.org/x", True),
        ("Merge remote-tracking branch 'ada/lock'", True),
        ("Fix the address of comments", False),
    ],
)
def test_messages_of_what_is_no_fix(message: str, is_none: bool) -> None:
    assert is_no_fix(CommitFacts("0" * 40, [], 0, "Ada", message, [])) == is_none
