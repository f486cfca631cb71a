"""Issues and pull requests as GitHub's API gives them: a file for each, or lists of them.

Backups put the issue below `issue` or `pull` and its events beside it; an event that closed the issue may name the
commit that did. The command line tool `gh` writes other names (`createdAt`), which are read, too.
"""

from __future__ import annotations

import json
import re
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
from trackdown.lab.mine.archives.markup import plain_html

_REJECTED = frozenset({"not_planned", "duplicate"})
_FROM_GOOGLE_CODE = re.compile(r"by [^\n]{1,80}:\s{1,4}<pre>")
_PULLS_ONLY = ("merged_at", "mergedAt", "merge_commit_sha", "head", "headRefName")


def read_github(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The issues of a file."""
    try:
        value = json.loads(read_whole(stream))
    except RecursionError:
        raise ValueError("nests too deeply") from None
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            record, is_pull = _record(item)
            if isinstance(record.get("title"), str) and str(record.get("number", "")).isdigit():
                yield readable(_issue, record, item.get("events"), is_pull)


def _record(item: dict[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The part of a file that is the issue, and whether that is a pull request."""
    for name in ("pull", "issue"):
        if isinstance(item.get(name), dict):
            return item[name], name == "pull"
    return item, any(item.get(name) for name in _PULLS_ONLY)


def _issue(record: Mapping[str, Any], events: Any, is_pull: bool) -> ArchivedIssue:
    reason = str(record.get("state_reason") or record.get("stateReason") or "").lower()
    state = str(record.get("state") or "").lower()
    closed = _text(record, "closed_at", "closedAt")
    outcome = OPEN if state == "open" else REJECTED if reason in _REJECTED else FIXED
    return ArchivedIssue(
        id=normal_id(str(record["number"])),
        title=record["title"],
        body=tidy(_report(_text(record, "body"))),
        created=_text(record, "created_at", "createdAt"),
        closed=closed,
        outcome=outcome,
        is_pull=is_pull or record.get("pull_request") is not None,
        commits=tuple(_closing_commits(events)),
    )


def _report(body: str) -> str:
    """What the reporter wrote. Issues moved from Google Code are HTML below a line with the reporter's name."""
    moved = _FROM_GOOGLE_CODE.match(body)
    return plain_html(body[moved.end() :].partition("</pre>")[0]) if moved else body


def _text(record: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := record.get(name), str)), "")


def _closing_commits(events: Any) -> Iterator[str]:
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and event.get("event") == "closed" and isinstance(event.get("commit_id"), str):
            yield event["commit_id"]


GITHUB = Adapter(
    "github-json",
    "JSON of GitHub's API, a file per issue or lists; backups, too",
    (".json",),
    "fixes",
    read_github,
    has_pulls=True,
    unwanted=re.compile(r"comments?(?:/|\.json$)|(?:^|/)(?:events|reviews|labels)(?:/|\.json$)"),
)
