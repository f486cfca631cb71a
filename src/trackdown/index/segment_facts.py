"""The facts that a segment was built from, for arrays that are derived from the same files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

import msgspec
import numpy as np

from trackdown.index.blob_facts import BLOBS
from trackdown.index.code import CodeSegment
from trackdown.store import Store
from trackdown.types import Progress
from trackdown.units import BlobFacts, decode

_FILES_AT_ONCE = 500


class SegmentFacts:
    """The paths and facts of a segment's files with units, in order. `missing` counts facts that the store lacks.

    `only` restricts it to some files. `step` is the name of this work in progress reports.
    """

    def __init__(
        self,
        store: Store,
        segment: CodeSegment,
        progress: Progress,
        step: str = "vectors",
        only: Collection[int] | None = None,
    ) -> None:
        self.missing = 0
        self._store = store
        self._segment = segment
        self._progress = progress
        self._step = step
        self._only = only

    def __iter__(self) -> Iterator[tuple[str, BlobFacts | int]]:
        paths, keys = self._segment.paths.all_text(), self._segment.keys.all_text()
        units = np.bincount(self._segment.arrays["unit_file"], minlength=len(paths)).tolist()
        files = [file for file in range(len(paths)) if units[file] and (self._only is None or file in self._only)]
        for start in range(0, len(files), _FILES_AT_ONCE):
            wanted = files[start : start + _FILES_AT_ONCE]
            found = self._store.database.read_facts(BLOBS, [keys[file] for file in wanted])
            for file in wanted:
                yield paths[file], self._facts(found.get(keys[file]), units[file])
            self._progress(self._step, start + len(wanted), len(files))

    def _facts(self, value: bytes | None, units: int) -> BlobFacts | int:
        """The facts of a file; only the number of its units if they are gone or damaged."""
        with suppress(msgspec.DecodeError):
            if value is not None and len((facts := decode(value)).units) == units:
                return facts
        self.missing += 1
        return units
