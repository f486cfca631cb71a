"""A repository's history → what a model learns from: queries, the units that answer them, and units beside those.

A commit's message asks for the functions and classes that the commit edited, as they were before it. A docstring or
leading comment asks for its function. Units of the same files and of the rest of the repository are there to be told
apart from the answers. Only the old side of each change is parsed, and git is streamed, so a thousand commits take
some seconds.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from trackdown.errors import EmptyRepository, GitError, UsageError
from trackdown.lab.mine.changes import newest_first, read_subjects
from trackdown.lab.mine.docstrings import without_docstring
from trackdown.lab.mine.filters import DUPLICATE, MERGE, Filters
from trackdown.lab.mine.messages import clean_message, clean_subject
from trackdown.repository.blobs import BlobReader
from trackdown.repository.content import decode_text
from trackdown.repository.git import Git
from trackdown.repository.history import Commit, Listed, read_commits
from trackdown.repository.roles import role_of
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import Source, open_source
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS, Progress, no_progress
from trackdown.units.extract import extract
from trackdown.units.facts import Unit
from trackdown.units.languages import TEXT, UNCERTAIN, language_of

_KINDS = FUNCTION_KINDS | CLASS_KINDS
_BATCH = 256
_LARGEST_FILE = 200_000
_LONGEST_CODE = 3000
_LONGEST_MESSAGE = 4000
_MOST_ANSWERS = 12
_SIBLINGS = 3
_COMMIT_LINE = re.compile(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_INDEX = re.compile(r"^index ([0-9a-f]{40,64})\.\.")
_DIFF = (
    "diff-tree", "--stdin", "-r", "-p", "-U0", "-M", "-l400", "--no-color", "--no-ext-diff", "--no-textconv",
    "--src-prefix=a/", "--dst-prefix=b/", "--full-index", "--diff-filter=MRD",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """A unit as it was once, at most so long as a model reads."""

    path: str
    symbol: str
    kind: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Example:
    """A query with the numbers of the documents that answer it, and of some that stand beside those.

    `kind` is commit or docstring. `files` are all paths that a commit touched, under their names before it.
    """

    kind: str
    commit: str
    time: int
    subject: str
    message: str
    files: tuple[str, ...]
    answers: tuple[int, ...]
    beside: tuple[int, ...]


@dataclass(slots=True)
class Harvest:
    """All that one repository gives. Examples of commits come newest first."""

    repository: str
    documents: list[Document] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    looked_at: int = 0
    _known: dict[Document, int] = field(default_factory=dict)

    def number(self, document: Document) -> int:
        """The number of a document, which is there once however often it occurs."""
        number = self._known.setdefault(document, len(self.documents))
        if number == len(self.documents):
            self.documents.append(document)
        return number


@dataclass(frozen=True, slots=True)
class Limits:
    """How much to take from one repository. `seconds` bounds the time spent on its commits."""

    cases: int = 3000
    files: int = 10
    docstrings: int = 2500
    others: int = 2500
    seconds: float = 60.0
    seed: int = 0


def harvest(
    place: str | os.PathLike[str], name: str, limits: Limits | None = None, progress: Progress = no_progress
) -> Harvest:
    """Mine the history of HEAD and its present functions. Raises UsageError for what is no repository."""
    limits = limits or Limits()
    source = open_source(place)
    if source.git is None:
        raise UsageError(f"{source.name} is a plain folder: there is no history to learn from")
    head = source.head()
    if head is None:
        raise EmptyRepository(f"{source.name} has no commit yet: there is no history to learn from")
    found = Harvest(name)
    with BlobReader(source.git) as blobs:
        _Commits(source.git, blobs, found, limits).take_all(head, progress)
        _take_present(source, head, blobs, found, limits)
    return found


class _Commits:
    """Goes through commits, newest first, and collects examples."""

    def __init__(self, git: Git, blobs: BlobReader, found: Harvest, limits: Limits) -> None:
        self._git, self._blobs, self._found, self._limits = git, blobs, found, limits
        self._filters = Filters(limits.files)
        self._subjects: Counter[str] = Counter()
        self._random = random.Random(limits.seed)
        self._file = lru_cache(maxsize=64)(self._read_file)

    def take_all(self, head: str, progress: Progress) -> None:
        started = time.monotonic()
        self._subjects = Counter(map(_folded, read_subjects(self._git, head)))
        for batch in newest_first(self._git, head, batch=_BATCH):
            self._take(batch)
            done = len(self._found.examples)
            progress("commits", done, self._limits.cases)
            if done >= self._limits.cases or time.monotonic() - started > self._limits.seconds:
                return

    def _take(self, batch: Sequence[Listed]) -> None:
        commits = {commit.oid: commit for commit in read_commits(self._git, batch)}
        kept: dict[str, Commit] = {}
        for listed in batch:
            commit = commits.get(listed.oid)
            rule = self._rule(listed, commit)
            self._found.looked_at += 1
            if rule is not None or commit is None:
                self._found.dropped[rule or "cannot be read"] += 1
            else:
                kept[listed.oid] = commit
        try:
            for oid, touched in _touched_lines(self._git, list(kept)):
                if len(self._found.examples) < self._limits.cases:
                    self._add(kept[oid], touched)
        except GitError:
            self._found.dropped["cannot be compared"] += len(kept)

    def _rule(self, listed: Listed, commit: Commit | None) -> str | None:
        if listed.is_merge:
            return MERGE
        if commit is None or not listed.parents:
            return "no parent"
        subject = _folded(commit.message.split("\n", 1)[0])
        self._subjects[subject] -= 1
        if self._subjects[subject] > 0:
            return "an earlier commit says the same"
        return self._filters.fitting_rule(commit, clean_subject(commit.message))

    def _add(self, commit: Commit, touched: Sequence[_TouchedFile]) -> None:
        answers: dict[int, None] = {}
        beside: dict[int, None] = {}
        for file in touched:
            if role_of(file.path) != CODE or language_of(file.path) in (TEXT, UNCERTAIN):
                continue
            units, lines = self._file(file.path, file.oid)
            edited = edited_units(units, file.spans)
            for unit in edited:
                answers[self._number(file.path, unit, lines)] = None
            others = [unit for unit in units if unit not in edited and unit.kind in FUNCTION_KINDS]
            for unit in self._random.sample(others, min(_SIBLINGS, len(others))) if edited else ():
                beside[self._number(file.path, unit, lines)] = None
        if not 0 < len(answers) <= _MOST_ANSWERS:
            self._found.dropped["no unit edited" if not answers else "too many units edited"] += 1
            return
        subject = clean_subject(commit.message)
        if not self._filters.take(subject):
            self._found.dropped[DUPLICATE] += 1
            return
        files = tuple(os.fsdecode(change.old_path or change.path) for change in commit.changes)
        self._found.examples.append(
            Example(
                "commit", commit.oid, commit.time, subject, clean_message(commit.message)[:_LONGEST_MESSAGE], files,
                tuple(answers), tuple(number for number in beside if number not in answers),
            )
        )  # fmt: skip

    def _number(self, path: str, unit: Unit, lines: Sequence[str]) -> int:
        return self._found.number(document(path, unit, lines))

    def _read_file(self, path: str, oid: str) -> tuple[tuple[Unit, ...], list[str]]:
        return read_units(self._blobs, path, oid)


def read_units(blobs: BlobReader, path: str, oid: str) -> tuple[tuple[Unit, ...], list[str]]:
    """The functions and classes of a blob and its lines; none of a large, binary or generated one."""
    data = blobs.read(oid, _LARGEST_FILE)
    if data is None or len(data) > _LARGEST_FILE:
        return (), []
    facts = extract(data, language_of(path), path=path)
    if facts.skip:
        return (), []
    return tuple(unit for unit in facts.units if unit.kind in _KINDS), (decode_text(data) or "").split("\n")


def document(path: str, unit: Unit, lines: Sequence[str]) -> Document:
    """A unit as a document."""
    code = "\n".join(lines[unit.start_line - 1 : unit.end_line])[:_LONGEST_CODE]
    return Document(path, unit.symbol, unit.kind, language_of(path), code)


def edited_units(units: Sequence[Unit], spans: Sequence[tuple[int, int]]) -> list[Unit]:
    """The innermost unit around each span of lines. A span (n, n) with n below it is a place between two lines."""
    found: dict[int, Unit] = {}
    for first, last in spans:
        for line in range(first, min(last, first + 400) + 1) if last >= first else (first,):
            for place in range(len(units) - 1, -1, -1):
                unit = units[place]
                end = unit.end_line if last >= first else unit.end_line - 1
                if unit.start_line <= line <= end:
                    found[place] = unit
                    break
    return [found[place] for place in sorted(found)]


@dataclass(frozen=True, slots=True)
class _TouchedFile:
    """A file before a commit, and the spans of its lines that the commit replaced. An empty span is an insertion."""

    path: str
    oid: str
    spans: tuple[tuple[int, int], ...]


def _touched_lines(git: Git, commits: Sequence[str]) -> Iterator[tuple[str, list[_TouchedFile]]]:
    """What each commit touched on the old side, read off the hunks' headers. Raises GitError."""
    if not commits:
        return
    output = git.run(*_DIFF, stdin="".join(f"{commit}\n" for commit in commits).encode("ascii"))
    commit, path, oid = "", "", ""
    files: list[_TouchedFile] = []
    spans: list[tuple[int, int]] = []

    def close() -> None:
        if path and oid and spans:
            files.append(_TouchedFile(path, oid, tuple(spans)))
        spans.clear()

    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        first = line[:1]
        if first in ("+", " ", "\\", "") or (first == "-" and not line.startswith("--- a/")):
            continue
        if (hunk := _HUNK.match(line)) is not None:
            start, count = int(hunk[1]), int(hunk[2] or 1)
            spans.append((start, start + count - 1) if count else (start, start - 1))
        elif line.startswith("diff --git "):
            close()
            path = oid = ""
        elif (index := _INDEX.match(line)) is not None:
            oid = index[1]
        elif line.startswith("--- a/") and not spans:
            path = line[6:].rstrip("\t")
        elif _COMMIT_LINE.match(line):
            close()
            if commit:
                yield commit, files
            commit, files, path, oid = line, [], "", ""
    close()
    if commit:
        yield commit, files


