"""The weighted sum, on values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.fuse.weighted import fuse_weighted


def test_each_channel_is_scaled_by_its_best() -> None:
    one, other = fuse_weighted([np.array([2.0, 8.0, 0.0]), np.array([0.1, 0.0, 0.4])], [1.0, 0.5], [0.0, 0.0])
    assert one.tolist() == [0.25, 1.0, 0.0]
    assert other.tolist() == [0.125, 0.0, 0.5]


def test_below_its_floor_weak_evidence_stays_weak() -> None:
    (part,) = fuse_weighted([np.array([0.2, 0.1, 0.0])], [0.5], [1.0])
    assert part.tolist() == pytest.approx([0.1, 0.05, 0.0])


def test_above_its_floor_the_best_counts_full() -> None:
    (part,) = fuse_weighted([np.array([1.5, 0.75])], [0.5], [1.0])
    assert part.tolist() == [0.5, 0.25]


def test_nothing_found_adds_nothing() -> None:
    parts = fuse_weighted([np.zeros(2), np.zeros(0), np.zeros(2)], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0])
    assert [part.tolist() for part in parts] == [[0.0, 0.0], [], [0.0, 0.0]]
    assert fuse_weighted([], [], []) == []


@given(st.lists(st.integers(0, 10**6).map(float), min_size=1, max_size=10), st.floats(0.1, 5), st.floats(0.001, 1000))
def test_the_scale_of_a_channel_does_not_matter_without_a_floor(
    values: list[float], weight: float, scale: float
) -> None:
    (part,) = fuse_weighted([np.array(values)], [weight], [0.0])
    (scaled,) = fuse_weighted([np.array(values) * scale], [weight], [0.0])
    assert scaled.tolist() == pytest.approx(part.tolist(), rel=1e-9)
    assert part.max() <= weight * (1 + 1e-12)
