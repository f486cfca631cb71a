"""A repository's history as far as matching needs it: which commits name which issues, and which merge brought them in.

All commits are streamed from git once. Kept of each are its id, its parents and its date; messages are not.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from trackdown.lab.mine.changes import running_git
from trackdown.lab.mine.filters import is_by_a_bot, is_dependency_update, is_release, is_revert
from trackdown.lab.mine.matching.references import References, merged_pull
from trackdown.repository import CommitFacts, CommitRef, Git, git_error, read_rest
from trackdown.types import Progress, no_progress

MOST_CLOSED = 3
"""A merge that closes more issues than this resolves none of them alone."""
_LAST_SECOND = 1 << 40
_LOG = ("log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8")
_FORMAT = "--format=tformat:%H%x01%P%x01%ct%x01%an%x01%B"
_LABEL = re.compile(
    r"\A\W{0,3}(?:merge [^:\n]{0,80}:\s|\[?[A-Z][A-Z0-9]{1,9}[-_ ]?\d+\]?\W{0,4}|(?:trac )?#\d+:\s)", re.I
)
_NO_FIX = re.compile(
    r"\A\W{0,3}(?:roll-?up\b|cherry-?pick|back-? ?port|merge (?:remote-tracking|tag)\b"
    r"|merge branch '?(?:master|main|trunk|develop)\b|merge branch \S{1,100} of )"
    r"|\brollup of\b|\baddress(?:ing|ed|es)? (?:the )?(?:pr |code )?(?:review )?comments?\b",
    re.I,
)


@dataclass(slots=True)
class IssueHistory:
    """Commits by number. `mentions` maps an issue's id to the commits that name it, `pulls` a pull request's to its
    merge, `outside` are ids that commits name and the archive lacks.
    """

    mentions: dict[str, set[int]] = field(default_factory=dict)
    pulls: dict[str, int] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    _oids: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _parents: list[tuple[int, ...]] = field(default_factory=list)
    _dates: array[int] = field(default_factory=lambda: array("q"))
    _unfit: set[int] = field(default_factory=set)
    _pull_of: dict[int, str] = field(default_factory=dict)
    _brought: array[int] = field(default_factory=lambda: array("l"))
    _named_by: dict[int, set[str]] = field(default_factory=dict)
    _after: dict[int, int] = field(default_factory=dict)

    def number_of(self, oid: str) -> int:
        """The number of a commit, which it gets when it is first heard of."""
        number = self._numbers.setdefault(oid, len(self._oids))
        if number == len(self._oids):
            self._oids.append(oid)
            self._parents.append(())
            self._dates.append(0)
        return number

    def known(self, oid: str) -> int | None:
        """The number of a commit of this history; None for any other."""
        number = self._numbers.get(oid)
        return number if number is not None and self._dates[number] else None

    def add(self, commit: CommitFacts, named: Collection[str]) -> None:
        """Take a commit, newest first, and the ids of the issues that its message names."""
        number = self.number_of(commit.oid)
        self._parents[number] = tuple(map(self.number_of, commit.parents))
        self._dates[number] = min(max(1, commit.time), _LAST_SECOND)
        pull = merged_pull(commit.message)
        if (named or pull or len(commit.parents) > 1) and is_no_fix(commit):
            self._unfit.add(number)
        elif pull:
            self._pull_of[number] = pull
            self.pulls.setdefault(pull, number)
        for issue in named:
            self.mentions.setdefault(issue, set()).add(number)

    def link(self, issue: str, pull: str) -> None:
        """Say that a pull request resolves an issue; it counts if the pull request was merged."""
        if pull in self.pulls:
            self.mentions.setdefault(issue, set()).add(self.pulls[pull])

    def close(self, head: str) -> None:
        """Find the merge that brought each commit in. Call it when all commits and links are there."""
        self._brought = array("l", [-1]) * len(self._oids)
        line: list[int] = []
        number: int | None = self._numbers[head]
        while number is not None and self._brought[number] < 0:
            line.append(number)
            self._brought[number] = number
            parent = next(iter(self._parents[number]), None)
            if parent is not None:
                self._after[parent] = number
            number = parent
        for merge in reversed(line):
            todo = list(self._parents[merge][1:])
            while todo:
                commit = todo.pop()
                if self._brought[commit] < 0:
                    self._brought[commit] = merge
                    todo += self._parents[commit]
        for issue, commits in self.mentions.items():
            for commit in commits:
                self._named_by.setdefault(self._brought[commit], set()).add(issue)

    def resolving(self, issue: str) -> list[int]:
        """The commits that may have resolved an issue.

        A commit on a branch stands for the merge that brought it in if nothing there names another issue.
        """
        found: dict[int, None] = {}
        for commit in sorted(self.mentions.get(issue, ())):
            merge = self._brought[commit]
            named = len(self._named_by.get(merge, ()))
            if merge == commit and len(self._parents[commit]) > 1 and named > MOST_CLOSED:
                continue
            chosen = merge if named == 1 and merge >= 0 and merge not in self._unfit else commit
            if not {chosen, commit} & self._unfit:
                found[chosen] = None
        return list(found)

    def child_of(self, base: str) -> int | None:
        """The commit on the main line whose first parent is this one."""
        return self._after.get(self._numbers.get(base, -1))

    def date(self, commit: int) -> int:
        """When it was committed, in seconds since 1970."""
        return self._dates[commit]

    def ref(self, commit: int) -> CommitRef:
        """Its id, and that of its first parent if it has one."""
        return CommitRef(self._oids[commit], tuple(self._oids[parent] for parent in self._parents[commit][:1]))

    def pull_of(self, commit: int) -> str:
        """The number of the pull request that it merged; empty for none."""
        return self._pull_of.get(commit, "")


def is_no_fix(commit: CommitFacts) -> bool:
    """Whether a message says that its commit resolves nothing by itself: a revert, a release, a roll-up, a backport."""
    if is_by_a_bot(commit, "") and not merged_pull(commit.message):
        return True
    bare = CommitFacts(commit.oid, [], 0, "", _LABEL.sub("", commit.message, count=1), [])
    if any(rule(one, "") for rule in (is_revert, is_dependency_update) for one in (commit, bare)):
        return True
    subject = bare.message.partition("\n")[0]
    return is_release(commit, "") or _NO_FIX.search(subject) is not None


def read_history(
    git: Git, head: str, references: References, ids: Collection[str], progress: Progress = no_progress
) -> IssueHistory:
    """The history of a commit; `ids` are those of the archive. Raises GitError when git cannot go on."""
    history = IssueHistory()
    projects = {issue.rpartition("-")[0] for issue in ids}
    for seen, commit in enumerate(_commits(git, head), 1):
        named = {issue for issue in references(commit.message) if issue.rpartition("-")[0] in projects}
        history.add(commit, named)
        history.outside |= named.difference(ids)
        progress("history", seen, None)
    return history


def _commits(git: Git, head: str) -> Iterator[CommitFacts]:
    with running_git(git, *_LOG, _FORMAT, head) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        rest = b""
        while chunk := process.stdout.read(1 << 18):
            *records, rest = (rest + chunk).split(b"\0")
            yield from map(_parsed, records)
        error = read_rest(process.stderr)
        if process.wait():
            raise git_error(error, process.returncode)


def _parsed(record: bytes) -> CommitFacts:
    oid, parents, time, author, message = record.decode("utf-8", "replace").split("\x01", 4)
    return CommitFacts(oid, parents.split(), int(time), author, message, [])
