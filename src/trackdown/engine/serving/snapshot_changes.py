"""What changed between two snapshots of a folder."""

from __future__ import annotations

from collections import Counter

from trackdown.repository import Snapshot


def is_changed(before: Snapshot | None, after: Snapshot | None) -> bool:
    """Whether the files or the commit differ."""
    if before is None or after is None:
        return before is not after
    return before.key != after.key or before.commit != after.commit


def count_changes(before: Snapshot | None, after: Snapshot | None) -> tuple[int, int, int, int]:
    """How many files were added, changed, removed, and renamed with the same content."""
    if before is None or after is None or before.key == after.key:
        return (len(after.files) if before is None and after is not None else 0), 0, 0, 0
    old = {file.path: file.oid for file in before.files}
    new = {file.path: file.oid for file in after.files}
    added = Counter(oid for path, oid in new.items() if path not in old)
    removed = Counter(oid for path, oid in old.items() if path not in new)
    changed = sum(1 for path, oid in new.items() if path in old and old[path] != oid)
    renamed = (added & removed).total()
    return added.total() - renamed, changed, removed.total() - renamed, renamed
