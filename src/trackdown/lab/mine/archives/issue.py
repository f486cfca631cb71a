"""An issue as an archive tells it, and what an adapter is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

from trackdown.query import without_html_comments

FIXED, REJECTED, OPEN, UNKNOWN = "fixed", "rejected", "open", "unknown"
AUTO = "auto"
"""The style of references of an archive that may be any tracker's: keys or numbers, as its ids are."""
LARGEST_ISSUE = 16 << 20
"""Bytes of one issue with its comments; an archive that has larger ones is not what it seems."""
_LONGEST_BODY = 200_000
_LATE_FORMATS = ("%B %d, %Y %I:%M%p", "%b %d, %Y %I:%M:%S %p", "%B %d, %Y", "%b %d, %Y", "%m/%d/%y %H:%M:%S")
_ZONE = re.compile(r"\s+(?:UTC|GMT|Z)$")
_MILLISECONDS = 100_000_000_000


@dataclass(frozen=True, slots=True)
class ArchivedIssue:
    """An issue or a pull request.

    `id` is what commits call it, without `#`: `4711` or `KEY-12`. `created` and `closed` are as the archive writes
    them. The rest is there if the archive knows it: `commits` that closed the issue, `pull` (the number of the pull
    request that did), `base` (the commit before the fix), `files` that the fix changed, and the `repository`.
    """

    id: str
    title: str
    body: str
    created: str = ""
    closed: str = ""
    outcome: str = UNKNOWN
    is_pull: bool = False
    commits: tuple[str, ...] = ()
    pull: str = ""
    base: str = ""
    files: tuple[str, ...] = ()
    repository: str = ""
    edited_after: str = "unknown"


ReadIssues = Callable[[str, BinaryIO], Iterator[ArchivedIssue | None]]
"""A file's path and its content → the issues in it; None for one that cannot be read.

A file that holds no issue at all, such as a page of comments, gives nothing. Raises ValueError for a broken file.
"""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Reads one format. `endings` are those of its files; `unwanted` paths hold no issues.

    `style` says how commits name its issues, see `REFERENCE_STYLES`; `has_pulls` that it may hold pull requests.
    """

    name: str
    about: str
    endings: tuple[str, ...]
    style: str
    read: ReadIssues
    has_pulls: bool = False
    unwanted: re.Pattern[str] | None = None

    def wants(self, path: str) -> bool:
        """Whether a file of this path may hold issues."""
        if not path.lower().endswith(self.endings):
            return False
        return self.unwanted is None or self.unwanted.search(path) is None


def read_whole(stream: BinaryIO) -> bytes:
    """A file that holds one issue. Raises ValueError for one that is too large."""
    data = stream.read(LARGEST_ISSUE + 1)
    if len(data) > LARGEST_ISSUE:
        raise ValueError("larger than any issue")
    return data


def readable(make: Callable[..., ArchivedIssue | None], *parts: Any) -> ArchivedIssue | None:
    """What `make` makes of one record; None for one that it cannot read, so that the others of the file are kept."""
    try:
        return make(*parts)
    except (ValueError, RecursionError):
        return None


def normal_id(text: str) -> str:
    """An id as all archives and commits write it: without `#` and leading zeros, keys in upper case."""
    return text.strip().lstrip("#").upper().lstrip("0")


def tidy(text: str | None) -> str:
    """A text with plain line ends and no HTML comments, trailing blanks or runs of empty lines."""
    text = (text or "")[:_LONGEST_BODY].replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    lines = [line.rstrip() for line in without_html_comments(text).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def seconds_of(date: str) -> int | None:
    """Seconds since 1970 of a date as trackers write it, in UTC if it names no zone; None for anything else."""
    text = date.strip()
    if text.isascii() and text.isdigit() and 9 <= len(text) <= 13:
        return int(text) // (1000 if int(text) >= _MILLISECONDS else 1)
    text = _ZONE.sub("", text)[:40]
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        parsed = filter(None, (_parsed(text, form) for form in _LATE_FORMATS))
        first = next(parsed, None)
        if first is None:
            return None
        found = first
    try:
        return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    except (OverflowError, ValueError):
        return None


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
