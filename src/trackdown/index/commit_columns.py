"""Columns of a commit index: one value for every commit, or for every path, at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import Mask
from trackdown.index.commits import CommitIndex
from trackdown.index.strings import to_text


def is_merge(index: CommitIndex) -> Mask:
    """Which commits have several parents."""
    parents = [np.diff(segment.arrays["parent_pointers"]) for segment in index.segments]
    merges: Mask = np.concatenate(parents) > 1
    return merges


def all_authors(index: CommitIndex) -> list[str]:
    """The author of each commit; empty for a merge."""
    return [name for segment in index.segments for name in segment.authors.all_text()]


def positions_of(index: CommitIndex, oids: Iterable[str]) -> list[int]:
    """The positions of many commits; those that the index lacks are left out."""
    table: dict[str, int] = {}
    for segment, offset in zip(index.segments, index.offsets.tolist(), strict=False):
        digits, width = segment.oids.tobytes().hex(), 2 * segment.oids.shape[1]
        table.update({digits[at * width : (at + 1) * width]: at + offset for at in range(len(segment.oids))})
    return [table[oid] for oid in oids if oid in table]


def all_paths(index: CommitIndex) -> list[str]:
    """Every path that a commit touched, by its number."""
    return [*index.segments[0].paths.all_text(), *map(to_text, index.new_paths)]


def renamed_paths(index: CommitIndex) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Every rename: the position of its commit, and the number of the old path."""
    events = [segment.arrays["renames"] for segment in index.segments]
    old = [numbers[one[:, 1]] for one, numbers in zip(events, index.path_numbers, strict=True)]
    return np.concatenate([one[:, 0] for one in events]), np.concatenate(old)
