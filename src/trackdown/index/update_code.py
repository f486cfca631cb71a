"""Bring the code index of a snapshot up to date: facts for new blobs, then a base or a delta of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from trackdown.index.code import CodeIndex, CodeSegment, IndexedFile, build_segment
from trackdown.repository.snapshot import Snapshot
from trackdown.store.arrays import Arrays
from trackdown.store.store import Store
from trackdown.types import Exclusion, Progress
from trackdown.units.facts import EXTRACTOR_VERSION, decode, fact_key
from trackdown.units.languages import language_of
from trackdown.units.pool import extract_all
from trackdown.units.worker import Job, Place

MANIFESTS = "code"
BLOBS = "blob"
INDEX_VERSION = 1
_BASES_COMPARED = 4
_WRITE_EVERY = 256


class Manifest(msgspec.Struct, frozen=True):
    """Which array files make up the index of one snapshot. `dead` are the files of the base it does not have."""

    repository: str
    base: str
    delta: str | None
    dead: list[int]


@dataclass(frozen=True, slots=True)
class CodeUpdate:
    """An index, and what kept it from being whole: files that changed under our hands, or that others still parse."""

    index: CodeIndex
    moved: tuple[str, ...] = ()
    pending: int = 0


def manifest_key(snapshot: Snapshot) -> str:
    """The key of a snapshot's index: its content, how it was extracted and how it was gathered."""
    return f"{snapshot.key}-{EXTRACTOR_VERSION}.{INDEX_VERSION}"


def open_code(store: Store, key: str) -> CodeUpdate | None:
    """The index of a snapshot, if it is ready and whole."""
    record = store.database.read_record(MANIFESTS, key)
    if record is None:
        return None
    try:
        manifest = msgspec.json.decode(record, type=Manifest)
    except msgspec.DecodeError:
        return None
    segments = []
    for name in filter(None, (manifest.base, manifest.delta)):
        arrays = store.open_arrays(name)
        if arrays is None:
            return None
        segments.append(CodeSegment(arrays))
    store.database.touch_record(MANIFESTS, key)
    return CodeUpdate(CodeIndex(segments, np.array(manifest.dead, dtype=np.int64)))


def update_code(
    store: Store, snapshot: Snapshot, repository: str, *, max_bytes: int, workers: int, progress: Progress
) -> CodeUpdate:
    """Make the index of a snapshot. Only blobs without facts are parsed. The caller holds the write lock."""
    keys = {file.path: fact_key(file.oid, language_of(file.path), file.forced) for file in snapshot.files}
    moved = _make_facts(store, snapshot, keys, max_bytes, workers, progress)
    progress("gather", 0, None)
    for path in moved:
        del keys[path]
    return _gather(store, snapshot, repository, keys, moved, keep=not moved)


def partial_code(store: Store, snapshot: Snapshot, repository: str) -> CodeUpdate:
    """The index of those files that have facts by now, in memory; for readers beside a first index."""
    keys = {file.path: fact_key(file.oid, language_of(file.path), file.forced) for file in snapshot.files}
    known = store.database.known_facts(BLOBS, keys.values())
    ready = {path: key for path, key in keys.items() if key in known}
    update = _gather(store, snapshot, repository, ready, [], keep=False)
    return CodeUpdate(update.index, pending=len(keys) - len(ready))


def make_facts(
    store: Store, snapshot: Snapshot, *, max_bytes: int, workers: int, progress: Progress
) -> tuple[list[tuple[str, str]], list[Exclusion]]:
    """What a snapshot takes in (path, language) and what its files' contents leave out, for a dry run."""
    keys = {file.path: fact_key(file.oid, language_of(file.path), file.forced) for file in snapshot.files}
    moved = _make_facts(store, snapshot, keys, max_bytes, workers, progress)
    included: list[tuple[str, str]] = []
    excluded = [Exclusion(path, "unreadable") for path in moved]
    for path, key in keys.items():
        if path not in moved:
            facts = decode(store.database.read_facts(BLOBS, [key])[key])
            if facts.skip:
                excluded.append(Exclusion(path, facts.skip))
            else:
                included.append((path, facts.language))
    return included, excluded


