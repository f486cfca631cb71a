"""A new base for an index that has drifted from its own: the same files in one segment, with an empty delta.

Each update gathers the whole delta again, so its cost grows with the number of files that differ from the base. Facts
are read, never made: nothing is parsed here.
"""

from __future__ import annotations

import msgspec
import numpy as np

from trackdown.index.blob_facts import known_facts
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment, IndexedFile, build_segment
from trackdown.index.code_update import CODE_MANIFESTS, CodeManifest, is_near
from trackdown.store import Store
from trackdown.units import decode

_LOCK_SECONDS = 30.0


def needs_new_base(code: CodeIndex) -> bool:
    """Whether so many files differ from the base that updates would be quicker with a new one."""
    base, *deltas = code.segments
    return not all(is_near(len(delta.paths), len(base.paths)) for delta in deltas)


def rebase_code(store: Store, key: str, repository: str) -> CodeIndex | None:
    """Replace the index of a snapshot, named by its key, by one that has a base only.

    None if there is nothing to do: the index is another repository's, has no delta, or lacks facts or arrays.
    """
    record = store.database.read_record(CODE_MANIFESTS, key)
    if record is None:
        return None
    manifest = msgspec.json.decode(record, type=CodeManifest)
    if manifest.delta is None or manifest.repository != repository:
        return None
    opened = [store.open_arrays(name) for name in (manifest.base, manifest.delta)]
    segments = [CodeSegment(arrays, manifest.base) for arrays in opened if arrays is not None]
    if len(segments) < 2:
        return None
    base, delta = segments
    dead = set(manifest.dead)
    keys = dict(file for number, file in enumerate(base.files()) if number not in dead) | dict(delta.files())
    known = known_facts(store, keys)
    arrays, meta = build_segment(IndexedFile(path, fact, decode(value)) for path, fact, value in known)
    if len(arrays["file_lines"]) != len(keys):
        return None
    name = f"code-{key}"
    with store.writing(repository, _LOCK_SECONDS) as held:
        if not held or store.read_only:
            return None
        store.write_arrays(name, arrays, meta)
        new = CodeManifest(repository, name, None, [], manifest.cut_on)
        store.database.write_record(CODE_MANIFESTS, key, msgspec.json.encode(new))
    written = store.open_arrays(name)
    if written is None:
        return None
    return CodeIndex([CodeSegment(written, name, base)], np.zeros(0, dtype=np.int64))
