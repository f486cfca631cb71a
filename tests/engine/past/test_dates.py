"""Dates as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trackdown.engine.past.dates import since_second, until_second
from trackdown.errors import UsageError

NOW = datetime(2024, 3, 31, 12, 30, tzinfo=UTC).timestamp()


def moment(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp())  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2023", moment(2023, 1, 1), moment(2023, 12, 31, 23, 59, 59)),
        ("2024-02", moment(2024, 2, 1), moment(2024, 2, 29, 23, 59, 59)),
        ("2024-2-9", moment(2024, 2, 9), moment(2024, 2, 9, 23, 59, 59)),
        ("today", moment(2024, 3, 31), moment(2024, 3, 31, 23, 59, 59)),
        (" Yesterday ", moment(2024, 3, 30), moment(2024, 3, 30, 23, 59, 59)),
        ("2024-02-09T08:15", moment(2024, 2, 9, 8, 15), moment(2024, 2, 9, 8, 15)),
        ("2024-02-09 08:15+02:00", moment(2024, 2, 9, 6, 15), moment(2024, 2, 9, 6, 15)),
        ("2 weeks ago", moment(2024, 3, 17, 12, 30), moment(2024, 3, 17, 12, 30)),
        ("3.days.ago", moment(2024, 3, 28, 12, 30), moment(2024, 3, 28, 12, 30)),
        ("1 hour", moment(2024, 3, 31, 11, 30), moment(2024, 3, 31, 11, 30)),
        ("last month", moment(2024, 2, 29, 12, 30), moment(2024, 2, 29, 12, 30)),
        ("a year ago", moment(2023, 3, 31, 12, 30), moment(2023, 3, 31, 12, 30)),
        ("@1000000000", 1_000_000_000, 1_000_000_000),
        ("9999", moment(9999, 1, 1), moment(9999, 12, 31, 23, 59, 59)),
    ],
)
def test_a_date_names_a_period_or_a_moment(text: str, first: int, last: int) -> None:
    assert (since_second(text, NOW), until_second(text, NOW)) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2024-13", "2024-02-30", "1969", "0000", "99999 years ago", "31.12.2024", "@9999999999999", "٢٠٢٤"],
)
def test_what_is_no_date_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"^until .* is not a date: write 2024, .*2 weeks ago$"):
        until_second(text, NOW)
