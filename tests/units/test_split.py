"""Line windows cover every line of a file exactly once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackdown.units.split import Passage, split_lines
from trackdown.units.tokens import words

texts = st.lists(st.text(alphabet="ab \t.", max_size=30), max_size=40).map("\n".join)
limits = st.integers(1, 20)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def covered(passages: list[Passage]) -> list[int]:
    return [line for start, end in passages for line in range(start, end + 1)]


def sizes(text: str, passage: Passage) -> list[int]:
    """How many tokens each line of a passage has."""
    return [len(words(line)) for line in lines_of(text)[passage[0] - 1 : passage[1]]]


@given(texts, limits)
def test_line_windows_cover_every_line_once_and_hold_no_more_than_they_may(text: str, limit: int) -> None:
    passages = split_lines(text, limit)
    assert covered(passages) == list(range(1, len(lines_of(text)) + 1))
    for passage in passages:
        held = sizes(text, passage)
        assert sum(held) <= limit or sum(size > 0 for size in held) == 1


@given(texts, limits)
def test_line_windows_are_as_few_as_they_can_be(text: str, limit: int) -> None:
    passages = split_lines(text, limit)
    for first, second in pairwise(passages):
        assert sum(sizes(text, first)) + sizes(text, second)[0] > limit


@given(texts, limits, st.integers(1, 1000))
def test_line_numbers_may_begin_anywhere(text: str, limit: int, first: int) -> None:
    moved = [(start + first - 1, end + first - 1) for start, end in split_lines(text, limit)]
    assert split_lines(text, limit, first) == moved


def test_short_and_long_lines() -> None:
    assert split_lines("") == [(1, 1)]
    assert split_lines("one") == split_lines("one\n") == [(1, 1)]
    assert split_lines("a b c\nd\ne f", 3) == [(1, 1), (2, 3)]
    assert split_lines("a\nb c d e f\ng", 2) == [(1, 1), (2, 2), (3, 3)]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_window_that_may_hold_nothing_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        split_lines("some words", limit)
