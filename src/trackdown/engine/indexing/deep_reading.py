"""Let the encoder read all units of a snapshot that the deep index lacks.

The vector of a text is a fact, so that nothing is computed twice: not after an interruption, not on another branch and
not by the search that compares the unit later. Facts are written with every few units, and what is gathered from them
now and then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import StoreBusy
from trackdown.index import DeepSegment, write_deep
from trackdown.rerank import ReadingCache, UnitTexts, digest
from trackdown.types import Progress

if TYPE_CHECKING:
    from trackdown.engine.indexing.deep_index import SnapshotDeep
    from trackdown.models import Encoder

STEP = "deep"
_AT_ONCE = 32
"""Units between two reports, which may stop or delay the work: about a fifth of a second."""
_UNITS_PER_READER = 512
"""So many units are read before the texts of their files are forgotten."""
_SECONDS_BETWEEN_WRITES, _WORK_FOR_A_WRITE = 20.0, 50
"""The arrays of a huge repository take long to write: writing takes at most a fiftieth of the time."""
_LOCK_SECONDS = 1.0


def read_missing(deep: SnapshotDeep, progress: Progress, at_once: int = _AT_ONCE) -> None:
    """Compute and store the vectors that the deep index lacks. Units that cannot be read any more are left out.

    `progress` is called before every `at_once` units; what it raises ends the work, and what is done is kept. Raises
    ModelError, and StoreError if the store cannot be written.
    """
    encoder = deep.models.encoder()
    if encoder is None:
        return
    if deep.store.read_only:
        raise deep.store.database.unwritable()
    _Reading(deep, encoder, progress, at_once).run()


def read_missing_alone(deep: SnapshotDeep, repository: str, progress: Progress, *, wait: bool) -> None:
    """The same, while no other process does it for this repository. Waits for one that does, or raises StoreBusy."""
    while True:
        with deep.store.writing(f"{repository}-deep", _LOCK_SECONDS if wait else 0.0) as held:
            if held:
                read_missing(deep, progress)
                return
        if not wait:
            raise StoreBusy("another process is computing the deep index")
        progress("wait", 0, None)


class _Reading:
    """One pass over the units that lack a vector."""

    def __init__(self, deep: SnapshotDeep, encoder: Encoder, progress: Progress, at_once: int) -> None:
        self._deep = deep
        self._encoder = encoder
        self._progress = progress
        self._at_once = at_once
        self._readings = ReadingCache(encoder, deep.facts)
        state = deep.state()
        self._done, self._total = 0, state.total - state.units

    def run(self) -> None:
        for number, found in enumerate(self._deep.segments()):
            segment = self._deep.code.segments[number]
            known = found or DeepSegment.empty(len(segment.symbols), self._encoder.dimensions)
            missing = np.flatnonzero(self._deep.needed_in(number) & ~known.known)
            if len(missing) and segment.name:
                self._read_segment(number, known.writable(), missing)

    def _read_segment(self, number: int, found: DeepSegment, missing: npt.NDArray[np.int64]) -> None:
        next_write, unwritten = 0.0, 0
        offset = int(self._deep.code.unit_offsets[number])
        try:
            for units, texts in self._texts(missing, offset):
                if not self._is_kept(number):  # cleared or withdrawn meanwhile: nothing of it may come back
                    unwritten = 0
                    return
                if units:
                    found.add(np.array(units) - offset, self._readings.vectors(texts), list(map(digest, texts)))
                    self._readings.flush()
                    unwritten += len(units)
                    self._done += len(units)
                if unwritten and (began := time.monotonic()) >= next_write:
                    self._write(number, found)
                    unwritten, took = 0, time.monotonic() - began
                    next_write = began + max(_SECONDS_BETWEEN_WRITES, _WORK_FOR_A_WRITE * took)
        finally:
            if unwritten and self._is_kept(number):
                self._write(number, found)
        self._progress(STEP, self._done, self._total)

    def _is_kept(self, number: int) -> bool:
        """Whether the store still has the segment whose units are read."""
        return self._deep.store.has_arrays(self._deep.code.segments[number].name)

    def _write(self, number: int, found: DeepSegment) -> None:
        segment = self._deep.code.segments[number]
        write_deep(self._deep.store, segment, self._deep.reader, self._encoder.model_id, found)

    def _texts(self, missing: npt.NDArray[np.int64], offset: int) -> Iterator[tuple[list[int], list[str]]]:
        """A few units at a time, and what the encoder reads of each; without those that cannot be read any more."""
        code = self._deep.code
        for first in range(0, len(missing), _UNITS_PER_READER):
            some = (missing[first : first + _UNITS_PER_READER] + offset).tolist()
            with SourceReader(self._deep.snapshot) as reader:
                texts = UnitTexts(code, partial(reader.units, code))
                for start in range(0, len(some), self._at_once):
                    self._progress(STEP, self._done, self._total)
                    openings = {unit: texts.opening(unit) for unit in some[start : start + self._at_once]}
                    readable = {unit: text for unit, text in openings.items() if text is not None}
                    yield list(readable), list(readable.values())
