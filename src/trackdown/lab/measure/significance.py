"""Is one run better than another, or did chance make it look so? Two paired, one-tailed tests.

- Student's t-test on the differences, with which Gotmare et al. test CasCode. It takes their mean to be normal.
- The permutation test (Fisher 1935; Smucker, Allan and Carterette, "A comparison of statistical significance tests for
  information retrieval evaluation", CIKM 2007): were both runs alike, each difference could as well have the other
  sign. It assumes nothing about how differences are distributed, which suits metrics that are mostly 0 or 1.

Both take the values of the same cases in the same order and return the probability of a mean difference `a` − `b` as
large as the one seen, were there none: small when `a` is better. To ask whether `a` is worse, swap them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from trackdown.lab.measure.student_t import student_t_tail

DRAWS = 10_000

_CELLS_AT_ONCE = 1_000_000
_ROUNDING = 1e-12


def paired_t_test(a: Sequence[float], b: Sequence[float]) -> float:
    """The p-value of "a is better than b" by the t-test.

    1 when no case differs, and for fewer than two cases, which show no spread. When all cases differ by the same amount
    the spread is 0, and p is 0 or 1. Raises ValueError when `a` and `b` are not equally long.
    """
    differences = _differences(a, b)
    if differences.size < 2 or not differences.any():
        return 1.0
    mean, spread = float(differences.mean()), float(differences.std(ddof=1))
    t = mean / (spread / sqrt(differences.size)) if spread > _ROUNDING * abs(mean) else copysign(inf, mean)
    return student_t_tail(t, differences.size - 1)


def paired_permutation_test(a: Sequence[float], b: Sequence[float], *, draws: int = DRAWS, seed: int = 0) -> float:
    """The p-value of "a is better than b" by flipping the signs of differences.

    Exact, over all flips, when there are at most `draws` of them; else from that many random ones, with the one that
    was seen counted in (Phipson and Smyth 2010), so p is never 0. Cases that do not differ change nothing and are left
    out: with m cases that differ p is at least 1/2^m, and it is 1 when none does. Raises ValueError when `a` and `b`
    are not equally long.
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
    """How many of so many random parts of the differences add up to `most` or less."""
    random = np.random.default_rng(seed)
    at_once = max(1, _CELLS_AT_ONCE // differences.size)
    count = 0
    for start in range(0, draws, at_once):
        parts = random.integers(0, 2, (min(at_once, draws - start), differences.size), dtype=np.int8)
        count += int(np.count_nonzero(parts @ differences <= most))
    return count
