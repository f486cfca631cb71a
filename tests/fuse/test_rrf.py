"""Reciprocal rank fusion on ranks worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.fuse.rrf import K, fuse_rrf

scores = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


def test_each_channel_adds_its_weight_over_k_and_rank() -> None:
    first, second = np.array([5.0, 0.0, 9.0, 1.0]), np.array([0.0, 0.3, 0.2, 0.0])
    one, other = fuse_rrf([first, second], [1.0, 0.5])
    assert one.tolist() == pytest.approx([1 / 62, 0, 1 / 61, 1 / 63])
    assert other.tolist() == pytest.approx([0, 0.5 / 61, 0.5 / 62, 0])


def test_equal_scores_share_the_best_of_their_ranks() -> None:
    (part,) = fuse_rrf([np.array([2.0, 7.0, 2.0, 7.0, 1.0])], [1.0])
    assert part.tolist() == pytest.approx([1 / (K + 3), 1 / (K + 1), 1 / (K + 3), 1 / (K + 1), 1 / (K + 5)])


def test_another_k() -> None:
    (part,) = fuse_rrf([np.array([1.0, 2.0])], [3.0], k=1)
    assert part.tolist() == [1.0, 1.5]


def test_nothing_found_adds_nothing() -> None:
    assert [part.tolist() for part in fuse_rrf([np.zeros(3), np.zeros(0)], [1.0, 1.0])] == [[0.0, 0.0, 0.0], []]
    assert fuse_rrf([], []) == []


@given(scores)
def test_ranks_are_those_that_counting_gives(values: list[float]) -> None:
    (part,) = fuse_rrf([np.array(values)], [1.0])
    expected = [1 / (K + 1 + sum(other > value for other in values)) if value else 0.0 for value in values]
    assert part.tolist() == pytest.approx(expected)


@given(scores)
def test_the_order_of_candidates_does_not_matter(values: list[float]) -> None:
    order = np.random.default_rng(len(values)).permutation(len(values))
    (part,) = fuse_rrf([np.array(values)], [1.0])
    (shuffled,) = fuse_rrf([np.array(values)[order]], [1.0])
    assert shuffled.tolist() == part[order].tolist()
