"""The searchable part of an index that another process or thread is still building."""

from __future__ import annotations

import time

from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.index import CodeUpdate, partial_code
from trackdown.repository import Snapshot


def gather_partial(indexes: OpenIndexes, snapshot: Snapshot) -> CodeUpdate:
    """The part of a snapshot whose facts are committed. Kept for a moment, for other threads."""
    key = indexes.key(snapshot)
    part = indexes.worktree.known_part(key)
    if part is None:
        started = time.monotonic()
        part = partial_code(indexes.store, snapshot, indexes.identity(snapshot.commit))
        indexes.worktree.keep_part(key, time.monotonic() - started, part)
    return part
