"""What the store holds for a snapshot, as `trackdown status` shows it."""

from __future__ import annotations

from collections import Counter

from trackdown.engine.indexing.housekeeping import index_size
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.repository.snapshot import Snapshot
from trackdown.store.store import Store
from trackdown.types import RepositoryStatus


def describe(
    store: Store, snapshot: Snapshot, code: CodeIndex | None, history: tuple[CommitIndex, str] | None
) -> RepositoryStatus:
    """The state of a snapshot's indexes; None where one is not ready."""
    excluded = Counter(item.reason for item in snapshot.excluded)
    if code is not None:
        excluded.update(code.left_out)
    sizes = [segment.arrays.size for segment in (history[0].segments if history else [])]
    sizes.append(index_size(store, code) if code else 0)
    return RepositoryStatus(
        repository=snapshot.source.name,
        kind=snapshot.source.kind,
        commit=snapshot.commit,
        dirty=snapshot.dirty,
        ready=code is not None and (history is not None or snapshot.commit is None),
        files=code.file_count if code else len(snapshot.files),
        units=code.unit_count if code else 0,
        languages=code.languages() if code else {},
        excluded=dict(sorted(excluded.items())),
        commits=history[0].visible(history[1]) if history else 0,
        index_bytes=sum(sizes),
        store=str(store.top),
        store_bytes=store.size(),
    )
