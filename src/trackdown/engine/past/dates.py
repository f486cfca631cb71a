"""Dates as people write them for `--since` and `--until`: 2024, 2024-03, 2024-03-01T12:00, yesterday, 2 weeks ago."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, datetime, timedelta

from trackdown.errors import UsageError

_CALENDAR = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)
_AGO = re.compile(
    r"(?:last|(\d{1,5}|an?|one))[ ._-]?(second|minute|hour|day|week|month|year)s?(?:[ ._-]ago)?", re.ASCII
)
_SECONDS = re.compile(r"@(\d{1,12})", re.ASCII)
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_DAYS = {"today": 0, "yesterday": 1}


def since_second(text: str, now: float) -> int:
    """The first second of what a date names, since the epoch. Days begin in UTC. Raises UsageError."""
    return int(_period("since", text, now)[0].timestamp())


def until_second(text: str, now: float) -> int:
    """The last second of what a date names: a whole day, month or year counts. Raises UsageError."""
    return int(_period("until", text, now)[1].timestamp())


def _period(option: str, text: str, now: float) -> tuple[datetime, datetime]:
    wanted = " ".join(text.lower().split())
    try:
        found = _read(wanted, datetime.fromtimestamp(int(now), UTC))
    except (ValueError, OverflowError):
        found = None
    if found is None or found[1] < _FIRST:
        raise UsageError(
            f"{option} {text[:100]!r} is not a date: write 2024, 2024-03, 2024-03-01, 2024-03-01T12:00, yesterday or "
            "2 weeks ago"
        )
    return found


def _read(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    if found := _CALENDAR.fullmatch(text):
        return _calendar(int(found[1]), found[2], found[3])
    if text in _DAYS:
        day = (now - timedelta(days=_DAYS[text])).replace(hour=0, minute=0, second=0)
        return day, day + timedelta(days=1) - _SECOND
    if found := _AGO.fullmatch(text):
        moment = _before(now, int(found[1]) if (found[1] or "").isdigit() else 1, found[2])
        return moment, moment
    if found := _SECONDS.fullmatch(text):
        moment = min(datetime.fromtimestamp(int(found[1]), UTC), _LAST)
        return moment, moment
    if text == "now":
        return now, now
    moment = datetime.fromisoformat(text.upper())
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment, moment


def _calendar(year: int, month: str | None, day: str | None) -> tuple[datetime, datetime]:
    """The first and last second of a year, a month or a day."""
    first = datetime(year, int(month or 1), int(day or 1), tzinfo=UTC)
    if month is None:
        last = datetime(year, 12, 31, tzinfo=UTC)
    else:
        last = first if day is not None else first.replace(day=monthrange(year, int(month))[1])
    return first, last + timedelta(days=1) - _SECOND if last < _LAST - timedelta(days=1) else _LAST


def _before(now: datetime, count: int, unit: str) -> datetime:
    """A moment some time ago. The same day of an earlier month, or its last one if it is shorter."""
    if unit not in ("month", "year"):
        return now - timedelta(**{f"{unit}s": count})
    months = now.year * 12 + now.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, monthrange(year, month + 1)[1]))
