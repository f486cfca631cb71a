"""The state of a snapshot's indexes, as `trackdown status` shows it."""

from __future__ import annotations

from collections import Counter

from trackdown.engine.indexing.housekeeping import index_size
from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.index import CodeIndex, CommitIndex, imported_into, read_inventory
from trackdown.repository import Snapshot
from trackdown.types import ImportState, Inventory, Progress, RepositoryStatus


def present_status(indexes: OpenIndexes, patience: float | None) -> RepositoryStatus:
    """The status of the present state. See `WorktreeCache.look` for `patience`."""
    snapshot = indexes.look(None, patience)
    code, commits = indexes.code(snapshot), indexes.commits(snapshot)
    history = (commits.index, snapshot.commit) if commits is not None and snapshot.commit is not None else None
    return describe(indexes, snapshot, code, history)


def take_inventory(indexes: OpenIndexes, at: str | None, progress: Progress) -> Inventory:
    """See `Repository.inventory`."""
    snapshot = indexes.look(at)
    included, excluded = read_inventory(
        indexes.store,
        snapshot,
        workers=indexes.settings.worker_count,
        progress=progress,
    )
    everything = sorted([*snapshot.excluded, *excluded], key=lambda item: item.path)
    return Inventory(indexes.source.name, tuple(included), tuple(everything))


def describe(
    indexes: OpenIndexes, snapshot: Snapshot, code: CodeIndex | None, history: tuple[CommitIndex, str] | None
) -> RepositoryStatus:
    """The status of a snapshot. `code` or `history` is None if it is not ready."""
    store = indexes.store
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
        deep=indexes.deep(snapshot, code).state_if_any() if code is not None else None,
        imported=_import_state(indexes, code),
    )


def _import_state(indexes: OpenIndexes, code: CodeIndex | None) -> ImportState | None:
    found = imported_into(indexes.store, indexes.source)
    if found is None:
        return None
    scope = found.namespace.rsplit("-", 1)[-1]
    used = code is not None and any(segment.name.endswith(scope) for segment in code.segments)
    return ImportState(found.origin, found.digest, found.commit, found.size, used)