def _make_facts(
    store: Store, snapshot: Snapshot, keys: Mapping[str, str], max_bytes: int, workers: int, progress: Progress
) -> list[str]:
    """Parse what has no facts yet. Returns the paths that were no longer what the snapshot says."""
    known = store.database.known_facts(BLOBS, keys.values())
    jobs: dict[str, Job] = {}
    paths: dict[str, list[str]] = {}
    for file in snapshot.files:
        key = keys[file.path]
        if key not in known:
            jobs[key] = Job(key, os.fsencode(file.path), file.oid, language_of(file.path), file.forced)
            paths.setdefault(key, []).append(file.path)
    source = snapshot.source
    place = Place(
        str(source.root), str(source.git.git_dir) if source.git else None, snapshot.on_disk, source.object_format,
        max_bytes,
    )  # fmt: skip
    moved: list[str] = []
    rows: list[tuple[str, bytes]] = []
    done = 0
    if jobs:
        progress("parse", 0, len(jobs))
    for batch in extract_all(place, list(jobs.values()), workers):
        for item in batch:
            if item.facts is None:
                moved += paths[item.key]
            else:
                rows.append((item.key, item.facts))
        done += len(batch)
        progress("parse", done, len(jobs))
        if len(rows) >= _WRITE_EVERY:
            store.database.write_facts(BLOBS, rows)
            rows = []
    store.database.write_facts(BLOBS, rows)
    return moved


def _gather(
    store: Store, snapshot: Snapshot, repository: str, keys: Mapping[str, str], moved: Sequence[str], *, keep: bool
) -> CodeUpdate:
    """Facts → a new base, or a delta on the base that is nearest."""
    key = manifest_key(snapshot)
    limit = max(64, len(keys) // (20 if snapshot.on_disk else 4))
    nearest = _nearest_base(store, repository, keys, limit)
    if nearest is None:
        name, wanted, dead = f"code-{key}", keys, np.zeros(0, dtype=np.int64)
    else:
        base_name, base, dead, wanted = nearest
        name = f"delta-{key}"
    arrays, meta = build_segment(_indexed(store, wanted))
    segment = CodeSegment(Arrays(arrays, meta))
    if keep and not store.read_only:
        store.write_arrays(name, arrays, meta)
        written = store.open_arrays(name)
        segment = CodeSegment(written) if written is not None else segment
        manifest = Manifest(
            repository, name if nearest is None else base_name, None if nearest is None else name, dead.tolist()
        )
        store.database.write_record(MANIFESTS, key, msgspec.json.encode(manifest))
    segments = [segment] if nearest is None else [base, segment]
    return CodeUpdate(CodeIndex(segments, dead), tuple(moved))


def _indexed(store: Store, keys: Mapping[str, str]) -> Iterator[IndexedFile]:
    """The files that go into a segment, by path."""
    paths = sorted(keys)
    facts = store.database.stream_facts(BLOBS, [keys[path] for path in paths])
    for path, (key, value) in zip(paths, facts, strict=True):
        yield IndexedFile(path, key, decode(value))


def _nearest_base(
    store: Store, repository: str, keys: Mapping[str, str], limit: int
) -> tuple[str, CodeSegment, npt.NDArray[np.int64], dict[str, str]] | None:
    """The base that differs least from the wanted files: its name, arrays, dead files and the files to add."""
    names: dict[str, None] = {}
    for _, value, _ in store.database.records(MANIFESTS):
        manifest = msgspec.json.decode(value, type=Manifest)
        if manifest.repository == repository:
            names.setdefault(manifest.base)
    best = None
    for name in list(names)[:_BASES_COMPARED]:
        arrays = store.open_arrays(name)
        if arrays is None:
            continue
        base = CodeSegment(arrays)
        held = dict(zip(base.paths.all_text(), base.keys.all_text(), strict=True))
        dead = [number for number, (path, key) in enumerate(held.items()) if keys.get(path) != key]
        added = {path: key for path, key in keys.items() if held.get(path) != key}
        if best is None or len(added) + len(dead) < len(best[3]) + len(best[2]):
            best = (name, base, np.array(dead, dtype=np.int64), added)
    return best if best is not None and len(best[3]) <= limit else None
