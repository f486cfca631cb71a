"""SpIDER's reordering: centres stay, neighbours stand below them, K stays K, nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.expand.spider import Expansion, Neighbour, Neighbours, expand_spider

PLAIN = Expansion(window=6, centres=2, among=10, selector="none", each=10)


def near(table: dict[int, list[int]]) -> Neighbours:
    """Neighbours by a table, in the order of the candidates."""

    def find(centre: int, candidates: Sequence[int]) -> list[Neighbour]:
        return [Neighbour(one, f"near {centre}") for one in candidates if one in table.get(centre, [])]

    return find


def order(table: dict[int, list[int]], settings: Expansion, count: int = 12) -> list[int]:
    ranked = list(range(count))
    return [one.candidate for one in expand_spider(ranked, [1 - 0.05 * n for n in ranked], near(table), settings)]


def test_neighbours_stand_directly_below_their_centre_and_the_lowest_leave_the_window() -> None:
    assert order({0: [8], 1: [9, 7]}, PLAIN)[:6] == [0, 8, 1, 7, 9, 2]


def test_what_left_the_window_stands_directly_behind_it() -> None:
    assert order({0: [8]}, PLAIN) == [0, 8, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11]


def test_centres_never_move_and_a_neighbour_is_drawn_once() -> None:
    assert order({0: [1, 8], 1: [8]}, PLAIN)[:3] == [0, 8, 1]


def test_what_is_not_among_the_first_n_is_dropped() -> None:
    assert order({0: [10, 11]}, PLAIN) == list(range(12))


def test_a_centre_brings_at_most_so_many_and_never_more_than_there_is_room_for() -> None:
    assert order({0: [5, 6, 7, 8]}, Expansion(window=6, centres=2, among=10, selector="none", each=2))[:4] == [
        0,
        5,
        6,
        1,
    ]
    placed = order({0: list(range(2, 10)), 1: list(range(2, 10))}, PLAIN)
    assert placed[:6] == [0, 2, 3, 4, 5, 1]


def test_the_selector_asks_for_a_share_of_the_centres_score() -> None:
    settings = Expansion(window=6, centres=1, among=12, selector="scores", threshold=0.7, each=10)
    assert order({0: [5, 9]}, settings)[:3] == [0, 5, 1]


def test_every_placed_candidate_says_where_it_was_and_who_drew_it() -> None:
    placed = expand_spider([4, 2, 7], [1.0, 0.9, 0.8], near({4: [7]}), Expansion(window=3, centres=1, selector="none"))
    assert [(one.candidate, one.before, one.centre, one.relation) for one in placed] == [
        (4, 1, None, ""),
        (7, 3, 4, "near 4"),
        (2, 2, None, ""),
    ]


@given(
    st.integers(0, 30),
    st.integers(1, 25),
    st.integers(0, 8),
    st.integers(0, 40),
    st.integers(0, 5),
    st.dictionaries(st.integers(0, 8), st.lists(st.integers(0, 40), max_size=8), max_size=8),
    st.sampled_from(["none", "scores"]),
)
def test_nothing_is_lost_or_doubled_and_centres_stay_in_front(
    count: int, window: int, centres: int, among: int, each: int, table: dict[int, list[int]], selector: str
) -> None:
    settings = Expansion(window=window, centres=centres, among=among, each=each, selector=selector)  # type: ignore[arg-type]
    found = order(table, settings, count)
    assert sorted(found) == list(range(count))
    fixed = min(centres, window, count)
    assert [one for one in found if one < fixed] == list(range(fixed))
    assert set(range(fixed)) <= set(found[: min(window, count)])


def test_an_empty_ranking_stays_empty() -> None:
    assert expand_spider([], [], near({}), PLAIN) == []


@pytest.mark.parametrize("each", [0, 3])
def test_no_neighbours_no_change(each: int) -> None:
    assert order({}, Expansion(each=each)) == list(range(12))
