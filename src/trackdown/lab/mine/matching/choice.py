"""Which of the commits that name an issue resolved it? One within its life, nearest to its closing, that edits code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trackdown.lab.mine.archives.issue import ArchivedIssue, seconds_of
from trackdown.lab.mine.matching.edits import MOST_FILES, PathChanges, modified_sources
from trackdown.lab.mine.matching.history import IssueHistory

NO_COMMIT, NOT_IN_LIFE, NOT_GOLD = (
    "no commit names it",
    "no commit within its life",
    "its commits change none of the files that the archive names",
)
_DAY = 86_400
_AFTER_CLOSING = 7 * _DAY
_LONGEST_LIFE = 4 * 365 * _DAY
_FOREVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Resolution:
    """The commit that resolved an issue, by number, and the source files that it modified."""

    commit: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitChoice:
    """Chooses among commits between `since` and `until`, in seconds since 1970."""

    history: IssueHistory
    most_files: int = MOST_FILES
    since: int = 0
    until: int = _FOREVER

    def candidates(self, issue: ArchivedIssue) -> list[int]:
        """The commits that the archive or the history connects with an issue."""
        told = [self.history.known(oid) for oid in issue.commits]
        if issue.pull or issue.base:
            told += [self.history.pulls.get(issue.pull), self.history.child_of(issue.base)]
        found = dict.fromkeys(commit for commit in told if commit is not None)
        return [*found, *(commit for commit in self.history.resolving(issue.id) if commit not in found)]

    def best(
        self, issue: ArchivedIssue, candidates: Iterable[int], changes: Mapping[str, PathChanges]
    ) -> Resolution | str:
        """The resolution of an issue, or the rule that leaves it out."""
        created, closed = seconds_of(issue.created), seconds_of(issue.closed)
        first = max(self.since, created - _DAY if created is not None else 0)
        if closed is not None:
            last = closed + _AFTER_CLOSING
        else:
            last = created + _LONGEST_LIFE if created is not None else _FOREVER
        alive = [one for one in candidates if first <= self.history.date(one) <= min(last, self.until)]
        if not alive:
            return NOT_IN_LIFE
        rules: list[str] = []
        found: list[tuple[int, int, int, Resolution]] = []
        for commit in alive:
            files, rule = modified_sources(changes.get(self.history.ref(commit).oid), self.most_files)
            agreeing = sum(_is_among(path, issue.files) for path in files)
            if not rule and issue.files and not agreeing:
                rule = NOT_GOLD
            if rule:
                rules.append(rule)
                continue
            date = self.history.date(commit)
            distance = abs(date - closed) if closed is not None else date
            found.append((-agreeing, distance, commit, Resolution(commit, files)))
        return min(found, key=lambda one: one[:3])[3] if found else rules[0]


def _is_among(path: str, named: Iterable[str]) -> bool:
    """Whether a path is named, in full or by its end: some archives name classes' files only."""
    return any(path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}") for name in named)
