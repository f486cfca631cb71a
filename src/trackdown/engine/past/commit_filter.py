"""Which commits to list: those of some authors, that touched some paths, between two dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trackdown.engine.past.dates import since_second, until_second
from trackdown.errors import UsageError
from trackdown.index import CommitIndex, Mask, all_authors, all_paths, is_merge, positions_of, renamed_paths
from trackdown.repository import Git, PathPatterns, shallow_commits

_MOST_VALUES = 50
_ONLY_NAMES = ": this index has the names of authors, not their addresses; give a part of a name"


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

    Git is asked for addresses, which the index does not have; of an imported one it may lack the commits, too. Raises
    GitError.
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
            found, unknown_addresses = _by_author(index, commit, author, git)
            by_author |= found
            if not (found & ~is_merge(index)).any():
                notes.append(f"no commit here is by {author!r}{_ONLY_NAMES if unknown_addresses else ''}")
        passes &= by_author
    if wanted.paths:
        by_path, unknown = _by_path(index, commit, wanted.paths)
        notes += [f"no commit here touched a file that matches {pattern}" for pattern in unknown]
        passes &= by_path
    return passes, notes


def _by_author(index: CommitIndex, commit: str, author: str, git: Git | None) -> tuple[Mask, bool]:
    """The commits of authors with this part of a name; if no name has it, with this part of an address.

    Also returns whether an address was asked for and git does not know those of all commits: then names alone count.
    """
    found = np.zeros(index.count, dtype=bool)
    names = all_authors(index)
    part = author.strip().lower()
    matching = {name for name in set(names) if part in name.lower()}
    unknown_addresses = False
    if git is not None and ("@" in part or not matching):  # the index has no addresses
        unknown_addresses = _lacks_commits(git, index, commit)
        if not unknown_addresses:
            listed = git.text("rev-list", "--regexp-ignore-case", "--fixed-strings", f"--author={part}", commit).split()
            found[positions_of(index, listed)] = True
            return found, False
    found[[at for at, name in enumerate(names) if name in matching]] = True
    return found, unknown_addresses


def _lacks_commits(git: Git, index: CommitIndex, commit: str) -> bool:
    """Whether a shallow clone has fewer commits than the index, as a repository of a fleet does."""
    if not shallow_commits(git):
        return False
    visible = index.ancestors(commit)
    return int(git.text("rev-list", "--count", commit)) < (index.count if visible is None else int(visible.sum()))


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
