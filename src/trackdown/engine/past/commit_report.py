"""One commit with its message and diff, and what Trackdown makes of it: the units it changed, the issues it names,
what usually changes together with its files, and similar commits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trackdown.engine.past.changed_units import ChangedUnit, Facts, changed_units
from trackdown.engine.past.co_changes import CoChange, changed_together
from trackdown.engine.past.diff_excerpt import excerpts
from trackdown.engine.past.past_commits import past_commits, present_paths
from trackdown.engine.searching.filters import PathFilter, checked_filters, lies_below
from trackdown.errors import QueryError, UnknownRevision, UsageError
from trackdown.index import Corpus, facts_of_blobs
from trackdown.query import Filters, commits_named, issues_named, understand
from trackdown.repository import CommitHead, FileDiff, PathPatterns, read_diff, read_head, reason_by_name
from trackdown.types import PastCommit, Progress, SnapshotInfo

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

MOST_DIFF_LINES = 20_000
_MOST_FILES, _MOST_READ, _MOST_UNITS = 1000, 100, 300
"""How many files of a commit are listed, how many of them are parsed and shown with their diffs, and how many units."""
_SIMILAR = _TOGETHER = 5
_LONGEST_MESSAGE = 20_000
_SECRET = ("secret", "ignored")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of a commit, with its part of the diff. `old_path` is set for renames; `now` is its present path, None if
    it is gone. `left_out` says why no diff is shown, and `cut` how many lines at the end of it are not.
    """

    path: str
    old_path: str | None
    status: str
    kind: str
    added: int
    removed: int
    now: str | None
    binary: bool = False
    left_out: str = ""
    diff: str = ""
    cut: int = 0


@dataclass(frozen=True, slots=True)
class CommitReport:
    """A commit and what Trackdown makes of it.

    `time` is the author's, in UTC. `issues` and `names` are the issues and the commits that its message speaks of.
    `together` are files that often changed with its files, but not in this commit; `similar` are past commits that
    resemble it, first those that speak of the same issues. The diff of a merge is against its first parent.
    """

    repository: str
    commit: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: str
    subject: str
    message: str
    issues: tuple[str, ...]
    names: tuple[str, ...]
    added: int
    removed: int
    files: tuple[ChangedFile, ...]
    units: tuple[ChangedUnit, ...]
    together: tuple[CoChange, ...]
    similar: tuple[PastCommit, ...]
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False


def describe_past_commit(
    repository: Repository, revision: str, lines: int, paths: Sequence[str], at: str | None, progress: Progress
) -> CommitReport:
    """See `Repository.show`."""
    if not 0 <= lines <= MOST_DIFF_LINES:
        raise UsageError(f"lines must be between 0 and {MOST_DIFF_LINES}, not {lines}")
    checked_filters(Filters(paths=tuple(paths)))
    oid = _resolve(repository, revision)
    git = repository.source.git
    assert git is not None
    head, corpus = read_head(git, oid), repository.present_or(at, progress)
    diff = read_diff(git, head)
    notes = [*repository.notes_of(corpus), *_notes(corpus, head), *filter(None, [diff.note])]
    total = len(diff.files)
    patterns = PathPatterns(paths) if paths else None
    chosen = [file for file in diff.files if _is_shown(file, repository.within, patterns)]
    if len(chosen) < total:
        some = f"showing {len(chosen)} of its {total} files"
        notes.append(some if chosen else "none of its files are in what was asked for")
    if len(chosen) > _MOST_FILES:
        notes.append(f"it has {len(chosen)} files: the first {_MOST_FILES} are listed")
    listed = chosen[:_MOST_FILES]
    facts = _facts(repository, listed[:_MOST_READ])
    now = present_paths(corpus, head.oid, [file.path for file in listed])
    files = _files(listed, facts, _left_out(corpus), now, lines)
    readable = [file for file, shown in zip(listed, files, strict=True) if shown.left_out not in _SECRET][:_MOST_READ]
    units = list(changed_units(readable, facts, corpus.code, now))
    if len(units) > _MOST_UNITS:
        notes.append(f"it changed {len(units)} functions and classes: the first {_MOST_UNITS} are listed")
    shown = PathFilter(repository.within, ())
    return CommitReport(
        repository.source.name,
        head.oid,
        head.parents,
        head.author,
        head.email,
        datetime.fromtimestamp(head.time, UTC).isoformat().replace("+00:00", "Z"),
        head.message.split("\n", 1)[0][:_LONGEST_MESSAGE],
        head.message[:_LONGEST_MESSAGE],
        issues_named(head.message),
        commits_named(head.message),
        sum(len(file.added) for file in chosen),
        sum(len(file.removed) for file in chosen),
        files,
        tuple(units[:_MOST_UNITS]),
        _together(corpus, head, [path for path in dict.fromkeys(now.values()) if path], shown),
        _similar(corpus, head, repository.within),
        (corpus.snapshot.info,),
        tuple(dict.fromkeys(notes)),
        corpus.partial,
    )


