"""Issues of commits: those that people wrote, or messages rewritten as issues, in Parquet files like CMU's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.cmu import QUERY
from trackdown.lab.benches.rows import read_parquet

ISSUE = "issue"
"""The column of issues that people wrote; without it that of rewritten messages is read."""
_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def read_rewritten(paths: Sequence[Path]) -> dict[str, str]:
    """Commit → query, of all files. Raises UsageError for a file that cannot be read or holds no such row."""
    found: dict[str, str] = {}
    for path in paths:
        before = len(found)
        rows = read_parquet(path, ("commit_id",))
        column = ISSUE if rows and ISSUE in rows[0] else QUERY
        if rows and column not in rows[0]:
            raise UsageError(f"{path} has no column {ISSUE} or {QUERY}; it has {', '.join(rows[0])}")
        for row in rows:
            commit, text = row["commit_id"], row[column]
            if isinstance(commit, str) and _FULL_ID.fullmatch(commit) and isinstance(text, str) and text.strip():
                found.setdefault(commit, " ".join(text.split()))
        if len(found) == before:
            raise UsageError(f"{path} holds no commit with a rewritten message")
    return found


__all__ = ["read_rewritten"]
