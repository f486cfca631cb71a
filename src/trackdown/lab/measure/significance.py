"""How sure is a mean, and is one run better than another or did chance make it look so?

- The percentile bootstrap (Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 13): cases are drawn
  with replacement again and again, and the interval holds the middle of the means.
- The paired permutation test, one-tailed (Fisher 1935; Smucker, Allan and Carterette, "A comparison of statistical
  significance tests for information retrieval evaluation", CIKM 2007): if both runs were alike, each difference could
  as well have the other sign. It assumes no distribution, which suits metrics that are mostly 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 10_000
BOOTSTRAPS = 1000

_CELLS_AT_ONCE = 1_000_000
_ROUNDING = 1e-12


def paired_permutation_test(
    a: Sequence[float], b: Sequence[float], *, draws: int = PERMUTATIONS, seed: int = 0
) -> float:
    """The p-value of "a is better than b": how often flipped signs give a mean difference as large as the one seen.

    `a` and `b` hold the values of the same cases in the same order; swap them to ask whether `a` is worse. The test is
    exact if there are at most `draws` ways to flip; otherwise it draws that many at random and counts the observed one
    in (Phipson and Smyth 2010), so p is never 0. Cases that do not differ are left out: with m that do, p is at least
    1/2^m, and 1 with none. Raises ValueError when `a` and `b` are not equally long.
    """
    differences = _differences(a, b)
    differences = differences[differences != 0.0]
    if not differences.size:
        return 1.0
    # The sum stays as large as it is when what was flipped adds up to nothing or less, but for rounding.
    most = _ROUNDING * float(np.abs(differences).sum())
    if 2**differences.size <= draws:
        return float(np.mean(_sums_of_all_parts(differences) <= most))
    return (1 + _count_of_random_parts(differences, most, draws, seed)) / (1 + draws)


def _differences(a: Sequence[float], b: Sequence[float]) -> NDArray[np.float64]:
    if len(a) != len(b):
        raise ValueError(f"a paired test of {len(a)} with {len(b)} values: each case needs one of both")
    differences = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    differences[np.abs(differences) < _ROUNDING] = 0.0
    return differences


def _sums_of_all_parts(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums, sums + difference])
    return sums


def _count_of_random_parts(differences: NDArray[np.float64], most: float, draws: int, seed: int) -> int:
    """How many of `draws` random parts of the differences add up to `most` or less."""
    random = np.random.default_rng(seed)
    at_once = max(1, _CELLS_AT_ONCE // differences.size)
    count = 0
    for start in range(0, draws, at_once):
        parts = random.integers(0, 2, (min(at_once, draws - start), differences.size), dtype=np.int8)
        count += int(np.count_nonzero(parts @ differences <= most))
    return count


class Interval(NamedTuple):
    """Where a mean lies, with the confidence that was asked for."""

    low: float
    high: float


def bootstrap_interval(
    values: Sequence[float], *, confidence: float = 0.95, draws: int = BOOTSTRAPS, seed: int = 0
) -> Interval:
    """The interval of the mean of `values`, the same for the same seed. Without values it is (0, 0).

    Raises ValueError when the confidence is not between 0 and 1, or for fewer draws than 1.
    """
    if not 0 < confidence < 1 or draws < 1:
        raise ValueError(f"confidence {confidence} with {draws} draws: must be between 0 and 1, with at least one draw")
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
