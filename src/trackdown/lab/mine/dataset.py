"""A repository's own history → cases: a commit's message is the query, what the commit edited is the truth."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from trackdown.errors import EmptyRepository, GitError, UsageError
from trackdown.lab import Case, Protocol
from trackdown.lab.mine.changes import newest_first, read_patches, read_subjects
from trackdown.lab.mine.filters import DUPLICATE, MERGE, CommitFilters, is_changelog
from trackdown.lab.mine.issue_writer import CommitText, IssueWriter, RewritingReport, new_identifiers
from trackdown.lab.mine.messages import clean_message, clean_subject, folded_subject
from trackdown.lab.mine.truth import CommitChange, HeadTruth, PastTruth, TruthOf
from trackdown.repository import BlobReader, CommitFacts, CommitRef, Git, open_source, read_commits, role_of
from trackdown.types import PROSE, TEST, Progress, no_progress

QueryFrom = Literal["subject", "message", "rewritten"]

NO_PARENT, UNREADABLE, NOTHING_THERE = "no parent", "cannot be read", "nothing of it exists"
NO_SYMBOL = "no function or class edited"
SAID_BEFORE = "an earlier commit says the same"
_BATCH = 256
_ID_LENGTH = 12
_QUERIES: dict[str, Callable[[str], str]] = {
    "subject": clean_subject,
    "message": clean_message,
    "rewritten": clean_subject,
}
MINED = ("git", "rewritten")
"""The sources of cases that were mined; the query of one that was rewritten is no longer the commit's own."""


class MinedCases(list[Case]):
    """Cases, newest first. Each of the `looked_at` commits is a case or was dropped by the rule that counts it.

    `rewriting` reports on their queries, if a language model was to rewrite them.
    """

    def __init__(
        self,
        cases: Iterable[Case] = (),
        dropped: Mapping[str, int] | None = None,
        looked_at: int = 0,
        rewriting: RewritingReport | None = None,
    ) -> None:
        super().__init__(cases)
        self.dropped = dict(dropped or {})
        self.looked_at = looked_at
        self.rewriting = rewriting


def build_from_git(
    place: str | os.PathLike[str],
    *,
    max_cases: int = 200,
    query_from: QueryFrom = "subject",
    protocol: Protocol = "past",
    max_files: int = 10,
    symbols: bool = False,
    tests: bool = True,
    prose: bool = True,
    changelogs: bool = False,
    writer: IssueWriter | None = None,
    progress: Progress = no_progress,
) -> MinedCases:
    """Mine cases from the history of HEAD, newest first, until `max_cases` are there.

    The truth of `past` is what a commit edited, under the paths before it: search at `commit^`. That of `head` is what
    it touched and still exists, under its present path. `symbols` True keeps to commits whose truth holds a function or
    class. `tests` and `prose` False leave such files out of the truth, as
    changelogs are unless they are asked for: they change with everything. A place below the root keeps to the files
    there. Queries that are `rewritten` are written by `writer`; where it fails the subject stays. Raises UsageError for
    a plain folder and for wrong arguments, EmptyRepository before the first commit, and
    whatever opening the place raises.
    """
    if max_cases < 1 or max_files < 1:
        raise UsageError("max_cases and max_files must be 1 or more")
    if query_from not in _QUERIES:
        raise UsageError(f"query_from must be subject, message or rewritten, not {query_from!r}")
    if (query_from == "rewritten") != (writer is not None):
        raise UsageError("queries are rewritten by a language model: name one (--llm), and ask for rewritten queries")
    if protocol not in ("past", "head"):
        raise UsageError(f"protocol must be past or head, not {protocol!r}")
    source = open_source(place)
    if source.git is None:
        raise UsageError(f"{source.name} is a plain folder: cases are mined from the history of a git repository")
    head = source.head()
    if head is None:
        raise EmptyRepository(f"{source.name} has no commit yet: there is no history to mine")
    roles = {TEST: tests, PROSE: prose}

    def wanted(path: str) -> bool:
        if not changelogs and is_changelog(path):
            return False
        return _is_below(path, source.subfolder) and roles.get(role_of(path), True)

    with BlobReader(source.git) as blobs:
        truth_of: TruthOf = PastTruth(source.git, blobs) if protocol == "past" else HeadTruth(source, head, blobs)
        subjects = Counter(map(folded_subject, read_subjects(source.git, head)))
        filters = CommitFilters(max_files)
        query_of = _QUERIES[query_from]
        keeps = writer is not None
        miner = _Miner(source.git, truth_of, wanted, filters, query_of, protocol, symbols, subjects, keeps)
        for batch in newest_first(source.git, head, batch=_BATCH):
            miner.look_at(batch, max_cases, progress)
            if len(miner.cases) >= max_cases:
                break
        cases = miner.cases if writer is None else miner.rewritten(writer, blobs, progress)
    dropped = dict(sorted(miner.filters.dropped.items(), key=lambda item: -item[1]))
    return MinedCases(cases, dropped, miner.looked_at, None if writer is None else writer.done)


