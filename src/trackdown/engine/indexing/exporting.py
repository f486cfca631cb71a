"""`trackdown index --export`: the index of a commit as one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trackdown.engine.indexing.exchange_report import ExchangeReport
from trackdown.errors import RepositoryError, StoreBusy, UsageError
from trackdown.index import (
    CodeIndex,
    CodeUpdate,
    DeepSegment,
    FactSource,
    code_part,
    deep_part,
    history_part,
    manifest_key,
    open_code,
    rows_in,
    static_part,
    subject_of,
    update_code,
    whole_code,
)
from trackdown.repository import MISSING, Snapshot
from trackdown.store import NewPart, write_shard
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

_WAIT_SECONDS = 1800.0


def export_index(
    repository: Repository,
    path: Path,
    at: str | None = None,
    *,
    deep: bool = False,
    progress: Progress = no_progress,
) -> ExchangeReport:
    """Index a commit (HEAD without `at`) and write its index to a file. The deep index is in it if it is complete.

    Raises UsageError without a commit, RepositoryError for an incomplete clone, and StoreError.
    """
    source = repository.source
    if source.git is None or source.head() is None:
        raise UsageError(f"{source.name} has no commit: an exported index is that of a commit")
    if source.shallow or source.partial:
        kind = "shallow: run `git fetch --unshallow`" if source.shallow else "partial: clone it without --filter"
        raise RepositoryError(f"{source.name} cannot be exported, because the clone is {kind}")
    commit = source.resolve(at or "HEAD")
    snapshot = repository.indexes.look(commit)
    notes = list(snapshot.notes)
    if at is None and source.kind != "bare" and repository.indexes.look(None).dirty:
        notes.append("uncommitted changes are not part of the exported index")
    if repository.indexes.imported() is None:  # code and history in parallel
        repository.corpus(commit, progress=progress)
    parts, code = _gather(repository, snapshot, deep, progress)
    subject = msgspec.to_builtins(subject_of(source, snapshot))
    digest, size = write_shard(path, subject, parts, progress)
    commits = next(len(part.arrays["oids"]) for part in parts if "oids" in part.arrays)
    kinds = tuple(part.kind for part in parts)
    return ExchangeReport(
        source.name, str(path), digest, size, commit, code.file_count, code.unit_count, commits, kinds, tuple(notes)
    )


def _gather(
    repository: Repository, snapshot: Snapshot, with_deep: bool, progress: Progress
) -> tuple[list[NewPart], CodeIndex]:
    """The parts of a shard. Nothing of it was imported: an import must not travel on under our name."""
    indexes, store, settings = repository.indexes, repository.store, repository.settings
    assert snapshot.commit is not None
    own = indexes.identity(snapshot.commit)
    with store.writing(own, _WAIT_SECONDS) as held:
        if not held:
            raise StoreBusy(f"another process is indexing {snapshot.source.name}")
        ready = open_code(store, manifest_key(snapshot, own)) or _updated(repository, snapshot, own, progress)
        code = ready.index
        if code.left_out.get(MISSING):
            raise RepositoryError(f"{snapshot.source.name} cannot be exported: this clone lacks some of its files")
        facts = FactSource(store, snapshot, settings.worker_count, progress)
        segment = whole_code(snapshot, code, facts)
        parts = [code_part(segment), history_part(store, snapshot.source, own, snapshot.commit, progress)]
    rows = rows_in(code, segment)
    vectors = indexes.vectors(snapshot, code)
    if vectors is not None:
        parts.append(static_part(vectors.table.model_id, vectors.segments, rows))
    if with_deep:
        repository.deepen(indexes.corpus(snapshot, code, None), progress=progress)
    deep = indexes.deep(snapshot, code)
    if deep.state().ready and deep.needed.any():
        found = deep.segments()
        width = next(part.vectors.rows.shape[1] for part in found if part is not None)
        units = [len(part.symbols) for part in code.segments]
        whole = [part or DeepSegment.empty(count, width) for part, count in zip(found, units, strict=True)]
        parts.append(deep_part(deep.reader, deep.models.encoder_id(), whole, deep.needed, rows))
    return parts, code


def _updated(repository: Repository, snapshot: Snapshot, own: str, progress: Progress) -> CodeUpdate:
    settings = repository.settings
    return update_code(
        repository.store,
        snapshot,
        own,
        workers=settings.worker_count,
        progress=progress,
    )
