"""Trac: ticket pages as HTML, those of Trac itself and of static copies, and tickets as Markdown.

The Markdown is what migrations to GitHub wrote: `archive/….json:` and a JSON block for the ticket and for each comment.
If comments hold the diffs of changes to the description, the description is taken back to what was reported first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, BinaryIO
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
from trackdown.repository import apply_patch, fitted_patch, parse_patch

_PAGE = {
    "title": "page title",
    "summary": "title",
    "ticket-title": "title",
    "description": "description",
    "ticket-description": "body",
    "description searchable": "body",
    "trac-status": "status",
    "ticket-status": "status",
    "trac-resolution": "resolution",
    "ticket-resolution": "resolution",
    "status": "old status",
    "ticket-dates": "dates",
}
_NUMBER = re.compile(r"#(\d{1,9})\b")
_SAID_DATE = re.compile(r"(Opened|Closed) (\w+ \d{1,2}, \d{4}(?: \d{1,2}:\d\d[AP]M)?)")


def read_trac(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The ticket of a file; a page that is no ticket gives nothing."""
    data = read_whole(stream)
    if path.lower().endswith(".md"):
        yield from _from_markdown(data.decode("utf-8", "replace"), PurePosixPath(path).stem)
        return
    page = read_page(data, _PAGE)
    texts = page.found
    number = _NUMBER.search(texts.get("page title", ""))
    if number is None or not texts.get("title", "").strip():
        return
    dates = dict(_SAID_DATE.findall(texts.get("dates", "")))
    for said, address in page.links:
        if said in ("Opened", "Closed") and (start := parse_qs(urlsplit(address).query).get("from")):
            dates.setdefault(said, start[0])
    state = " ".join(texts.get(name, "") for name in ("status", "resolution", "old status"))
    yield _ticket(number[1], texts["title"], texts.get("body", ""), dates, state)


def _ticket(number: str, title: str, body: str, dates: dict[str, str], state: str) -> ArchivedIssue:
    words = set(re.findall(r"[a-z]+", state.lower()))
    return ArchivedIssue(
        id=normal_id(number),
        title=" ".join(title.split()),
        body=tidy(body),
        created=dates.get("Opened", ""),
        closed=dates.get("Closed", ""),
        outcome=FIXED if "fixed" in words else REJECTED if "closed" in words else OPEN if words else UNKNOWN,
    )


_JSON_BLOCK = re.compile(r"^archive/\w{1,80}\.json:\n```json\n", re.M)
_FOOTER = re.compile(
    r"^[ \t]*(?:\*\*)?(?:Assignee|Author|Branch|CC|Commit|Component|Dependencies|Depends on|Keywords|Merged"
    r"|Report Upstream|Resolution|Reviewer|Status|Stopgaps|Upstream|Work Issues)\b[^\n:]{0,20}:"
    r"|^[ \t]*_?Issue created by migration from",
    re.M,
)
_CHANGED = re.compile(r"Description changed:\n(`{3,8})diff\n")
_RESOLUTION = re.compile(r"\*\*Resolution:\*\* *(\w+)")
_BARE = re.compile(r"<(?:a|div) id=[^>\n]{0,60}></(?:a|div)>")


def _from_markdown(text: str, stem: str) -> Iterator[ArchivedIssue | None]:
    blocks = list(_json_blocks(text))
    ticket = next((block for block in blocks if block.get("type") == "issue"), None)
    if ticket is None or not stem.isdigit():
        return
    said = str(ticket.get("body") or "").replace("\r\n", "\n")
    body, edited = _first_version(_without_footer(said), blocks)
    resolution = _RESOLUTION.search(said)
    is_over = bool(ticket.get("closed_at"))
    outcome = (FIXED if resolution[1] == "fixed" else REJECTED) if resolution else FIXED if is_over else OPEN
    yield ArchivedIssue(
        id=normal_id(stem),
        title=str(ticket.get("title") or ""),
        body=tidy(_BARE.sub("", body)),
        created=str(ticket.get("created_at") or ""),
        closed=str(ticket.get("closed_at") or ""),
        outcome=outcome,
        edited_after=edited,
    )


def _json_blocks(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    for start in _JSON_BLOCK.finditer(text):
        try:
            value, _ = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _without_footer(body: str) -> str:
    found = _FOOTER.search(body)
    return (body[: found.start()] if found else body).strip()


def _first_version(body: str, blocks: list[dict[str, Any]]) -> tuple[str, str]:
    """A description as it was reported, and how sure that is: diffs of its changes are taken back, newest first."""
    diffs = [
        (str(block.get("created_at") or ""), diff)
        for block in blocks
        if block.get("type") == "issue_comment" and (diff := _diff_of(str(block.get("body") or "")))
    ]
    if not diffs:
        return body, "no"
    for _, diff in sorted(diffs, reverse=True):
        try:
            body = _taken_back(body, diff)
        except ValueError:
            return body, "yes"
    return body, "no (original restored)"


def _diff_of(comment: str) -> str:
    found = _CHANGED.search(comment)
    if found is None:
        return ""
    end = comment.find(f"\n{found[1]}", found.end())
    return comment[found.end() : end if end >= 0 else None] + "\n"


def _taken_back(body: str, diff: str) -> str:
    """The text before a change. Raises ValueError if the diff was made for another text."""
    lines = diff.split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith("@@")), None)
    if start is None:
        raise ValueError("no hunk")
    (patch,) = parse_patch("\n".join(["--- a/text", "+++ b/text", *lines[start:]]))
    reverse = type(patch)(patch.new_path, patch.old_path, tuple(hunk.reversed() for hunk in patch.hunks))
    return _without_footer(apply_patch(fitted_patch(reverse, f"{body}\n"), f"{body}\n"))


TRAC = Adapter(
    "trac",
    "ticket pages of Trac, as HTML or as Markdown of a migration",
    (".html", ".htm", ".md"),
    "trac",
    read_trac,
    unwanted=re.compile(r"(?:^|/)(?:attachment|wiki|milestone)/"),
)