@dataclass
class _Miner:
    """Goes through commits, newest first, and collects cases."""

    git: Git
    truth_of: TruthOf
    wanted: Callable[[str], bool]
    filters: CommitFilters
    query_of: Callable[[str], str]
    protocol: Protocol
    symbols: bool
    subjects: Counter[str]
    keeps_changes: bool = False
    cases: list[Case] = field(default_factory=list)
    looked_at: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    taken: list[tuple[str, CommitChange]] = field(default_factory=list)

    def look_at(self, batch: Sequence[CommitRef], max_cases: int, progress: Progress) -> None:
        """Take what becomes a case, and stop when there are enough."""
        commits = {commit.oid: commit for commit in read_commits(self.git, batch)}
        rules: dict[str, str | None] = {}
        present: dict[str, dict[str, str]] = {}
        for listed in batch:
            commit = commits.get(listed.oid)
            rules[listed.oid] = self._rule(listed, commit)
            if commit is not None:
                present[listed.oid] = self._follow(commit)
        patches = read_patches(self.git, [oid for oid, rule in rules.items() if rule is None])
        for listed in batch:
            if len(self.cases) >= max_cases:
                return
            rule = rules[listed.oid]
            if rule is None:
                found = patches.get(listed.oid)
                parent = listed.parents[0] if listed.parents else None
                change = CommitChange(parent, found, present[listed.oid]) if found is not None else None
                rule = self._add(commits[listed.oid], change)
            if rule is not None:
                self.filters.drop(rule)
            self.looked_at += 1
            progress("mine", len(self.cases), max_cases)

    def _rule(self, listed: CommitRef, commit: CommitFacts | None) -> str | None:
        """The rule that drops a commit by its message, its author and its paths."""
        if listed.is_merge:
            return MERGE
        if commit is None:
            return UNREADABLE
        subject = folded_subject(commit.message.split("\n", 1)[0])
        self.subjects[subject] -= 1
        if self.subjects[subject] > 0:
            return SAID_BEFORE
        rule = self.filters.fitting_rule(commit, self.query_of(commit.message))
        if rule is None and not commit.parents and (self.protocol == "past" or not commit.complete):
            return NO_PARENT
        return rule

    def _follow(self, commit: CommitFacts) -> dict[str, str]:
        """The present path of each path behind a commit; older commits see its renames too."""
        present = {}
        before = {}
        for change in commit.changes:
            path = os.fsdecode(change.path)
            present[path] = self.renamed.get(path, path)
            if change.old_path is not None:
                before[os.fsdecode(change.old_path)] = present[path]
        self.renamed |= before
        return present

    def _add(self, commit: CommitFacts, change: CommitChange | None) -> str | None:
        """Make a case, or say which rule dropped it."""
        query = self.query_of(commit.message)
        if change is None:
            return UNREADABLE
        try:
            truth = self.truth_of(change, self.wanted)
        except (GitError, ValueError):
            return UNREADABLE
        if not truth.files:
            return NOTHING_THERE
        if self.symbols and not truth.symbols:
            return NO_SYMBOL
        if not self.filters.take(query):
            return DUPLICATE
        if self.keeps_changes:
            self.taken.append((commit.message, change))
        self.cases.append(
            Case(commit.oid[:_ID_LENGTH], query, truth.files, truth.symbols, "git", commit.oid, self.protocol)
        )
        return None

    def rewritten(self, writer: IssueWriter, blobs: BlobReader, progress: Progress) -> list[Case]:
        """The cases with the queries that a writer gives them; one that it wrote before stays with the first."""
        told = []
        for message, change in self.taken:
            try:
                names = new_identifiers(self.git, blobs, change.parent, change.patches)
            except GitError:
                names = frozenset()
            told.append(CommitText(message, names))
        found = []
        for case, issue in zip(self.cases, writer.write(told, progress), strict=True):
            taken = bool(issue) and self.filters.take(issue)
            found.append(replace(case, query=issue, source="rewritten") if taken else case)
        return found


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
