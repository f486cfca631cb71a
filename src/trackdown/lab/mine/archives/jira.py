"""Jira's JSON: a file per issue, or the answer of a search with a list of `issues`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

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
from trackdown.lab.mine.archives.markup import plain_wiki

_FIXED = frozenset({"fixed", "done", "completed", "complete", "resolved", "implemented", "delivered"})


def read_jira(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The issues of a file."""
    try:
        value = json.loads(read_whole(stream))
    except RecursionError:
        raise ValueError("nests too deeply") from None
    if isinstance(value, dict) and isinstance(value.get("issues"), list):
        value = value["issues"]
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and isinstance(item.get("key"), str) and "fields" in item:
            yield readable(_issue, item["key"], item["fields"]) if isinstance(item["fields"], dict) else None


def _issue(key: str, fields: Mapping[str, Any]) -> ArchivedIssue | None:
    title, body = fields.get("summary"), fields.get("description")
    if not isinstance(title, str) or not isinstance(body, str | None):
        return None
    resolution = fields.get("resolution")
    name = str(resolution.get("name", "")).lower() if isinstance(resolution, dict) else ""
    return ArchivedIssue(
        id=normal_id(key),
        title=title,
        body=tidy(plain_wiki(tidy(body))),
        created=str(fields.get("created") or ""),
        closed=str(fields.get("resolutiondate") or ""),
        outcome=FIXED if name in _FIXED else REJECTED if name else OPEN,
    )


JIRA = Adapter("jira", "JSON of Jira, a file per issue or searches", (".json",), "key", read_jira)
