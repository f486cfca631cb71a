"""Files that changed in the same commits as some others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from trackdown.engine.searching.filters import PathFilter
from trackdown.index import CodeIndex, CommitIndex
from trackdown.retrieve import describe_commit

_WIDEST_COMMIT = 30
_DOUBT = 3
"""How many commits without the other file are added in thought: two of two say less than twenty of thirty."""


@dataclass(frozen=True, slots=True)
class CoChange:
    """A file that changed together with another, `beside`: in how many commits, and in what share of the other's."""

    path: str
    commits: int
    share: float
    latest: str
    beside: str

    @property
    def how_often(self) -> str:
        """In how many of the other's commits, in words."""
        return f"in {self.commits} of {round(self.commits / self.share)} commits"


def changed_together(
    code: CodeIndex,
    history: tuple[CommitIndex, str],
    paths: Sequence[str],
    k: int,
    shown: PathFilter,
    without: Collection[int] = (),
) -> tuple[CoChange, ...]:
    """Other files by how often they changed with one of these, each beside the one that it is tied to most.

    Commits that touch very many files are ignored, and so are those at the positions `without`.
    """
    best: dict[str, tuple[float, CoChange]] = {}
    for path in paths:
        for one in _beside(code, history, path, shown, without):
            tie = one.share / (1 + _DOUBT * one.share / one.commits)
            if one.path not in paths and tie > best.get(one.path, (0.0, one))[0]:
                best[one.path] = (tie, one)
    ordered = sorted(best.values(), key=lambda item: (-item[0], item[1].path))
    return tuple(one for _, one in ordered[:k])


def _beside(
    code: CodeIndex, history: tuple[CommitIndex, str], path: str, shown: PathFilter, without: Collection[int]
) -> Iterator[CoChange]:
    index, commit = history
    positions = index.touching(path, commit)
    positions = positions[~np.isin(positions, list(without))]
    owners, numbers = index.changes(positions)
    if not len(owners):
        return
    sizes = np.bincount(owners, minlength=len(positions))
    narrow = sizes[owners] <= _WIDEST_COMMIT
    present = index.identities(commit).present(numbers, positions[owners])
    shared: Counter[int] = Counter()
    latest: dict[int, int] = {}
    for owner, number in sorted(set(zip(owners[narrow].tolist(), present[narrow].tolist(), strict=True))):
        shared[number] += 1
        latest.setdefault(number, int(positions[owner]))
    for number, count in shared.items():
        other = index.path(number)
        if other != path and other in code.files_by_path and shown.admits(other):
            yield CoChange(other, count, count / len(positions), describe_commit(index, latest[number]), path)