def _take_present(source: Source, head: str, blobs: BlobReader, found: Harvest, limits: Limits) -> None:
    """Docstrings of the present state ask for their functions; functions without one are only there."""
    files = [
        file
        for file in commit_snapshot(source, head).files
        if role_of(file.path) == CODE and language_of(file.path) not in (TEXT, UNCERTAIN)
    ]
    random.Random(limits.seed).shuffle(files)
    asked = others = 0
    seen: set[str] = set()
    deadline = time.monotonic() + limits.seconds / 2
    for file in files:
        if (asked >= limits.docstrings and others >= limits.others) or time.monotonic() > deadline:
            return
        units, lines = read_units(blobs, file.path, file.oid)
        for unit in units:
            if unit.kind not in FUNCTION_KINDS:
                continue
            whole = document(file.path, unit, lines)
            query, code = without_docstring(whole.code, whole.language)
            if query and query not in seen and asked < limits.docstrings:
                seen.add(query)
                number = found.number(Document(whole.path, whole.symbol, whole.kind, whole.language, code))
                found.examples.append(Example("docstring", head, 0, query, query, (file.path,), (number,), ()))
                asked += 1
            elif others < limits.others:
                found.number(whole)
                others += 1


def _folded(subject: str) -> str:
    return " ".join(clean_subject(subject).casefold().split())


__all__ = ["Document", "Example", "Harvest", "Limits", "document", "edited_units", "harvest", "read_units"]
