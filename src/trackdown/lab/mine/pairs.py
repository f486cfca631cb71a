"""A repository's history → queries, the units that answer them, and units beside those.

A commit's message asks for the functions and classes that it edited, as they were before it. A docstring or leading
comment asks for its function. Units of the same files and of the rest of the repository are there to be told apart from
the answers. Only the old side of each change is parsed and git is streamed, so a thousand commits take a few seconds.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from trackdown.errors import EmptyRepository, UsageError
from trackdown.lab.mine.changes import ChangedSides, ChangeReader, commits_here, newest_first, read_subjects
from trackdown.lab.mine.dataset import NO_PARENT, SAID_BEFORE, UNREADABLE
from trackdown.lab.mine.documents import (
    Document,
    document,
    edited_units,
    is_foreign,
    is_own_code,
    read_units,
    telling_spans,
    without_docstring,
)
from trackdown.lab.mine.filters import MASS_CHANGE, MERGE, NO_CONTENT, CommitFilters, says_nothing
from trackdown.lab.mine.harvest import Harvest, HarvestLimits, MinedExample
from trackdown.lab.mine.messages import (
    Once,
    clean_message,
    clean_subject,
    code_fingerprint,
    folded_subject,
    query_fingerprint,
)
from trackdown.repository import (
    BlobReader,
    CommitFacts,
    CommitRef,
    Git,
    Source,
    commit_snapshot,
    open_source,
    read_commits,
)
from trackdown.types import FUNCTION_KINDS, Progress, no_progress
from trackdown.units import Unit

NOT_COMPARED, LIKE_ANOTHER = "cannot be compared", "query like another"
SHORT = "short message"
NO_UNIT, MANY_UNITS, FOREIGN = "no unit edited", "too many units edited", "vendored or generated file"
_BATCH = 256
_LONGEST_MESSAGE = 4000
_MOST_ANSWERS = 12
_SIBLINGS = 4
_MOST_RENAMES = 400


def harvest(
    place: str | os.PathLike[str],
    name: str,
    limits: HarvestLimits | None = None,
    progress: Progress = no_progress,
    rewritten: Mapping[str, str] | None = None,
    pull_requests: Container[str] = (),
) -> Harvest:
    """Mine the history of HEAD and its present functions.

    With `rewritten` (commit → the issue behind it) nothing but the units that those commits edited and some beside
    them is taken: neither the rest of the history nor the present state. Those among `pull_requests` are known by the
    text of a pull request, which tells more than an issue. Raises UsageError for what is no repository,
    EmptyRepository for one without commits, and GitError for one that cannot be read.
    """
    limits = limits or HarvestLimits()
    source, git, head = open_history(place)
    found = Harvest(name)
    with BlobReader(git) as blobs:
        commits = _Commits(git, blobs, found, limits, rewritten, pull_requests)
        if rewritten is not None:
            commits.take_all(chosen_batches(git, rewritten), progress)
        else:
            commits.take_all(newest_first(git, head, batch=_BATCH), progress, read_subjects(git, head))
            PresentState(blobs, found, limits).take_all(source, head, progress)
    return found


def open_history(place: str | os.PathLike[str]) -> tuple[Source, Git, str]:
    """A repository, its git and the commit that HEAD names. Raises as `harvest` does."""
    source = open_source(place)
    if source.git is None:
        raise UsageError(f"{source.name} is a plain folder: there is no history to learn from")
    head = source.head()
    if head is None:
        raise EmptyRepository(f"{source.name} has no commit yet: there is no history to learn from")
    return source, source.git, head


def chosen_batches(git: Git, commits: Iterable[str]) -> Iterator[list[CommitRef]]:
    """Those of the commits that are here, in batches, each with its first parent: a merge is what it brought there."""
    here = [CommitRef(commit.oid, commit.parents[:1]) for commit in commits_here(git, commits)]
    for first in range(0, len(here), _BATCH):
        yield here[first : first + _BATCH]


class _Commits:
    """Goes through commits, newest first, and collects examples."""

    def __init__(
        self,
        git: Git,
        blobs: BlobReader,
        found: Harvest,
        limits: HarvestLimits,
        rewritten: Mapping[str, str] | None,
        pull_requests: Container[str],
    ) -> None:
        self._git, self._blobs, self._found, self._limits = git, blobs, found, limits
        self._rewritten = rewritten or {}
        self._pull_requests = pull_requests
        self._filters = CommitFilters(limits.files)
        self._asked = Once()
        self._to_come: Counter[str] = Counter()
        self._random = random.Random(limits.seed)
        self._changes = ChangeReader(git, context=0, statuses="MRD", most_renames=_MOST_RENAMES)
        self._file = lru_cache(maxsize=64)(self._read_file)

    def take_all(
        self, batches: Iterable[Sequence[CommitRef]], progress: Progress, subjects: Iterable[str] = ()
    ) -> None:
        """Go through batches until there is enough, or the time is over. `subjects` are those of all commits."""
        self._to_come = Counter(map(folded_subject, subjects))
        deadline = time.monotonic() + self._limits.seconds
        for batch in batches:
            for _ in self._take(batch):
                progress("commits", len(self._found.examples), self._limits.cases)
                if len(self._found.examples) >= self._limits.cases or time.monotonic() > deadline:
                    return

    def _take(self, batch: Sequence[CommitRef]) -> Iterator[None]:
        """Take what becomes an example; a step for each commit that passes the rules on messages."""
        commits = {commit.oid: commit for commit in read_commits(self._git, batch)}
        kept: dict[str, CommitRef] = {}
        for listed in batch:
            commit = commits.get(listed.oid)
            rule = self._rule(listed, commit)
            self._found.looked_at += 1
            self._follow(commit)
            if rule is not None or commit is None:
                self._found.dropped[rule or UNREADABLE] += 1
            else:
                kept[listed.oid] = listed
        touched: dict[str, list[ChangedSides]] = {oid: [] for oid in kept}
        for oid, file in self._changes.read(list(kept.values())):
            touched[oid].append(file)
        for oid, files in touched.items():
            rule = NOT_COMPARED if oid in self._changes.failed else self._add(commits[oid], files)
            if rule is not None:
                self._found.dropped[rule] += 1
            yield

    def _rule(self, listed: CommitRef, commit: CommitFacts | None) -> str | None:
        if listed.is_merge:
            return MERGE
        if commit is None or not commit.parents:
            return NO_PARENT
        if listed.oid in self._rewritten:  # somebody matched it with an issue: how its message reads doesn't matter
            return NO_CONTENT if says_nothing(commit, self._rewritten[listed.oid]) else None
        subject = folded_subject(commit.message.split("\n", 1)[0])
        self._to_come[subject] -= 1
        if self._to_come[subject] > 0:
            return SAID_BEFORE
        if len(clean_message(commit.message).split()) < self._limits.words:
            return SHORT
        return self._filters.fitting_rule(commit, clean_subject(commit.message))

    def _follow(self, commit: CommitFacts | None) -> None:
        for change in commit.changes if commit is not None else ():
            if change.old_path is not None:
                self._found.rename(os.fsdecode(change.old_path), os.fsdecode(change.path))

    def _add(self, commit: CommitFacts, touched: Sequence[ChangedSides]) -> str | None:
        """Make an example, or say which rule dropped it."""
        answers: dict[int, None] = {}
        beside: dict[int, None] = {}
        if len(touched) > self._limits.files:
            return MASS_CHANGE
        for file in touched:
            if is_foreign(file.old_path):
                self._found.dropped[FOREIGN] += 1
            elif is_own_code(file.old_path) and file.hunks and file.old_oid:
                units, lines = self._file(file.old_path, file.old_oid)
                edited = edited_units(units, telling_spans(file.hunks))
                for unit in edited:
                    answers[self._number(file.old_path, unit, lines)] = None
                others = [unit for unit in units if unit not in edited and unit.kind in FUNCTION_KINDS]
                for unit in self._random.sample(others, min(_SIBLINGS, len(others))) if edited else ():
                    beside[self._number(file.old_path, unit, lines)] = None
        if not 0 < len(answers) <= _MOST_ANSWERS:
            return MANY_UNITS if answers else NO_UNIT
        subject, rewritten = clean_subject(commit.message), self._rewritten.get(commit.oid, "")
        if not self._asked.is_new(query_fingerprint(rewritten or subject)):
            return LIKE_ANOTHER
        self._found.examples.append(
            MinedExample(
                "pull_request" if commit.oid in self._pull_requests else "commit",
                commit.oid,
                commit.time,
                subject,
                clean_message(commit.message)[:_LONGEST_MESSAGE],
                tuple(os.fsdecode(change.old_path or change.path) for change in commit.changes)
                or tuple(file.old_path for file in touched),
                tuple(answers),
                tuple(number for number in beside if number not in answers),
                rewritten,
            )
        )
        return None

    def _number(self, path: str, unit: Unit, lines: Sequence[str]) -> int:
        return self._found.number(document(path, unit, lines))

    def _read_file(self, path: str, oid: str) -> tuple[tuple[Unit, ...], list[str]]:
        return read_units(self._blobs, path, oid)


LIKE_ANOTHER_DOCSTRING = "docstring like another"
LIKE_OTHER_CODE = "function like another"


class PresentState:
    """Takes functions of a commit's snapshot, files in random order, up to the limits."""

    def __init__(self, blobs: BlobReader, found: Harvest, limits: HarvestLimits) -> None:
        self._blobs, self._found, self._limits = blobs, found, limits
        self._asked = self._others = 0
        self._said, self._done = Once(), Once()

    def take_all(self, source: Source, head: str, progress: Progress = no_progress) -> None:
        """Go through the files until there is enough, or half the time for commits has passed."""
        files = [file for file in commit_snapshot(source, head).files if is_own_code(file.path)]
        random.Random(self._limits.seed).shuffle(files)
        deadline = time.monotonic() + self._limits.seconds / 2
        for number, file in enumerate(files):
            enough = self._asked >= self._limits.docstrings and self._others >= self._limits.others
            if enough or time.monotonic() > deadline:
                return
            self._take(file.path, file.oid, head)
            progress("docstrings", number + 1, len(files))

    def _take(self, path: str, oid: str, head: str) -> None:
        units, lines = read_units(self._blobs, path, oid)
        for unit in units:
            if unit.kind not in FUNCTION_KINDS:
                continue
            whole = document(path, unit, lines)
            query, code = without_docstring(whole.code, whole.language)
            if not self._done.is_new(code_fingerprint(code)):
                self._found.dropped[LIKE_OTHER_CODE] += 1
            elif query and self._asked < self._limits.docstrings and self._is_said_first(query):
                number = self._found.number(Document(whole.path, whole.symbol, whole.kind, whole.language, code))
                self._found.examples.append(MinedExample("docstring", head, 0, query, query, (path,), (number,), ()))
                self._asked += 1
            elif self._others < self._limits.others:
                self._found.number(whole)
                self._others += 1

    def _is_said_first(self, query: str) -> bool:
        if self._said.is_new(query_fingerprint(query)):
            return True
        self._found.dropped[LIKE_ANOTHER_DOCSTRING] += 1
        return False
