"""Commit messages that somebody rewrote as issues: Parquet files like those that CMU publishes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab.benches.cmu import QUERY
from trackdown.lab.benches.rows import read_parquet

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def read_rewritten(paths: Sequence[Path]) -> dict[str, str]:
    """Commit → query, of all files. Raises UsageError for a file that cannot be read or holds no such row."""
    found: dict[str, str] = {}
    for path in paths:
        before = len(found)
        for row in read_parquet(path, ("commit_id", QUERY)):
            commit, text = row["commit_id"], row[QUERY]
            if isinstance(commit, str) and _FULL_ID.fullmatch(commit) and isinstance(text, str) and text.strip():
                found.setdefault(commit, " ".join(text.split()))
        if len(found) == before:
            raise UsageError(f"{path} holds no commit with a rewritten message")
    return found


__all__ = ["read_rewritten"]
