"""What the units of a snapshot say, as one row of word hashes. To find messages, we scan it: it is short.

A message is a run of hashes with gaps for placeholders and an end. Messages of dead files are never found, and every
count comes from live messages alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.strings import StringTable, pack, to_bytes
from trackdown.store import Arrays
from trackdown.units import END_NUMBER, GAP_NUMBER, BlobFacts, word_hash

Int64s = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint32]
GAP = GAP_NUMBER
"""Stands in a message where the program fills something in."""
_BUCKETS = 1 << 16
"""As many as numbers of 16 bits."""


class MessageWriter:
    """Collects the messages of a segment's files."""

    def __init__(self) -> None:
        self._words: list[bytes] = []
        self._units: list[npt.NDArray[Any]] = []
        self._named: list[int] = []
        self._names: list[bytes] = []
        self._count = 0

    def add(self, facts: BlobFacts, first: int) -> None:
        """Add the messages of a file's units, whose rows begin with `first`."""
        if not facts.message_words:
            return
        units = np.frombuffer(facts.message_units, dtype="<u4").astype(np.int32) + np.int32(first)
        self._words.append(facts.message_words)
        self._units.append(units)
        for message, name in facts.message_names.items():
            self._named.append(self._count + message)
            self._names.append(to_bytes(name))
        self._count += len(units)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of a segment."""
        empty = np.zeros(0, dtype=np.int32)
        return {
            "message_words": np.frombuffer(b"".join(self._words), dtype="<u4").astype(np.uint32),
            "message_units": np.concatenate([empty, *self._units]),
            "message_named": np.array(self._named, dtype=np.int32),
            **pack("message_names", self._names),
        }


def hashed(words: Sequence[str]) -> Hashes:
    """The hashes of words, as messages have them."""
    return np.fromiter(map(word_hash, words), dtype=np.uint32, count=len(words))


class ProgramMessages:
    """The messages of all segments in one space. `unit_offsets` are the first units of the segments."""

    def __init__(
        self, segments: Sequence[Arrays], unit_offsets: Sequence[int], unit_alive: npt.NDArray[np.bool_]
    ) -> None:
        self.words: Hashes = np.concatenate([arrays["message_words"] for arrays in segments])
        is_end = self.words == END_NUMBER
        self._ends: Int64s = np.flatnonzero(is_end)
        self._message_of: Int64s = np.cumsum(is_end) - is_end
        pieces = [arrays["message_units"] + offset for arrays, offset in zip(segments, unit_offsets, strict=False)]
        self.units: Int64s = np.concatenate(pieces).astype(np.int64)
        self._alive = unit_alive[self.units]
        self.count = int(np.count_nonzero(self._alive))
        self._names = [StringTable(arrays, "message_names") for arrays in segments]
        self._named = [arrays["message_named"] for arrays in segments]
        self._firsts = np.cumsum([0, *(len(arrays["message_units"]) for arrays in segments)])

    @cached_property
    def _buckets(self) -> npt.NDArray[np.uint16]:
        """The low bits of each word. A mask of them says quickly where wanted words may be."""
        return self.words.astype(np.uint16)

    @cached_property
    def _sorted(self) -> Hashes:
        """The words of live messages, to count them."""
        return np.sort(self.words if self.count == len(self.units) else self.words[self._alive[self._message_of]])

    def places(self, wanted: Hashes) -> Int64s:
        """Where the words of live messages are among the wanted ones (sorted, unique), in order."""
        marked = np.zeros(_BUCKETS, dtype=bool)
        marked[wanted.astype(np.uint16)] = True
        places = np.flatnonzero(marked[self._buckets])
        if not len(places) or not len(wanted):
            return places[:0]
        values = self.words[places]
        rows = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
        places = places[wanted[rows] == values]
        live: Int64s = places if self.count == len(self.units) else places[self._alive[self.message_at(places)]]
        return live

    def frequencies(self, wanted: Hashes) -> Int64s:
        """How often each of the wanted words (sorted, unique) is in live messages."""
        firsts, lasts = (np.searchsorted(self._sorted, wanted, side=side) for side in ("left", "right"))
        return lasts - firsts

    def message_at(self, places: Int64s) -> Int64s:
        """The message that each place belongs to."""
        return self._message_of[places]

    def said(self, message: int) -> Hashes:
        """The words of a message."""
        start = int(self._ends[message - 1]) + 1 if message else 0
        return self.words[start : int(self._ends[message])]

    def size(self, messages: Int64s) -> Int64s:
        """How many words and gaps messages have."""
        ends = np.concatenate(([-1], self._ends))
        return ends[messages + 1] - ends[messages] - 1

    def name(self, message: int) -> str:
        """The constant or key that a message defines; empty if there is none."""
        segment = int(np.searchsorted(self._firsts, message, side="right")) - 1
        named = self._named[segment]
        row = int(np.searchsorted(named, message - self._firsts[segment]))
        known = row < len(named) and named[row] == message - self._firsts[segment]
        return self._names[segment].text(row) if known else ""
