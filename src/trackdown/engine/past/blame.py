"""Who last changed some lines, when, in which commit, and the issue that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trackdown.engine.navigation.questions import path_from_root, target_resolver
from trackdown.engine.searching.filters import lies_below
from trackdown.errors import RepositoryError, UsageError
from trackdown.index import Corpus
from trackdown.query import issues_named
from trackdown.repository import (
    IGNORED_REVISIONS,
    BlobReader,
    LineOrigin,
    blame_lines,
    blob_id,
    ignored_revisions,
    read_on_disk,
)
from trackdown.types import Progress, SnapshotInfo
from trackdown.units import oid_of_key

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

MOST_LINES = 20_000
_LINES = re.compile(r"(\d{1,9})(?:[-,](\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Neighbouring lines that one commit changed last. `commit` is empty for lines that are not committed yet.

    `time` is the author's, in seconds since the epoch, and `path` the file's name in that commit. `issues` are those
    that its message names.
    """

    start_line: int
    end_line: int
    commit: str
    author: str
    date: str
    time: int
    subject: str
    issues: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class BlamedCommit:
    """A commit behind some lines, and how many. `commit` is empty for what is not committed yet."""

    commit: str
    author: str
    date: str
    subject: str
    issues: tuple[str, ...]
    lines: int


@dataclass(frozen=True, slots=True)
class Blame:
    """Where some lines of a file come from. `symbol` is set if a class or function was asked for."""

    repository: str
    path: str
    symbol: str
    start_line: int
    end_line: int
    lines: tuple[BlamedLines, ...]
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False

    def commits(self) -> tuple[BlamedCommit, ...]:
        """Each commit once, the latest first."""
        first: dict[str, BlamedLines] = {}
        counts: dict[str, int] = {}
        for one in self.lines:
            first.setdefault(one.commit, one)
            counts[one.commit] = counts.get(one.commit, 0) + one.end_line - one.start_line + 1
        ordered = sorted(first.values(), key=lambda one: (bool(one.commit), -one.time, one.start_line))
        return tuple(
            BlamedCommit(one.commit, one.author, one.date, one.subject, one.issues, counts[one.commit])
            for one in ordered
        )


@dataclass(frozen=True, slots=True)
class _BlamedLines:
    """Lines of an indexed file, and the id of its content."""

    path: str
    oid: str
    first: int
    last: int
    symbol: str = ""
    notes: tuple[str, ...] = ()


def find_blame(repository: Repository, target: str, at: str | None, progress: Progress) -> Blame:
    """See `Repository.blame`."""
    source = repository.source
    if source.git is None:
        raise UsageError(f"{source.name} is a plain folder: it has no commits to blame")
    corpus = repository.present_or(at, progress)
    if corpus.snapshot.commit is None:
        raise UsageError(f"{source.name} has no commits yet")
    place = _find(repository, corpus, target)
    notes = [*repository.notes_of(corpus), *place.notes]
    if place.last - place.first >= MOST_LINES:
        notes.append(f"{place.path} has {place.last} lines: the first {MOST_LINES} are shown")
        place = replace(place, last=place.first + MOST_LINES - 1)
    found = _ask_git(corpus, place)
    if source.shallow and any(one.boundary for one in found):
        notes.append("this clone is shallow: what its oldest commits seem to have written may be older")
    return Blame(
        source.name,
        place.path,
        place.symbol,
        place.first,
        place.last,
        tuple(_named(corpus, found)),
        (corpus.snapshot.info,),
        tuple(dict.fromkeys(notes)),
        corpus.partial,
    )


def _ask_git(corpus: Corpus, place: _BlamedLines) -> list[LineOrigin]:
    """The origins of the lines that were indexed, whatever the file is now."""
    snapshot = corpus.snapshot
    source = snapshot.source
    assert source.git is not None
    content = None
    if snapshot.on_disk:
        content = read_on_disk(source.root, place.path)
        if content is None or blob_id(content, source.object_format) != place.oid:
            raise RepositoryError(f"{place.path} changed while it was being read: try again")
    ignored = _ignored(corpus)
    return blame_lines(source.git, place.path, place.first, place.last, snapshot.commit, content, ignored)


def _ignored(corpus: Corpus) -> Sequence[str]:
    """The commits that the repository wants to be passed over because they only reformat."""
    snapshot = corpus.snapshot
    oid = next((file.oid for file in snapshot.files if file.path == IGNORED_REVISIONS), None)
    if oid is None or corpus.history is None or snapshot.source.git is None:
        return ()
    if snapshot.on_disk:
        data = read_on_disk(snapshot.source.root, IGNORED_REVISIONS)
    else:
        with BlobReader(snapshot.source.git) as reader:
            data = reader.read(oid)
    index = corpus.history[0]
    listed = ignored_revisions((data or b"").decode("utf-8", "replace"))
    return [one for one in listed if index.position(one) >= 0]


def _named(corpus: Corpus, found: Sequence[LineOrigin]) -> list[BlamedLines]:
    """The lines with the issues that the messages of their commits name."""
    subjects = {one.oid: one.subject for one in found if one.oid}
    if corpus.history is not None and corpus.messages is not None:
        index = corpus.history[0]
        known = {oid: at for oid in subjects if (at := index.position(oid)) >= 0}
        messages = corpus.messages(list(known.values()))
        subjects |= dict(zip(known, messages, strict=True))
    issues = {oid: issues_named(text) for oid, text in subjects.items()}
    return [
        BlamedLines(
            one.first,
            one.last,
            one.oid,
            one.author if one.oid else "",
            datetime.fromtimestamp(one.time, UTC).strftime("%Y-%m-%d") if one.oid else "",
            one.time if one.oid else 0,
            one.subject if one.oid else "",
            issues.get(one.oid, ()),
            one.path,
        )
        for one in found
    ]


def _find(repository: Repository, corpus: Corpus, target: str) -> _BlamedLines:
    """FILE, FILE:LINE, FILE:FIRST-LAST, FILE:SYMBOL or SYMBOL. Raises UsageError."""
    code = corpus.code
    path, colon, rest = target.rpartition(":")
    lines = _LINES.fullmatch(rest) if colon else None
    name = path_from_root(repository, path if lines else target)
    file = code.files_by_path.get(name) if lies_below(name, repository.within) else None
    if file is not None:
        total = max(1, int(code.file_lines[file]))
        first, last = (int(lines[1]), int(lines[2] or lines[1])) if lines else (1, total)
        if not 1 <= first <= last or first > total:
            unit = "line" if first == last else "lines"
            raise UsageError(f"{name} has no {unit} {rest}: its lines are 1 to {total}")
        return _BlamedLines(name, oid_of_key(code.fact_key(file)), first, min(last, total))
    starts = target_resolver(repository, corpus).find(target)
    node = starts.nodes[0]
    file = code.files_by_path.get(node.path)
    if file is None:
        raise UsageError(f"{target!r} is a folder: give a FILE, FILE:LINE, FILE:FIRST-LAST or a SYMBOL")
    notes: tuple[str, ...] = ()
    if len(starts.nodes) > 1:
        others = ", ".join(f"{one.path}:{one.start_line}" for one in starts.nodes[1:4])
        notes = (f"{target} matches {len(starts.nodes)} places: this is the first; others are {others}",)
    oid = oid_of_key(code.fact_key(file))
    if not node.symbol:
        return _BlamedLines(node.path, oid, 1, max(1, int(code.file_lines[file])), notes=notes)
    return _BlamedLines(node.path, oid, node.start_line, node.end_line, node.symbol, notes)
