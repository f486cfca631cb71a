"""What the store keeps and what it removes: the snapshots used last stay, up to a size limit."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from trackdown.index import (
    CODE_MANIFESTS,
    COMMIT_MANIFESTS,
    COMMITS,
    REWRITES,
    UNIT_TEXTS,
    CodeIndex,
    CodeManifest,
    CodeSegment,
    CommitManifest,
    CommitSegment,
    digest_of_key,
    digests_in,
    imported_into,
    segment_of_deep_vectors,
    segment_of_rewrite_index,
    segment_of_vectors,
    unbind_import,
)
from trackdown.repository import HISTORY_VERSION, Source
from trackdown.rerank import MODEL_OUTPUTS, VECTORS, vector_key
from trackdown.store import Store, StoredManifest, beyond_limit, drop_manifests, sweep_unused
from trackdown.units import oid_of_key

T = TypeVar("T")


def held(store: Store) -> list[StoredManifest]:
    """Every manifest of the store; damaged ones are left out."""
    found = []
    beside = _beside_segments(store)
    for key, value, used in store.database.records(CODE_MANIFESTS):
        code = _decoded(value, CodeManifest)
        if code is None:
            continue
        segments = [name for name in (code.base, code.delta) if name]
        arrays = (*segments, *(name for segment in segments for name in beside.get(segment, ())))
        found.append(StoredManifest(CODE_MANIFESTS, key, code.repository, used, arrays))
    for key, value, used in store.database.records(COMMIT_MANIFESTS):
        commits = _decoded(value, CommitManifest)
        if commits is not None:
            found.append(StoredManifest(COMMIT_MANIFESTS, key, key, used, tuple(commits.segments)))
    return found


def _beside_segments(store: Store) -> dict[str, list[str]]:
    """Segment → its files of vectors, of deep vectors and of rewritten units, one per model."""
    found: dict[str, list[str]] = {}
    for name in store.array_names():
        segment = segment_beside(name)
        if segment is not None:
            found.setdefault(segment, []).append(name)
    return found


def segment_beside(name: str) -> str | None:
    """The segment that an array file belongs to; None if it is a segment itself."""
    return segment_of_vectors(name) or segment_of_deep_vectors(name) or segment_of_rewrite_index(name)


def index_size(store: Store, code: CodeIndex) -> int:
    """Size in bytes of a snapshot's array files, including vectors and rewritten units."""
    beside = _beside_segments(store)
    names = (name for segment in code.segments for name in beside.get(segment.name, ()))
    return sum(segment.arrays.size for segment in code.segments) + sum(map(store.array_size, names))


