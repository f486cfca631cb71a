"""YouTrack's XML export: a file per issue, whose name is the issue's key, with a `field` for each of its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO
from xml.etree.ElementTree import Element

from trackdown.lab.mine.archives.issue import (
    FIXED,
    OPEN,
    REJECTED,
    Adapter,
    ArchivedIssue,
    normal_id,
    read_whole,
    readable,
    tidy,
)
from trackdown.lab.mine.archives.markup import plain_wiki, read_xml

_FIXED = frozenset({"fixed", "verified", "closed", "done"})
_OPEN = frozenset({"", "open", "submitted", "in progress", "reopened", "to be discussed"})
_KEY = re.compile(r"[A-Za-z]\w*-\d+")


def read_youtrack(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The issues of a file. One that says no id of its own has that of the file's name."""
    found = list(read_xml(read_whole(stream)).iter("issue"))
    stem = PurePosixPath(path).stem
    for issue in found:
        key = issue.get("id", "") or (stem if len(found) == 1 else "")
        yield readable(_issue, key, issue) if _KEY.fullmatch(key) else None


def _issue(key: str, issue: Element) -> ArchivedIssue:
    fields = {
        field.get("name", ""): "\n".join(value.text or "" for value in field.findall("value"))
        for field in issue.iter("field")
    }
    state = fields.get("State", "").lower()
    return ArchivedIssue(
        id=normal_id(key),
        title=fields.get("summary", ""),
        body=tidy(plain_wiki(tidy(fields.get("description")))),
        created=fields.get("created", ""),
        closed=fields.get("resolved", ""),
        outcome=FIXED if state in _FIXED else OPEN if state in _OPEN else REJECTED,
    )


YOUTRACK = Adapter("youtrack", "XML of YouTrack, a file per issue", (".xml",), "key", read_youtrack)
