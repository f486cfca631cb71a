"""The bootstrap interval: it holds the true mean as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.lab.measure import significance
from trackdown.lab.measure.significance import bootstrap_interval


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_holds_the_true_mean_as_often_as_it_says(confidence: float) -> None:
    """600 samples of reciprocal ranks, whose true mean is known."""
    random = np.random.default_rng(7)
    ranks = np.array([1.0, 1 / 2, 1 / 3, 1 / 10, 0.0])
    shares = np.array([0.3, 0.15, 0.1, 0.15, 0.3])
    true = float(ranks @ shares)
    held = 0
    for number in range(600):
        low, high = bootstrap_interval(random.choice(ranks, 60, p=shares).tolist(), confidence=confidence, seed=number)
        held += low <= true <= high
    assert held / 600 == pytest.approx(confidence, abs=0.035)


def test_the_width_is_that_of_the_normal_approximation() -> None:
    values = np.random.default_rng(1).random(400)
    low, high = bootstrap_interval(values.tolist())
    expected = 2 * 1.96 * values.std() / np.sqrt(400)
    assert high - low == pytest.approx(expected, rel=0.1)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=expected / 10)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 5))
def test_it_lies_within_the_values_and_repeats(values: list[float], seed: int) -> None:
    found = bootstrap_interval(values, draws=50, seed=seed)
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12
    assert found == bootstrap_interval(values, draws=50, seed=seed)


def test_the_seed_matters() -> None:
    values = np.random.default_rng(1).random(50).tolist()
    assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)


def test_edges() -> None:
    assert bootstrap_interval([]) == (0.0, 0.0)
    assert bootstrap_interval([0.25]) == (0.25, 0.25)
    assert bootstrap_interval([0.5] * 9) == (0.5, 0.5)


def test_many_values_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random(100).tolist()
    whole = bootstrap_interval(values)
    monkeypatch.setattr(significance, "_CELLS_AT_ONCE", 700)
    assert bootstrap_interval(values) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize(("confidence", "draws"), [(0.0, 10), (1.0, 10), (95.0, 10), (0.9, 0)])
def test_nonsense_is_refused(confidence: float, draws: int) -> None:
    with pytest.raises(ValueError, match="confidence"):
        bootstrap_interval([1.0], confidence=confidence, draws=draws)
