"""The facts that a segment was built from, for arrays that are derived from the same files."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec
import numpy as np

from trackdown.index.blob_facts import BLOBS, MakeFacts
from trackdown.index.code_segment import CodeSegment
from trackdown.store import Store
from trackdown.types import Progress
from trackdown.units import BlobFacts, decode

_FILES_AT_ONCE = 500


class SegmentFacts:
    """The paths and facts of a segment's files with units, in order. `missing` counts facts that are not to be had.

    `make` makes facts that the store lacks. `only` restricts it to some files. `step` is the name of this work in
    progress reports.
    """

    def __init__(
        self,
        store: Store,
        segment: CodeSegment,
        progress: Progress,
        step: str = "vectors",
        only: Collection[int] | None = None,
        make: MakeFacts | None = None,
    ) -> None:
        self.missing = 0
        self._store = store
        self._segment = segment
        self._progress = progress
        self._step = step
        self._only = only
        self._make = make

    def __iter__(self) -> Iterator[tuple[str, BlobFacts | int]]:
        paths, keys = self._segment.paths.all_text(), self._segment.keys.all_text()
        units = np.bincount(self._segment.arrays["unit_file"], minlength=len(paths)).tolist()
        files = [file for file in range(len(paths)) if units[file] and (self._only is None or file in self._only)]
        for start in range(0, len(files), _FILES_AT_ONCE):
            wanted = files[start : start + _FILES_AT_ONCE]
            stored = self._store.database.read_facts(BLOBS, [keys[file] for file in wanted])
            found = {file: _decoded(stored.get(keys[file]), units[file]) for file in wanted}
            lost = {paths[file]: keys[file] for file in wanted if found[file] is None}
            made = self._make(lost) if lost and self._make is not None else {}
            for file in wanted:
                facts = found[file] or _decoded(made.get(keys[file]), units[file])
                self.missing += facts is None
                yield paths[file], units[file] if facts is None else facts
            self._progress(self._step, start + len(wanted), len(files))


def _decoded(value: bytes | None, units: int) -> BlobFacts | None:
    """The facts of a file with this number of units; None if they are gone, damaged or of another content."""
    if value is None:
        return None
    try:
        facts = decode(value)
    except msgspec.DecodeError:
        return None
    return facts if len(facts.units) == units else None
