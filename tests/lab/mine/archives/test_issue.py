"""Dates, ids and texts as trackers write them."""

from __future__ import annotations

import pytest

from trackdown.lab.mine.archives.issue import normal_id, seconds_of, tidy


@pytest.mark.parametrize(
    "date",
    [
        "2020-09-13T12:26:40Z",
        "2020-09-13T12:26:40.000+0000",
        "2020-09-13T14:26:40+02:00",
        "2020-09-13 12:26:40 UTC",
        "1600000000",
        "1600000000000",
        "09/13/20 12:26:40",
        "Sep 13, 2020 12:26:40 PM",
    ],
)
def test_dates_of_all_trackers_mean_the_same(date: str) -> None:
    assert seconds_of(date) == 1_600_000_000


def test_a_date_without_a_time_is_midnight() -> None:
    assert seconds_of("2020-09-13") == seconds_of("September 13, 2020") == 1_600_000_000 - 12 * 3600 - 26 * 60 - 40


@pytest.mark.parametrize("date", ["", "yesterday", "12", "0000-00-00", "9" * 40])
def test_what_is_no_date(date: str) -> None:
    assert seconds_of(date) is None


def test_ids_are_written_alike() -> None:
    assert [normal_id(text) for text in ("#12", " 0012", "key-7")] == ["12", "12", "KEY-7"]


def test_texts_lose_comments_and_blanks() -> None:
    assert tidy("<!-- template -->\r\nIt fails  \r\n\n\n\nalways <!-- open") == "It fails\n\nalways <!-- open"
    assert tidy(None) == ""
    assert tidy("<!--" * 50_000).startswith("<!--<!--")  # in linear time
