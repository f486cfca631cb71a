"""Vectors of all units of an index, segment by segment: small integers, and exact cosines with a query's vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.index.query_vector import LARGEST, QueryVector
from trackdown.index.selection import kth_largest

Floats = npt.NDArray[np.float64]
Float32s = npt.NDArray[np.float32]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentVectors:
    """The vectors of one segment's units: integer rows, and the factors that scale them to length 1."""

    rows: npt.NDArray[np.int8]
    scales: Float32s


def as_whole_numbers(vectors: Float32s) -> SegmentVectors:
    """Vectors as integer rows with their factors."""
    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    rows = np.rint(vectors * (LARGEST / np.maximum(largest, 1e-20))).astype(np.int8)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.int64).astype(np.float64))
    scales = np.divide(1.0, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return SegmentVectors(rows, scales.astype(np.float32))


class SegmentedVectors:
    """The vectors of all units of an index."""

    def __init__(self, segments: Sequence[SegmentVectors]) -> None:
        self.segments = list(segments)

    def cosines(self, query: Float32s) -> Floats:
        """The cosine of every unit and the query; 0 if one of them has no vector."""
        if not query.any():
            return np.zeros(sum(len(segment.scales) for segment in self.segments))
        asked = QueryVector(query)
        return _concatenated([asked.cosines(segment.rows, segment.scales) for segment in self.segments])

    def nearest(self, query: Float32s, among: Int64s, count: int) -> tuple[Int64s, Floats]:
        """At least the `count` nearest of some units, in their order, with their cosines. The query must not be zero.

        Rough cosines tell which units can be among them; only those are compared exactly.
        """
        asked = QueryVector(query)
        if len(among) > count:
            rough = _concatenated([asked.rough_cosines(segment.rows, segment.scales) for segment in self.segments])
            rough = rough[among]
            among = among[rough >= kth_largest(rough, count) - 2 * asked.margin]
        found = []
        first = 0
        for segment in self.segments:
            last = first + len(segment.scales)
            own = among[(among >= first) & (among < last)] - first
            found.append(asked.cosines(segment.rows[own], segment.scales[own]))
            first = last
        return among, _concatenated(found)


def _concatenated(arrays: Sequence[Floats]) -> Floats:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
