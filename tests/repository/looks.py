"""Looking at one place again and again, and what was seen there."""

from __future__ import annotations

from pathlib import Path

from trackdown.repository.blobs import blob_id
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.source import Source, open_source
from trackdown.repository.worktree import WorktreeScan, scan_worktree

LIMIT = 100_000


class WorktreeCache:
    """Looks at a place, each time from the state of the last look."""

    def __init__(self, root: Path) -> None:
        self.source: Source = open_source(root)
        self.last: WorktreeScan | None = None

    def __call__(self) -> Snapshot:
        state = self.last.state if self.last else None
        self.last = scan_worktree(self.source, state, LIMIT, self.last.snapshot if self.last else None)
        return self.last.snapshot

    @property
    def changed(self) -> bool:
        """Whether the last look found something new."""
        assert self.last is not None
        return self.last.changed


def contents(snapshot: Snapshot) -> dict[str, str]:
    """Paths and ids of what is taken in."""
    return {file.path: file.oid for file in snapshot.files}


def ids(**files: str) -> dict[str, str]:
    """Names of Python files (two underscores are a slash) and their texts → paths and ids."""
    return {path.replace("__", "/") + ".py": blob_id(text.encode()) for path, text in files.items()}


def left_out(snapshot: Snapshot) -> dict[str, str]:
    """Paths and reasons of what is left out."""
    return {exclusion.path: exclusion.reason for exclusion in snapshot.excluded}
