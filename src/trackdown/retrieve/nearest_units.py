"""Vectors of units as a channel: candidates score by the cosines of their units that are nearest to the query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.index import kth_largest
from trackdown.retrieve.candidate_pool import Candidates
from trackdown.retrieve.channel import Channel
from trackdown.types import Match

if TYPE_CHECKING:
    from trackdown.index import SegmentedVectors

Floats = npt.NDArray[np.float64]
InWords = Callable[[float, int], str]
"""A unit's cosine, and how many units are nearer → what to call it."""


def nearest_units(
    signal: str,
    vectors: SegmentedVectors,
    query: npt.NDArray[np.float32],
    pool: Candidates,
    *,
    depth: int,
    in_words: InWords,
    share_of_best: float = 1.0,
) -> Channel | None:
    """Score candidates by the cosines of their units, relative to the last of the best `depth` units, which scores 0.

    The best candidate is `share_of_best` of full evidence. None if there is nothing to compare.
    """
    eligible = pool.owned
    if not query.any() or not len(eligible):
        return None
    nearest, cosines = vectors.nearest(query, eligible, depth)
    bar = max(0.0, kth_largest(cosines, depth)) if len(eligible) > depth else 0.0
    units = np.zeros(len(pool.owner))
    units[nearest] = np.maximum(cosines - bar, 0.0)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        of_unit = dict(zip(nearest.tolist(), cosines.tolist(), strict=True))
        best = [of_unit[unit] for unit in pool.best_units(chosen, units)]
        return [Match(in_words(cosine, int((cosines > cosine).sum())), {"cosine": cosine}) for cosine in best]

    @cache
    def views() -> dict[str, Floats]:
        by_cosine = np.zeros(len(pool.owner))
        by_cosine[nearest] = np.maximum(cosines, 0.0)
        return {"cosine": pool.best_of_units(by_cosine)}

    scores = pool.from_units(units)
    floor = scores.max(initial=0.0) / share_of_best if share_of_best < 1 else 0.0
    return Channel(signal, scores, reasons, floor=float(floor), units=units, views=views)
