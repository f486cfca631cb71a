"""How tests let an adapter read what they write."""

from __future__ import annotations

import io
import json
from typing import Any

from trackdown.lab.mine.archives.issue import ArchivedIssue
from trackdown.lab.mine.archives.registry import ADAPTERS


def read(adapter: str, path: str, content: Any) -> list[ArchivedIssue | None]:
    """All that an adapter finds in a file. What is neither text nor bytes is written as JSON."""
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    return list(ADAPTERS[adapter].read(path, io.BytesIO(content.encode() if isinstance(content, str) else content)))


def read_one(adapter: str, path: str, content: Any) -> ArchivedIssue:
    """The only issue of a file."""
    (found,) = read(adapter, path, content)
    assert found is not None
    return found
