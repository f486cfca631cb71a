"""Probabilities that come true, and some that don't."""

from __future__ import annotations

import numpy as np
import pytest

from trackdown.lab.measure.calibration import auroc, calibration_scores


def test_probabilities_that_come_true_have_no_error() -> None:
    chance = np.random.default_rng(1)
    expected = chance.uniform(size=20_000)
    found = calibration_scores(expected.tolist(), (chance.uniform(size=20_000) < expected).tolist())
    assert found.ece < 0.02 and found.brier == pytest.approx(1 / 6, abs=0.01) and len(found.bins) == 10
    assert {one.count for one in found.bins} == {2000}


def test_an_overconfident_model_has_one() -> None:
    found = calibration_scores([0.9] * 10, [True] * 5 + [False] * 5)
    assert found.brier == pytest.approx(0.5 * 0.01 + 0.5 * 0.81)
    assert calibration_scores([0.9] * 10, [True] * 5 + [False] * 5, bins=1).ece == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("values", "truth", "expected"),
    [
        ([0.1, 0.2, 0.8, 0.9], [False, False, True, True], 1.0),
        ([0.9, 0.8, 0.2, 0.1], [False, False, True, True], 0.0),
        ([0.5, 0.5], [False, True], 0.5),
        ([0.1, 0.4, 0.35, 0.8], [False, False, True, True], 0.75),
        ([0.1, 0.4], [True, True], 0.5),
    ],
)
def test_auroc(values: list[float], truth: list[bool], expected: float) -> None:
    assert auroc(values, truth) == pytest.approx(expected)


def test_nothing_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="nothing"):
        calibration_scores([], [])
