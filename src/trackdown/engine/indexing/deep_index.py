"""The deep index of a snapshot: opened for one search, and completed if only a few units lack their vectors."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError, StoreError
from trackdown.index import CodeIndex, DeepSegment, SegmentedVectors, TimeLeft, needs_vector, open_deep
from trackdown.models import ModelShelf
from trackdown.repository import Snapshot
from trackdown.rerank import OPENING_VERSION
from trackdown.store import Store
from trackdown.types import DeepState, FactCache, Progress

Float32s = npt.NDArray[np.float32]
FEW = 100
"""So many missing units a search reads by itself. An edit seldom changes more, and the default search reads as many
candidates anyway."""
_AT_ONCE = 8
"""Units that it reads before it looks at the clock."""


class _TimeIsUp(Exception):
    """Ends the reading of a search."""


class SnapshotDeep:
    """The deep index of one snapshot, as one search meets it.

    `known` caches the vectors of segments that are complete, by reader and content. What another process computes
    meanwhile is seen until `vectors` is first called: then the state is settled, so that an answer tells the truth
    about itself.
    """

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        code: CodeIndex,
        models: ModelShelf,
        facts: FactCache,
        known: MutableMapping[str, DeepSegment],
        progress: Progress,
    ) -> None:
        self.store = store
        self.snapshot = snapshot
        self.code = code
        self.models = models
        self.facts = facts
        self.progress = progress
        self.needed = needs_vector(code)
        self._known = known
        self._segments: list[DeepSegment | None] | None = None

    @property
    def reader(self) -> str:
        """The encoder's id, and the version of what it reads of a unit; empty without an encoder."""
        model = self.models.encoder_id()
        return f"{model}:{OPENING_VERSION}" if model else ""

    def segments(self) -> list[DeepSegment | None]:
        """What is computed so far of each segment."""
        if self._segments is not None:
            return self._segments
        reader = self.reader
        if not reader:
            return [None] * len(self.code.segments)
        complete: dict[str, DeepSegment] = {}
        every: list[DeepSegment | None] = []
        for number, segment in enumerate(self.code.segments):
            key = f"{reader}:{segment.content}"
            found = self._known.get(key)
            if found is None or not self._is_complete(found, number):
                found = open_deep(self.store, segment, reader)
            if found is not None and self._is_complete(found, number):
                complete[key] = found
            every.append(found)
        self._known.clear()
        self._known.update(complete)
        return every

    def _is_complete(self, found: DeepSegment, number: int) -> bool:
        return bool(found.known[self.needed_in(number)].all())

    def needed_in(self, number: int) -> npt.NDArray[np.bool_]:
        """Which units of a segment need a vector."""
        first, last = self.code.unit_offsets[number : number + 2].tolist()
        return self.needed[first:last]

    def state(self) -> DeepState:
        """How far it is."""
        units = 0
        for number, found in enumerate(self.segments()):
            if found is not None:
                units += int((found.known & self.needed_in(number)).sum())
        total = int(self.needed.sum())
        return DeepState(bool(self.reader) and units == total, units, total)

    def state_if_any(self) -> DeepState | None:
        """How far it is; None without an encoder, since then there is none to compute."""
        return self.state() if self.reader else None

    def complete(self, time: TimeLeft) -> bool:
        """Read the units without a vector, if it was complete but for a few because files have changed since. Stops
        when time is up. Returns whether there was something to read.
        """
        state = self.state()
        if state.ready or not state.units or state.total - state.units > FEW or self.store.read_only:
            return False
        with time.paused():  # the model may still be loading
            self.models.encoder()
        self._read_the_few(time)
        return True

    def vectors(self) -> SegmentedVectors | None:
        """The vectors of all units; None as long as one that needs a vector has none."""
        self._segments = every = self.segments()
        sizes = {found.vectors.rows.shape[1] for found in every if found is not None}
        if not self.state().ready or len(sizes) != 1:
            return None
        (dimensions,) = sizes
        units = np.diff(self.code.unit_offsets).tolist()
        # A segment of tests alone has no vectors.
        whole = [found or DeepSegment.empty(count, dimensions) for found, count in zip(every, units, strict=True)]
        return SegmentedVectors([found.vectors for found in whole])

    def _read_the_few(self, time: TimeLeft) -> None:
        from trackdown.engine.indexing.deep_reading import read_missing

        slowest, before = 0.0, time.left()

        def stop_in_time(step: str, done: int, total: int | None) -> None:
            nonlocal slowest, before
            left = time.left()
            slowest, before = max(slowest, before - left), left
            if left <= slowest:
                raise _TimeIsUp
            self.progress(step, done, total)

        try:
            read_missing(self, stop_in_time, at_once=_AT_ONCE)
        except _TimeIsUp:
            pass
        except ModelError as error:
            self.models.failed(error)
        except StoreError:  # a full disk must not end a search
            pass

    def query_vector(self, text: str, exemplars: Sequence[str]) -> Float32s | None:
        """The encoder's vector of a query, together with code that answers it; None without an encoder."""
        from trackdown.rerank import ReadingCache, normalized_query

        encoder = self.models.encoder()
        if encoder is None:
            return None
        readings = ReadingCache(encoder, self.facts)
        try:
            found = readings.query(normalized_query(text), [normalized_query(code) for code in exemplars])
        except ModelError as error:
            self.models.failed(error)
            return None
        readings.flush()
        return found.vector.astype(np.float32)
