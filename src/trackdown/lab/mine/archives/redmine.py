"""Redmine: issue pages as browsers show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from urllib.parse import parse_qs, urlsplit

from trackdown.lab.mine.archives.issue import (
    FIXED,
    OPEN,
    REJECTED,
    UNKNOWN,
    Adapter,
    ArchivedIssue,
    normal_id,
    read_whole,
    tidy,
)
from trackdown.lab.mine.archives.markup import read_page

_PAGE = {
    "title": "page title",
    "subject": "title",
    "status": "about status",
    "about status value": "status",
    "description": "about it",
    "about it wiki": "body",
}
_NUMBER = re.compile(r"#(\d{1,9}):")
_OUTCOMES = {"closed": FIXED, "resolved": FIXED, "rejected": REJECTED, "": UNKNOWN}


def read_redmine(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The issue of a page; one that is no issue gives nothing."""
    page = read_page(read_whole(stream), _PAGE)
    texts = page.found
    number = _NUMBER.search(texts.get("page title", ""))
    if number is None or not texts.get("title", "").strip():
        return
    dates = (parse_qs(urlsplit(address).query).get("from") for _, address in page.links)
    yield ArchivedIssue(
        id=normal_id(number[1]),
        title=" ".join(texts["title"].split()),
        body=tidy(texts.get("body")),
        created=next((found[0] for found in dates if found), ""),  # the first date of a page is that of the report
        outcome=_OUTCOMES.get(texts.get("status", "").strip().lower(), OPEN),
    )


REDMINE = Adapter("redmine", "issue pages of Redmine", (".html", ".htm"), "trac", read_redmine)
