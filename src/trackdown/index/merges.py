"""Merges: they have no message in the commit index, but they say which commits a branch brought."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from trackdown.index.commit_columns import is_merge
from trackdown.index.commits import CommitIndex

_MOST_VISITED = 10_000


def latest_merges(index: CommitIndex, commit: str, most: int) -> list[int]:
    """The last merges that a commit reaches, latest first."""
    merges, visible = is_merge(index), index.ancestors(commit)
    found: list[int] = np.flatnonzero(merges if visible is None else merges & visible)[::-1][:most].tolist()
    return found


def brought_by(index: CommitIndex, merge: int, most: int) -> list[int]:
    """The commits that a merge brought, latest first: those that its other parents reach and its first does not. Empty
    if there are more than `most`.

    Ancestors have lower positions, so whether the first parent reaches a commit is known before the commit's turn.
    """
    first, *others = _parents(index, merge)
    known = {first}
    wanted = {parent for parent in others if parent >= 0} - known
    ahead = sorted(-position for position in known | wanted)
    found: list[int] = []
    for _ in range(_MOST_VISITED):
        if not wanted:
            return found
        position = -heappop(ahead)
        brought = position in wanted
        if brought:
            wanted.remove(position)
            found.append(position)
            if len(found) > most:
                return []
        for parent in _parents(index, position):
            if parent < 0:
                continue  # a shallow clone lacks it
            if parent not in known and parent not in wanted:
                heappush(ahead, -parent)
            if not brought:
                known.add(parent)
                wanted.discard(parent)
            elif parent not in known:
                wanted.add(parent)
    return []


def _parents(index: CommitIndex, position: int) -> list[int]:
    """The positions of a commit's parents, the first one first; -1 for one that is not there."""
    place = int(np.searchsorted(index.offsets, position, side="right")) - 1
    arrays, local = index.segments[place].arrays, position - int(index.offsets[place])
    start, end = arrays["parent_pointers"][local : local + 2].tolist()
    found: list[int] = arrays["parents"][start:end].tolist()
    return found
