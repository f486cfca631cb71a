"""The commit that resolved an issue, among those that name it."""

from __future__ import annotations

from dataclasses import replace

from trackdown.lab.mine.archives.issue import ArchivedIssue
from trackdown.lab.mine.matching.choice import NOT_GOLD, NOT_IN_LIFE, CommitChoice, Resolution
from trackdown.lab.mine.matching.edits import NO_SOURCE
from trackdown.lab.mine.matching.history import IssueHistory
from trackdown.repository import CommitFacts

DAY = 86_400
START = 1_600_000_000
ISSUE = ArchivedIssue("1", "It is lost", "…", created=str(START), closed=str(START + 10 * DAY))


def made(*days: int) -> tuple[CommitChoice, dict[str, list[tuple[str, str]]], list[int]]:
    """A history with a commit on each day after START, each of which modifies a file named after the day."""
    history = IssueHistory()
    oids = [f"{number:040x}" for number in range(1, len(days) + 1)]
    for number, (oid, day) in enumerate(zip(oids, days, strict=True)):
        history.add(CommitFacts(oid, oids[number + 1 : number + 2], START + day * DAY, "Ada", "x", []), {"1"})
    history.close(oids[0])
    changes = {oid: [("M", f"day{day}.py")] for oid, day in zip(oids, days, strict=True)}
    return CommitChoice(history), changes, [history.number_of(oid) for oid in oids]


def files(found: Resolution | str) -> tuple[str, ...] | str:
    return found.files if isinstance(found, Resolution) else found


def test_the_nearest_to_the_closing_within_its_life() -> None:
    choice, changes, commits = made(30, 9, 3, -5)
    assert files(choice.best(ISSUE, commits, changes)) == ("day9.py",)
    assert files(choice.best(replace(ISSUE, closed=""), commits, changes)) == ("day3.py",)
    assert files(choice.best(replace(ISSUE, closed="", created=""), commits, changes)) == ("day-5.py",)
    assert choice.best(ISSUE, commits[::3], changes) == NOT_IN_LIFE
    bounded = replace(choice, until=START + 4 * DAY)
    assert files(bounded.best(ISSUE, commits, changes)) == ("day3.py",)


def test_an_issue_without_a_closing_lives_for_years_at_most() -> None:
    choice, changes, commits = made(5 * 365)
    assert choice.best(replace(ISSUE, closed=""), commits, changes) == NOT_IN_LIFE
    late = replace(choice, since=START + 4 * 365 * DAY)
    assert late.best(replace(ISSUE, closed=""), commits, changes) == NOT_IN_LIFE


def test_one_that_changes_no_source_gives_way() -> None:
    choice, changes, commits = made(9, 3)
    changes[next(iter(changes))] = [("M", "README.md")]
    assert files(choice.best(ISSUE, commits, changes)) == ("day3.py",)
    assert choice.best(ISSUE, commits[:1], changes) == NO_SOURCE


def test_files_that_the_archive_names_decide() -> None:
    choice, changes, commits = made(9, 3)
    assert files(choice.best(replace(ISSUE, files=("day3.py",)), commits, changes)) == ("day3.py",)
    assert choice.best(replace(ISSUE, files=("other.py",)), commits, changes) == NOT_GOLD


def test_what_the_archive_says_is_looked_at_first() -> None:
    choice, _, commits = made(9, 3)
    told = replace(ISSUE, commits=(f"{2:040x}", "f" * 40))
    assert set(choice.candidates(told)) == set(commits) and choice.candidates(told)[0] == commits[1]
