"""Cases in SWE-bench's shape: `instance_id`, `repo`, `base_commit`, `problem_statement` and `patch`, one a line.

They don't say which commit resolved the issue. The instance's name ends with the number of the pull request, and the
patch says which files it changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from trackdown.lab.mine.archives.issue import FIXED, LARGEST_ISSUE, Adapter, ArchivedIssue, tidy

_NEEDED = ("instance_id", "problem_statement", "patch")
_OLD_PATH = re.compile(r"^--- a/([^\t\n]+)", re.M)
_PULL = re.compile(r"-(\d{1,7})$")


def read_swe(path: str, stream: BinaryIO) -> Iterator[ArchivedIssue | None]:
    """The cases of a file."""
    while line := stream.readline(LARGEST_ISSUE):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        usable = isinstance(row, dict) and all(isinstance(row.get(name), str) for name in _NEEDED)
        yield _issue(row) if usable else None


def _issue(row: Mapping[str, Any]) -> ArchivedIssue:
    title, _, body = tidy(row["problem_statement"]).partition("\n")
    pull = _PULL.search(row["instance_id"])
    return ArchivedIssue(
        id=row["instance_id"],
        title=title.strip(),
        body=body.strip(),
        created=str(row.get("created_at") or ""),
        outcome=FIXED,
        pull=pull[1] if pull else "",
        base=str(row.get("base_commit") or ""),
        files=tuple(dict.fromkeys(_OLD_PATH.findall(row["patch"]))),
        repository=str(row.get("repo") or ""),
    )


SWE = Adapter("swe", "JSON Lines of SWE-bench and its like", (".jsonl", ".ndjson"), "fixes", read_swe)
