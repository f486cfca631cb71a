"""The facts that a segment was gathered from, for what is derived from the same files beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec
import numpy as np

from trackdown.index.blob_facts import BLOBS
from trackdown.index.code import CodeSegment
from trackdown.store.store import Store
from trackdown.types import Progress
from trackdown.units.facts import BlobFacts, decode

_FILES_AT_ONCE = 500


class SegmentFacts:
    """The paths and facts of a segment's files, in its order. `missing` counts those that the store does not have.

    Files without units are left out. `step` is what progress calls it.
    """

    def __init__(self, store: Store, segment: CodeSegment, progress: Progress, step: str = "vectors") -> None:
        self.missing = 0
        self._store = store
        self._segment = segment
        self._progress = progress
        self._step = step

    def __iter__(self) -> Iterator[tuple[str, BlobFacts | int]]:
        paths, keys = self._segment.paths.all_text(), self._segment.keys.all_text()
        units = np.bincount(self._segment.arrays["unit_file"], minlength=len(paths)).tolist()
        for start in range(0, len(paths), _FILES_AT_ONCE):
            wanted = range(start, min(start + _FILES_AT_ONCE, len(paths)))
            found = self._store.database.read_facts(BLOBS, [keys[file] for file in wanted if units[file]])
            for file in wanted:
                if units[file]:
                    yield paths[file], self._facts(found.get(keys[file]), units[file])
            self._progress(self._step, wanted.stop, len(paths))

    def _facts(self, value: bytes | None, units: int) -> BlobFacts | int:
        """The facts of a file; only how many units it has when they are gone or damaged."""
        with suppress(msgspec.DecodeError):
            if value is not None and len((facts := decode(value)).units) == units:
                return facts
        self.missing += 1
        return units