def _decoded(value: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.DecodeError:
        return None


def collect_beyond_limit(store: Store, limit: int) -> bool:
    """Collect garbage if the store is larger than the limit. Returns whether it was."""
    if store.read_only or store.index_size() <= limit:
        return False
    drop_manifests(store, beyond_limit(store, held(store), limit))
    collect(store)
    return True


def collect(store: Store, *, but_not_read: bool = False) -> None:
    """Remove data that no manifest refers to, and free the space. `but_not_read` keeps the results of models."""
    manifests = held(store)
    kept = MODEL_OUTPUTS if but_not_read and manifests else ()
    sweep_unused(store, manifests, lambda kind: None if kind in kept else live_facts(store, manifests, kind))
    store.database.compact()


def drop_deltas(store: Store, keys: Sequence[str]) -> None:
    """Remove the delta indexes of old states. Their bases and facts stay, so a state can be gathered again quickly."""
    if not keys or store.read_only:
        return
    beside = _beside_segments(store)
    for key in keys:
        record = store.database.read_record(CODE_MANIFESTS, key)
        manifest = _decoded(record, CodeManifest) if record is not None else None
        if manifest is None or manifest.delta is None:
            continue
        store.database.delete_records(CODE_MANIFESTS, [key])
        for name in (manifest.delta, *beside.get(manifest.delta, ())):
            store.delete_arrays(name)


def forget(store: Store, source: Source, repository: str) -> None:
    """Remove one repository's indexes, state and clone, and the facts that no other repository uses.

    The results of models stay while there is another repository: they do not say whose text it was, and are costly.
    """
    forget_import(store, source)
    drop_manifests(store, [manifest for manifest in held(store) if manifest.repository == repository])
    for kind, place in (("worktree", source.root), ("repository", source.common_dir or source.root)):
        store.database.delete_records(kind, [str(place).encode("utf-8", "replace").decode()])
    collect(store, but_not_read=True)
    if source.url is not None:
        import shutil

        shutil.rmtree(source.root, ignore_errors=True)


def forget_import(store: Store, source: Source) -> bool:
    """Remove what was imported into a clone, and what was built on it. Returns whether there was anything."""
    imported = imported_into(store, source)
    if imported is None:
        return False
    unbind_import(store, source)
    dropped = [manifest for manifest in held(store) if manifest.repository == imported.namespace]
    drop_manifests(store, dropped)
    for name in {name for manifest in dropped for name in manifest.arrays}:
        store.delete_arrays(name)
    return True


def live_facts(store: Store, manifests: Sequence[StoredManifest], kind: str, without: Collection[str] = ()) -> set[str]:
    """The keys of the facts of a kind that the manifests' arrays were gathered from, `without` those of some blobs.

    Of the results of models these are the vectors of the deep index. The others are computed again when needed.
    """
    from trackdown.index import REFERENCES, references_key

    if kind in MODEL_OUTPUTS:
        return _live_vectors(store, manifests, without) if kind == VECTORS else set()
    if kind == COMMITS:
        return _live_commits(store, manifests)
    files: set[str] = set()
    for manifest in manifests:
        for name in manifest.arrays if manifest.kind == CODE_MANIFESTS else ():
            arrays = store.open_arrays(name) if segment_beside(name) is None else None
            if arrays is not None:
                files.update(CodeSegment(arrays).keys.all_text())
    if without:
        files = {key for key in files if oid_of_key(key) not in without}
    if kind == REWRITES:
        return _live_rewrites(store, files)
    return set(map(references_key, files)) if kind == REFERENCES else files


def _live_commits(store: Store, manifests: Sequence[StoredManifest]) -> set[str]:
    live: set[str] = set()
    for manifest in manifests:
        for name in manifest.arrays if manifest.kind == COMMIT_MANIFESTS else ():
            arrays = store.open_arrays(name)
            if arrays is not None:
                oids = [bytes(row).hex() for row in CommitSegment(arrays).oids]
                live.update(f"{oid}:{HISTORY_VERSION}" for oid in oids)
                live.update(f"{oid}:{HISTORY_VERSION}:{manifest.repository}" for oid in oids)
    return live


def _live_vectors(store: Store, manifests: Sequence[StoredManifest], without: Collection[str]) -> set[str]:
    """The keys of the vectors that deep indexes were gathered from."""
    live: set[str] = set()
    for name in {name for manifest in manifests for name in manifest.arrays}:
        of_segment = segment_of_deep_vectors(name)
        arrays = store.open_arrays(name) if of_segment is not None else None
        segment = store.open_arrays(of_segment) if arrays is not None and of_segment is not None else None
        if arrays is None or segment is None:
            continue
        gone = [oid_of_key(key) in without for key in CodeSegment(segment).keys.all_text()]
        kept = arrays["known"] & ~np.array(gone, dtype=bool)[segment["unit_file"]]
        model = str(arrays.meta.get("model", ""))
        live.update(vector_key(row.tobytes().hex(), model) for row in arrays["digests"][kept])
    return live


def _live_rewrites(store: Store, files: set[str]) -> set[str]:
    """The keys of rewrites whose text is still the text of a unit in some file."""
    known = store.database.read_facts(UNIT_TEXTS, files).values()
    texts = {digest for value in known for digest in digests_in(value)}
    return {key for key in store.database.fact_keys(REWRITES) if digest_of_key(key) in texts}
