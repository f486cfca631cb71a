"""Paired tests: the same p-values as scipy, and what they say at the edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from trackdown.lab.measure import significance
from trackdown.lab.measure.significance import paired_permutation_test

reciprocal_ranks = st.integers(0, 20).map(lambda rank: 1 / rank if rank else 0.0)
sixty_fourths = st.integers(0, 64).map(lambda part: part / 64)
"""Their sums are exact: scipy does not take sums for equal that differ by rounding, as ours does."""


def paired(
    most: int, values: st.SearchStrategy[float] = reciprocal_ranks
) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    """The values of 2 to `most` cases in two runs."""
    return st.lists(st.tuples(values, values), min_size=2, max_size=most).map(
        lambda pairs: ([a for a, _ in pairs], [b for _, b in pairs])
    )


def scipy_permutation(a: Sequence[float], b: Sequence[float], draws: float) -> float:
    def mean_difference(x: NDArray[np.float64], y: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return np.asarray((x - y).mean(axis=axis))

    return float(
        scipy.stats.permutation_test(
            (np.array(a), np.array(b)),
            mean_difference,
            permutation_type="samples",
            alternative="greater",
            n_resamples=draws,
            vectorized=True,
            rng=np.random.default_rng(3),
        ).pvalue
    )


@settings(max_examples=100, deadline=None)
@given(paired(9, sixty_fourths))
def test_the_exact_permutation_test_is_that_of_scipy(values: tuple[list[float], list[float]]) -> None:
    """scipy flips the cases that do not differ too, which must come to the same."""
    a, b = values
    assert paired_permutation_test(a, b) == pytest.approx(scipy_permutation(a, b, np.inf), abs=1e-12)


@pytest.mark.parametrize("gain", [-0.02, 0.0, 0.03, 0.06])
def test_the_random_permutation_test_is_near_that_of_scipy(gain: float) -> None:
    """With 10,000 draws the standard error of p is 0.005 at the most."""
    random = np.random.default_rng(11)
    b = random.random(120)
    a = b + random.normal(gain, 0.25, 120)
    found = paired_permutation_test(a.tolist(), b.tolist())
    assert found == pytest.approx(scipy_permutation(a.tolist(), b.tolist(), 9999), abs=0.02)


def test_the_random_test_agrees_with_the_exact_one() -> None:
    random = np.random.default_rng(5)
    a, b = random.random(12).tolist(), random.random(12).tolist()
    exact = paired_permutation_test(a, b)
    drawn = paired_permutation_test(a, b, draws=4000)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=0.03)


def test_random_draws_repeat_with_the_seed_and_fit_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    a, b = random.random(40).tolist(), random.random(40).tolist()
    found = paired_permutation_test(a, b, seed=1)
    assert found == paired_permutation_test(a, b, seed=1) != paired_permutation_test(a, b, seed=2)
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 999)
    assert paired_permutation_test(a, b, seed=1) == pytest.approx(found, abs=0.03)


def test_by_hand() -> None:
    """Differences 3, 2, −1: of the 8 sums of flips only 4 (as seen) and 6 are as large."""
    assert paired_permutation_test([3.0, 2.0, 0.0], [0.0, 0.0, 1.0]) == 2 / 8
    assert paired_permutation_test([0.0, 0.0, 1.0], [3.0, 2.0, 0.0]) == 7 / 8


def test_equal_runs_show_nothing() -> None:
    assert paired_permutation_test([0.5, 1.0, 0.0] * 20, [0.5, 1.0, 0.0] * 20) == 1.0


def test_rounding_is_no_difference() -> None:
    assert paired_permutation_test([0.1 + 0.2] * 30, [0.3] * 30) == 1.0


def test_no_case_shows_nothing() -> None:
    assert paired_permutation_test([], []) == 1.0


def test_one_case_shows_next_to_nothing() -> None:
    assert paired_permutation_test([1.0], [0.0]) == 0.5
    assert paired_permutation_test([0.0], [1.0]) == 1.0


def test_a_constant_gain() -> None:
    a, b = [0.3, 0.4, 0.7] * 10, [0.2, 0.3, 0.6] * 10
    assert paired_permutation_test(a, b) == pytest.approx(1 / 10_001)
    assert paired_permutation_test(b, a) == 1.0


def test_four_cases_that_differ_cannot_be_significant() -> None:
    assert paired_permutation_test([1.0] * 4 + [0.5] * 90, [0.0] * 4 + [0.5] * 90) == 1 / 16
    assert paired_permutation_test([1.0] * 5 + [0.5] * 90, [0.0] * 5 + [0.5] * 90) == 1 / 32


def test_p_is_below_alpha_as_often_as_it_should_when_nothing_differs() -> None:
    random = np.random.default_rng(2)
    rejected = sum(
        paired_permutation_test(random.random(25).tolist(), random.random(25).tolist()) < 0.1 for _ in range(150)
    )
    assert 5 <= rejected <= 26


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 with 1"):
        paired_permutation_test([1.0, 2.0], [1.0])
