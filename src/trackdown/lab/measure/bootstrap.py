"""How sure a mean is: the percentile bootstrap.

Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 13. Cases are drawn with replacement, as many as
there are, again and again; the interval holds the middle of the means that come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

DRAWS = 1000

_CELLS_AT_ONCE = 1_000_000


class Interval(NamedTuple):
    """Where a mean lies, with the confidence that was asked for."""

    low: float
    high: float


def bootstrap_interval(
    values: Sequence[float], *, confidence: float = 0.95, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """The interval of the mean of `values`, the same for the same seed. Without values it is (0, 0).

    Raises ValueError when the confidence is not between 0 and 1, or for fewer draws than 1.
    """
    if not 0 < confidence < 1 or draws < 1:
        raise ValueError(f"confidence {confidence} with {draws} draws: it must lie between 0 and 1, with one at least")
    sample = np.asarray(values, dtype=np.float64)
    if not sample.size:
        return Interval(0.0, 0.0)
    random = np.random.default_rng(seed)
    means = np.empty(draws)
    at_once = max(1, _CELLS_AT_ONCE // sample.size)
    for start in range(0, draws, at_once):
        part = means[start : start + at_once]
        part[:] = sample[random.integers(0, sample.size, (part.size, sample.size))].mean(axis=1)
    outside = (1 - confidence) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return Interval(float(low), float(high))
