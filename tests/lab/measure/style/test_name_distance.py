"""Equations 9 and 10, worked out by hand."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.lab.measure.style.cssim import Rarity, name_distance

NAMES = st.frozensets(st.text("abc_", min_size=1, max_size=6), min_size=1, max_size=6)


def test_rarity_is_the_logarithm_of_all_over_own() -> None:
    rarity = Rarity([{"i", "total"}, {"i"}, {"i", "row"}])
    assert rarity.weight("i") == pytest.approx(log(5 / 3))
    assert rarity.weight("row") == rarity.weight("never seen") == pytest.approx(log(5))


def test_every_name_looks_for_its_nearest_and_rare_ones_weigh_more() -> None:
    rarity = Rarity([{"i", "total"}, {"i", "totals"}, {"i"}])
    rare, common = log(5 / 1), log(5 / 3)
    there = rare * (1 / 6) / (rare + common)  # total → totals is one edit of six signs, i → i none
    assert name_distance({"i", "total"}, {"i", "totals"}, rarity) == pytest.approx(there)


def test_both_directions_are_averaged() -> None:
    even = Rarity([])  # no corpus: all weigh the same
    # ab → ab is 0; back, ab is 0 and zz is as far as can be
    assert name_distance({"ab"}, {"ab", "zz"}, even) == pytest.approx((0 + (0 + 1) / 2) / 2)


def test_without_a_name_on_one_side_there_is_no_distance() -> None:
    assert name_distance(set(), {"a"}, Rarity([])) is None
    assert name_distance({"a"}, set(), Rarity([])) is None


@given(NAMES, NAMES, st.lists(NAMES, max_size=4))
def test_it_is_bounded_symmetric_and_zero_for_equal_sets_only(
    a: frozenset[str], b: frozenset[str], corpus: list[frozenset[str]]
) -> None:
    rarity = Rarity([a, b, *corpus])
    there = name_distance(a, b, rarity)
    assert there is not None and 0 <= there <= 1
    assert there == name_distance(b, a, rarity)
    assert name_distance(a, a, rarity) == 0
    if a != b and len(a | b) > 1:
        assert there > 0
