"""The candidates that are worth ranking with care: reach first, rank later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trackdown.index import CodeIndex, kth_largest
from trackdown.retrieve import Candidates, Channel

Floats = npt.NDArray[np.float64]
POOL = 1000
"""How many candidates the pool holds at most."""
_ASKING_VIEWS = ("title", "prose", "code", "names")
"""The views of a query that ask by themselves."""
_BY_SUM = 500
_BY_CHANNEL = 120
_FILES, _OF_A_FILE = 40, 12


def candidate_pool(
    index: CodeIndex, pool: Candidates, channels: Sequence[Channel], fused: Floats, allowed: npt.NDArray[np.bool_]
) -> list[int]:
    """The candidates to rank, best fused score first: the best of the sum, of each channel and its views, and the best
    functions of the best files.
    """
    total = np.where(allowed, fused, 0.0)
    chosen = np.zeros(pool.count, dtype=bool)
    chosen[_first(total, _BY_SUM)] = True
    for channel in channels:
        views = channel.views()
        for scores in (channel.scores, *(views[name] for name in _ASKING_VIEWS if name in views)):
            chosen[_first(np.where(allowed, scores, 0.0), _BY_CHANNEL)] = True
    if pool.by_itself:
        chosen[_of_best_files(pool, total)] = True
    return pool.best(index, np.where(chosen, total, 0.0), POOL)


def _first(scores: Floats, count: int) -> npt.NDArray[np.int64]:
    found = np.flatnonzero(scores > 0)
    if len(found) > count:
        found = found[scores[found] >= kth_largest(scores[found], count)]
    return found if len(found) <= 2 * count else found[:0]  # so many equal scores tell nothing


def _of_best_files(pool: Candidates, total: Floats) -> npt.NDArray[np.int64]:
    """The best candidates of the files whose three best candidates have the highest sum."""
    found = np.flatnonzero(total > 0)
    if not len(found):
        return found
    order = found[np.lexsort((found, -total[found], pool.files[found]))]
    files = pool.files[order]
    starts = np.flatnonzero(np.concatenate(([True], files[1:] != files[:-1])))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    sums = np.bincount(np.cumsum(rank == 0) - 1, weights=np.where(rank < 3, total[order], 0.0))
    best = np.argsort(-sums, kind="stable")[:_FILES]
    wanted = np.zeros(len(sums), dtype=bool)
    wanted[best] = True
    kept: npt.NDArray[np.int64] = order[wanted[np.cumsum(rank == 0) - 1] & (rank < _OF_A_FILE)]
    return kept
