"""Bugzilla: pages as browsers show them, and the XML of `show_bug.cgi?ctype=xml`. The first comment is the report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

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
from trackdown.lab.mine.archives.markup import read_page, read_xml

_PAGE = {
    "title": "page title",
    "short_desc_nonedit_display": "title",
    "static_bug_status": "status",
    "status": "status",
    "bz_comment_time": "created",
    "bz_comment_text": "body",
}
_PAGE_TITLE = re.compile(r"\s*(?:Bug )?(\d{1,9})\s*(?:[–—:-]+\s*(.*))?", re.S)
_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?")
_ATTACHED = re.compile(r"\ACreated (?:attachment|an attachment) [^\n]{0,100}\n[^\n]{0,200}\n")


def read_bugzilla(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The bugs of a file. A page without a report, such as that of a bug's activity, gives nothing."""
    data = read_whole(stream)
    if path.lower().endswith(".xml"):
        for bug in read_xml(data).iter("bug"):
            yield _from_xml(bug)
        return
    texts = read_page(data, _PAGE).found
    heading = _PAGE_TITLE.match(texts.get("page title", ""))
    if heading is None or "body" not in texts:
        return
    date = _DATE.search(texts.get("created", ""))
    title = texts.get("title") or heading[2] or ""
    yield _bug(heading[1], title, texts["body"], date[0] if date else "", texts.get("status", ""))


def _from_xml(bug: Element) -> ArchivedIssue | None:
    number, title = bug.findtext("bug_id", "").strip(), bug.findtext("short_desc", "")
    first = bug.find("long_desc")
    if not number.isdigit() or first is None or bug.get("error"):
        return None
    status = f"{bug.findtext('bug_status', '')} {bug.findtext('resolution', '')}"
    date = _DATE.search(bug.findtext("creation_ts", ""))
    return _bug(number, title, first.findtext("thetext", ""), date[0] if date else "", status)


def _bug(number: str, title: str, body: str, created: str, status: str) -> ArchivedIssue:
    words = set(re.findall(r"\b[A-Z]+\b", status))
    is_over = bool(words & {"RESOLVED", "VERIFIED", "CLOSED"})
    return ArchivedIssue(
        id=normal_id(number),
        title=title.strip(),
        body=tidy(_ATTACHED.sub("", body.lstrip())),
        created=created,
        outcome=FIXED if "FIXED" in words else REJECTED if is_over else OPEN if words else UNKNOWN,
    )


BUGZILLA = Adapter(
    "bugzilla",
    "pages or XML of Bugzilla, a file per bug",
    (".html", ".htm", ".xml"),
    "bug",
    read_bugzilla,
    unwanted=re.compile(r"(?:^|/)activity\.html?$"),
)
