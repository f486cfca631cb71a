"""`trackdown index --import`: an exported index enters the store, for one clone.

See index/imports.py for the namespace that it gets. Whatever does not fit is refused before anything of it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trackdown.engine.indexing.downloading import download, is_web_address, origin_of
from trackdown.engine.indexing.exchange_report import ExchangeReport
from trackdown.engine.indexing.housekeeping import collect_beyond_limit, forget_import, held
from trackdown.errors import GitError, NoSuchPath, ShardError, StoreBusy, UsageError
from trackdown.index import (
    CODE_PART,
    COMMITS_PART,
    DEEP_PART,
    STATIC_PART,
    CodeIndex,
    ImportedShard,
    ShardSubject,
    adopt_code,
    adopt_commits,
    adopt_deep,
    adopt_static,
    bind_import,
    fitting_subject,
    imported_into,
    namespace_of,
)
from trackdown.repository import Snapshot, Source, commit_snapshot
from trackdown.store import Arrays, Shard, Store, drop_manifests, open_shard
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository

_WAIT_SECONDS = 60.0


def import_index(
    repository: Repository,
    place: str,
    *,
    digest: str | None = None,
    insecure: bool = False,
    progress: Progress = no_progress,
) -> ExchangeReport:
    """Import the index in a file or at a URL into this clone. It replaces what was imported before, once it fits.

    `digest` is the one that it must have. Raises ShardError if it cannot be downloaded, is damaged or does not fit,
    UsageError, NoSuchPath and StoreError.
    """
    source = repository.source
    if source.git is None or source.head() is None:
        raise UsageError(f"{source.name} has no commit: an exported index is that of a commit")
    if repository.store.read_only:
        raise repository.store.database.unwritable()
    limit = repository.settings.store_limit_mb << 20
    with _local_file(repository, place, insecure, limit, progress) as path:
        origin = origin_of(place)
        try:
            with open_shard(path, limit) as shard:
                if digest is not None and digest.lower() != shard.digest:
                    raise ShardError(f"its digest is {shard.digest}, not {digest}")
                return _adopt(repository, shard, origin, progress)
        except ShardError as error:
            raise ShardError(f"cannot import {origin}: {error}") from None


@contextmanager
def _local_file(repository: Repository, place: str, insecure: bool, limit: int, progress: Progress) -> Iterator[Path]:
    if is_web_address(place):
        with repository.store.scratch() as (stream, path):
            download(place, stream, repository.settings.import_token, limit, progress, insecure=insecure)
            yield path
        return
    path = Path(place)
    if not path.is_file():
        raise NoSuchPath(f"{place} is not a file: `trackdown index --export FILE` writes one")
    yield path


def _adopt(repository: Repository, shard: Shard, origin: str, progress: Progress) -> ExchangeReport:
    source, store, settings = repository.source, repository.store, repository.settings
    subject = fitting_subject(shard.about, settings.max_file_bytes)
    _require_commit(source, subject.commit, subject.roots)
    namespace = namespace_of(source, subject.roots, shard.digest, origin)
    imported = ImportedShard(namespace, shard.digest, origin, subject.commit, shard.size)
    with store.writing(repository.indexes.identity(source.head()), _WAIT_SECONDS) as is_ours:
        if not is_ours:
            raise StoreBusy(f"another process is indexing {source.name}: try again")
        former = imported_into(store, source)
        if former is not None and former.namespace == namespace:
            for number in range(len(shard.parts)):
                shard.read(number, progress)  # a damaged copy must not replace a whole one
            forget_import(store, source)
        try:
            report = _adopt_parts(repository, shard, subject, imported, progress)
        except BaseException:
            _remove(store, namespace)
            raise
        forget_import(store, source)
        bind_import(store, source, imported)
        repository.indexes.forget()
    collect_beyond_limit(store, settings.store_limit_mb << 20)
    return report


def _adopt_parts(
    repository: Repository, shard: Shard, subject: ShardSubject, imported: ImportedShard, progress: Progress
) -> ExchangeReport:
    """Check and store the parts of a shard. Nothing refers to them yet but their own manifests."""
    source, store, namespace = repository.source, repository.store, imported.namespace
    snapshot = commit_snapshot(source, subject.commit, subject.max_file_bytes)
    if snapshot.key != subject.snapshot:
        raise ShardError(f"it lists other files than commit {subject.commit[:10]} has")
    numbers = {part.kind: number for number, part in enumerate(shard.parts)}
    if len(numbers) < len(shard.parts) or not {CODE_PART, COMMITS_PART} <= numbers.keys():
        raise ShardError("it lacks a part, or has one twice")
    segment = adopt_code(store, snapshot, namespace, shard.read(numbers[CODE_PART], progress))
    history = shard.read(numbers[COMMITS_PART], progress)
    adopt_commits(store, source, namespace, subject.commit, history)
    code = CodeIndex([segment], np.zeros(0, dtype=np.int64))
    used, notes = [CODE_PART, COMMITS_PART], []
    for kind in (STATIC_PART, DEEP_PART):
        if kind in numbers:
            arrays = shard.read(numbers[kind], progress)
            if _adopt_vectors(repository, snapshot, code, kind, arrays):
                used.append(kind)
            else:
                notes.append(f"its {kind} vectors are of a model that is not used here: they were left out")
    return ExchangeReport(
        repository=source.name,
        place=imported.origin,
        digest=imported.digest,
        bytes=imported.size,
        commit=imported.commit,
        files=code.file_count,
        units=code.unit_count,
        commits=len(history["oids"]),
        parts=tuple(used),
        notes=tuple(notes),
    )


def _adopt_vectors(repository: Repository, snapshot: Snapshot, code: CodeIndex, kind: str, arrays: Arrays) -> bool:
    """Store vectors, if they are of the model that is used here. Returns whether they are."""
    indexes, segment = repository.indexes, code.segments[0]
    if kind == STATIC_PART:
        table = indexes.models.static()
        if table is None or arrays.meta != {"model": table.model_id}:
            return False
        adopt_static(repository.store, segment, table.model_id, table.dimensions, arrays)
        return True
    reader, model = indexes.deep(snapshot, code).reader, indexes.models.encoder_id()
    if not reader or arrays.meta != {"reader": reader, "model": model}:
        return False
    adopt_deep(repository.store, segment, reader, model, arrays)
    return True


def _require_commit(source: Source, commit: str, roots: list[str]) -> None:
    """Raise ShardError if this clone does not have the commit that a shard is about."""
    if _has(source, commit):
        return
    if any(_has(source, root) for root in roots):
        raise ShardError(
            f"it is an index of commit {commit[:10]}, which this clone does not have: run `git fetch` first"
        )
    raise ShardError(f"it is an index of another repository (commit {commit[:10]})")


def _has(source: Source, commit: str) -> bool:
    assert source.git is not None
    try:
        source.git.run("cat-file", "-e", f"{commit}^{{commit}}")
    except GitError:
        return False
    return True


def _remove(store: Store, namespace: str) -> None:
    """Remove what was stored of an import that failed."""
    drop_manifests(store, [manifest for manifest in held(store) if manifest.repository == namespace])
    scope = namespace.rsplit("-", 1)[-1]
    for name in store.array_names():
        if name.endswith(scope):
            store.delete_arrays(name)