def _resolve(repository: Repository, revision: str) -> str:
    try:
        return repository.source.resolve(revision)
    except UnknownRevision as error:
        if named := issues_named(revision[:_LONGEST_MESSAGE]):
            raise UnknownRevision(f"{error}: {named[0]} is an issue, whose commits `trackdown history` finds") from None
        raise


def _notes(corpus: Corpus, head: CommitHead) -> list[str]:
    notes = []
    if len(head.parents) > 1:
        notes.append("this is a merge: its diff is against its first parent, and shows all that it brought")
    if corpus.history is not None and corpus.history[0].position(head.oid) < 0:
        notes.append("this commit is not part of the history that is searched")
    if len(head.message) > _LONGEST_MESSAGE:
        notes.append(f"its message has {len(head.message)} characters: the first {_LONGEST_MESSAGE} are shown")
    return notes


def _is_shown(file: FileDiff, within: str, patterns: PathPatterns | None) -> bool:
    names = [name for name in (file.path, file.old_path) if name is not None]
    inside = all(lies_below(name, within) for name in names)
    return inside and (patterns is None or any(map(patterns.matches, names)))


def _facts(repository: Repository, files: Sequence[FileDiff]) -> Facts:
    blobs = [(file.old_path or file.path, file.old_oid) for file in files]
    blobs += [(file.path, file.new_oid) for file in files]
    settings = repository.settings
    wanted = [blob for blob in blobs if blob[1]]
    return facts_of_blobs(repository.store, repository.source, wanted, settings.max_file_bytes, settings.worker_count)


def _left_out(corpus: Corpus) -> dict[str, str]:
    """Path → the rule that keeps a file's content from being shown, for present files."""
    found = {one.path: one.reason for one in corpus.snapshot.excluded if one.reason in _SECRET}
    return found | dict.fromkeys(corpus.code.files_by_path, "")


def _files(
    files: Sequence[FileDiff], facts: Facts, rules: dict[str, str], now: dict[str, str], lines: int
) -> tuple[ChangedFile, ...]:
    """The files with as much of their diffs as fits. What is left out of the index because it may be a secret, or
    because somebody said so, is not shown here either.
    """
    reasons = [_reason(file, number, facts, rules) for number, file in enumerate(files)]
    patches = [file.patch if not reason else "" for file, reason in zip(files, reasons, strict=True)]
    return tuple(
        ChangedFile(
            file.path,
            file.old_path,
            file.status,
            file.kind,
            len(file.added),
            len(file.removed),
            now.get(file.path) or None,
            file.binary,
            reason,
            text,
            cut,
        )
        for file, reason, (text, cut) in zip(files, reasons, excerpts(patches, lines), strict=True)
    )


def _reason(file: FileDiff, number: int, facts: Facts, rules: dict[str, str]) -> str:
    names = [name for name in (file.path, file.old_path) if name is not None]
    for name in names:
        reason = rules[name] if name in rules else reason_by_name(name)
        if reason in _SECRET:
            return reason
    blobs = [(names[-1], file.old_oid), (file.path, file.new_oid)]
    if any(facts[blob].skip == "secret" for blob in blobs if blob in facts):
        return "secret"
    return "" if number < _MOST_READ else f"beyond the first {_MOST_READ} files"


def _together(corpus: Corpus, head: CommitHead, paths: Sequence[str], shown: PathFilter) -> tuple[CoChange, ...]:
    """Files that often changed with these, in other commits."""
    if corpus.history is None or not paths or len(paths) > _MOST_READ:
        return ()
    itself: Collection[int] = [corpus.history[0].position(head.oid)]
    found = changed_together(corpus.code, corpus.history, paths, _TOGETHER, shown, itself)
    return tuple(one for one in found if one.commits > 1)


def _similar(corpus: Corpus, head: CommitHead, within: str) -> tuple[PastCommit, ...]:
    try:
        query = understand(head.message[:_LONGEST_MESSAGE], syntax=False)
    except QueryError:
        return ()
    found = past_commits(corpus, query, _SIMILAR + 1, within)
    others = [one for one in found if one.commit != head.oid][:_SIMILAR]
    return tuple(replace(one, rank=rank) for rank, one in enumerate(others, 1))
