"""Encoder vectors of units, the deep index: an array file beside each segment, gathered from facts.

A file may be incomplete: the encoder takes minutes for a large repository, and a unit whose file has changed meanwhile
cannot be read any more. `known` says which units have a vector. The digests of the texts that the encoder read tell
garbage collection which facts the file was gathered from.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import Mask
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment
from trackdown.index.segmented_vectors import Float32s, SegmentVectors, as_whole_numbers
from trackdown.store import Store
from trackdown.types import TEST

DEEP_VERSION = 1
"""Part of the name of every file of deep vectors. Raise it when the same facts would now give another file."""
DIGEST_BYTES = 16
_PREFIX = "deep-"


@dataclass(frozen=True, slots=True)
class DeepSegment:
    """The encoder vectors of one segment's units. A unit that is not `known` has a row of zeros."""

    vectors: SegmentVectors
    known: Mask
    digests: npt.NDArray[np.uint8]

    @staticmethod
    def empty(units: int, dimensions: int) -> DeepSegment:
        """A segment without any vector yet."""
        vectors = SegmentVectors(np.zeros((units, dimensions), np.int8), np.zeros(units, np.float32))
        return DeepSegment(vectors, np.zeros(units, bool), np.zeros((units, DIGEST_BYTES), np.uint8))

    def writable(self) -> DeepSegment:
        """A copy that `add` can change."""
        vectors = SegmentVectors(self.vectors.rows.copy(), self.vectors.scales.copy())
        return DeepSegment(vectors, self.known.copy(), self.digests.copy())

    def add(self, units: npt.NDArray[np.int64], vectors: Float32s, digests: list[str]) -> None:
        """Take in the vectors of some units, and the digests of their texts."""
        made = as_whole_numbers(vectors)
        self.vectors.rows[units], self.vectors.scales[units] = made.rows, made.scales
        self.digests[units] = np.frombuffer(bytes.fromhex("".join(digests)), np.uint8).reshape(-1, DIGEST_BYTES)
        self.known[units] = True

    def texts(self) -> npt.NDArray[np.uint8]:
        """The digests of the texts that the known vectors were made of."""
        return self.digests[self.known]


def needs_vector(code: CodeIndex) -> Mask:
    """Which units of an index must have a vector before the deep index takes part: live ones outside tests.

    Tests rank below code, and there are often twice as many of them.
    """
    needed: Mask = code.unit_alive & (code.file_role != TEST)[code.unit_file]
    return needed


def deep_name(segment: str, reader: str) -> str:
    """The name of the file with a segment's vectors. `reader` names the model and which text of a unit it reads."""
    digest = hashlib.blake2b(f"{DEEP_VERSION}:{reader}".encode(), digest_size=6).hexdigest()
    return f"{_PREFIX}{digest}-{segment}"


def segment_of_deep_vectors(name: str) -> str | None:
    """The segment that a file of deep vectors belongs to; None for a file of another kind."""
    return name.removeprefix(_PREFIX).partition("-")[2] if name.startswith(_PREFIX) else None


def open_deep(store: Store, segment: CodeSegment, reader: str) -> DeepSegment | None:
    """The vectors of a segment that were computed so far; None if there are none."""
    arrays = store.open_arrays(deep_name(segment.name, reader)) if segment.name else None
    if arrays is None or (arrays.meta.get("reader"), arrays.meta.get("content")) != (reader, segment.content):
        return None
    found = DeepSegment(SegmentVectors(arrays["rows"], arrays["scales"]), arrays["known"], arrays["digests"])
    units = len(segment.symbols)
    sizes = {len(found.vectors.rows), len(found.vectors.scales), len(found.known), len(found.digests)}
    return found if sizes == {units} else None


def write_deep(store: Store, segment: CodeSegment, reader: str, model_id: str, found: DeepSegment) -> None:
    """Write what is computed of a segment. Raises StoreError."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "rows": found.vectors.rows,
        "scales": found.vectors.scales,
        "known": found.known,
        "digests": found.digests,
    }
    meta = {"reader": reader, "content": segment.content, "model": model_id}
    store.write_arrays(deep_name(segment.name, reader), arrays, meta)
