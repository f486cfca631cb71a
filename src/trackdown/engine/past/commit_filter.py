"""Which commits to list: those of some authors, that touched some paths, between two dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trackdown.engine.past.dates import since_second, until_second
from trackdown.errors import UsageError
from trackdown.index import CommitIndex, Mask, all_authors, all_paths, is_merge, positions_of, renamed_paths
from trackdown.repository import Git, PathPatterns

_MOST_VALUES = 50


@dataclass(frozen=True, slots=True)
class CommitFilter:
    """Limits on commits. A commit passes if one of the authors wrote it, it touched one of the paths, and its author's
    date lies between the dates. Without a value, a limit admits everything. Raises UsageError for invalid values.

    An author is a part of a name in any case, or of an address if it has an `@`. A path is a pattern like those of
    `.gitignore`; it may name a file that is gone, or the former name of one that was renamed.
    """

    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None

    def __bool__(self) -> bool:
        return bool(self.authors or self.paths) or self.since is not None or self.until is not None


def commit_filter(
    authors: str | Sequence[str], paths: str | Sequence[str], since: str | None, until: str | None, now: float
) -> CommitFilter:
    """Check what somebody typed. Raises UsageError."""
    wanted = [(authors,) if isinstance(authors, str) else tuple(authors)]
    wanted += [(paths,) if isinstance(paths, str) else tuple(paths)]
    for name, values in zip(("author", "path"), wanted, strict=True):
        if len(values) > _MOST_VALUES or any(not value.strip() or "\0" in value for value in values):
            raise UsageError(f"{name} needs a value, and at most {_MOST_VALUES} of them")
    if broken := PathPatterns(wanted[1]).broken:
        raise UsageError(f"path {broken[0]!r} is not a pattern of paths: write src/web, *.py or src/**/forms.py")
    first = None if since is None else since_second(since, now)
    last = None if until is None else until_second(until, now)
    if first is not None and last is not None and first > last:
        raise UsageError(f"since {since!r} is after until {until!r}: no commit lies between them")
    return CommitFilter(wanted[0], wanted[1], first, last)


def passing(index: CommitIndex, commit: str, wanted: CommitFilter, git: Git | None) -> tuple[Mask, list[str]]:
    """Which commits that a commit reaches pass, merges never; and notes about values that match nothing.

    Git is asked for addresses, which the index does not have. Raises GitError.
    """
    visible = index.ancestors(commit)
    passes: Mask = ~is_merge(index) if visible is None else visible & ~is_merge(index)
    notes: list[str] = []
    if wanted.since is not None:
        passes &= index.times >= wanted.since
    if wanted.until is not None:
        passes &= index.times <= wanted.until
    if wanted.authors:
        by_author = np.zeros(index.count, dtype=bool)
        for author in wanted.authors:
            by_author |= (found := _by_author(index, commit, author, git))
            notes += [] if (found & ~is_merge(index)).any() else [f"no commit here is by {author!r}"]
        passes &= by_author
    if wanted.paths:
        by_path, unknown = _by_path(index, commit, wanted.paths)
        notes += [f"no commit here touched a file that matches {pattern}" for pattern in unknown]
        passes &= by_path
    return passes, notes


def _by_author(index: CommitIndex, commit: str, author: str, git: Git | None) -> Mask:
    """The commits of authors with this part of a name; if no name has it, with this part of an address."""
    found = np.zeros(index.count, dtype=bool)
    names = all_authors(index)
    part = author.strip().lower()
    matching = {name for name in set(names) if part in name.lower()}
    if git is not None and ("@" in part or not matching):  # the index has no addresses
        listed = git.text("rev-list", "--regexp-ignore-case", "--fixed-strings", f"--author={part}", commit).split()
        found[positions_of(index, listed)] = True
        return found
    found[[at for at, name in enumerate(names) if name in matching]] = True
    return found


def _by_path(index: CommitIndex, commit: str, patterns: Sequence[str]) -> tuple[Mask, list[str]]:
    """The commits that touched matching files, under their names then or now, and the patterns that match none."""
    known = all_paths(index)
    matching = np.zeros(len(known), dtype=bool)
    unknown = []
    for pattern in patterns:
        one = PathPatterns([pattern])
        matches = np.fromiter(map(one.matches, known), dtype=bool, count=len(known))
        unknown += [] if matches.any() else [pattern]
        matching |= matches
    positions = np.arange(index.count, dtype=np.int64)
    owners, paths = index.changes(positions)
    present = index.identities(commit).present(paths, positions[owners])
    touched = np.zeros(index.count, dtype=bool)
    touched[owners[matching[paths] | matching[present]]] = True
    renaming, old = renamed_paths(index)
    touched[renaming[matching[old]]] = True
    return touched, unknown
