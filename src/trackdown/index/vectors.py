"""A vector for every unit: the sum of the static table's vectors of its words. Made from facts; reads no source.

Each segment has its own array file of vectors, named after the segment and the model, so an edit costs the vectors of
its delta, and results of two models never mix. Rows are small integers, and so are the two halves of a query: every
product is exact, and a cosine never depends on a unit's position in an index.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import StoreError
from trackdown.index.blob_facts import MakeFacts
from trackdown.index.bm25 import Mask
from trackdown.index.code import CodeIndex
from trackdown.index.code_segment import CodeSegment
from trackdown.index.segment_facts import SegmentFacts
from trackdown.index.segmented_vectors import SegmentedVectors, SegmentVectors, as_whole_numbers
from trackdown.store import Store
from trackdown.types import Progress, no_progress
from trackdown.units import BlobFacts, terms, words

if TYPE_CHECKING:
    from trackdown.models import StaticTable

Float32s = npt.NDArray[np.float32]
Int64s = npt.NDArray[np.int64]
VECTORS_VERSION = 1
"""Part of the name of every file of vectors. Raise it when the same facts would now give other vectors."""
_PREFIX = "vectors-"
_NAME, _PATH = 2.0, 0.5
"""The weights of a word in the symbol and in the path, relative to a word that the text has once."""
_UNITS_AT_ONCE = 256
_WORDS_AT_ONCE = 1 << 16


def vectors_name(segment: str, model_id: str) -> str:
    """The name of the file that holds a segment's vectors by one model."""
    digest = hashlib.blake2b(f"{VECTORS_VERSION}:{model_id}".encode(), digest_size=6).hexdigest()
    return f"{_PREFIX}{digest}-{segment}"


def segment_of_vectors(name: str) -> str | None:
    """The segment that a file of vectors belongs to; None for a file of another kind."""
    return name.removeprefix(_PREFIX).partition("-")[2] if name.startswith(_PREFIX) else None


class UnitVectors(SegmentedVectors):
    """The static vectors of all units of an index, and the table for the vectors of queries."""

    def __init__(self, table: StaticTable, segments: Sequence[SegmentVectors]) -> None:
        super().__init__(segments)
        self.table = table

    def vector(self, text: str, weights: Mapping[str, float]) -> Float32s:
        """The vector of a query, not normalized: its words, each with the weight of its whole term."""
        found = {whole: word for word in words(text) for whole in terms(word)[:1] if whole in weights}
        if not found:
            return np.zeros(self.table.dimensions, dtype=np.float32)
        shares = np.array([weights[term] for term in found], dtype=np.float32)
        total: Float32s = (shares[:, None] * self.table.words(list(found.values()))).sum(axis=0)
        return total

    def code_vector(self, text: str) -> Float32s:
        """The vector of code outside the index, not normalized: words count as in a unit's text."""
        return code_vector(self.table, text)


def code_vector(table: StaticTable, text: str) -> Float32s:
    """The sum of the table's vectors of a text's words, as for a unit."""
    counts = Counter(words(text))
    if not counts:
        return np.zeros(table.dimensions, dtype=np.float32)
    shares = 1.0 + np.log(np.fromiter(counts.values(), np.float32, len(counts)))
    total: Float32s = (shares[:, None] * table.words(list(counts))).sum(axis=0)
    return total


def unit_vectors(
    store: Store,
    code: CodeIndex,
    table: StaticTable,
    known: MutableMapping[str, SegmentVectors],
    progress: Progress = no_progress,
    make: MakeFacts | None = None,
) -> UnitVectors | None:
    """The vectors of an index: those `known` in memory, those in the store, and new ones, which are added to both.

    `make` makes facts that the store lacks. None for an index in memory only, as during another process's first index.
    """
    found: dict[str, SegmentVectors] = {}
    complete: dict[str, SegmentVectors] = {}
    for segment in code.segments:
        if not segment.name:
            return None
        key = f"{table.model_id}:{segment.content}"
        vectors = known.get(key) or _opened(store, segment, table)
        is_complete = True
        if vectors is None:
            vectors, is_complete = _made(store, segment, table, progress, make)
        found[key] = vectors
        if is_complete:
            complete[key] = vectors
    known.clear()
    known.update(complete)
    return UnitVectors(table, list(found.values()))


def have_vectors(store: Store, code: CodeIndex, table: StaticTable, known: MutableMapping[str, SegmentVectors]) -> bool:
    """Whether the vectors of an index are ready: `known` in memory, or in the store."""
    return all(
        segment.name and (f"{table.model_id}:{segment.content}" in known or _opened(store, segment, table) is not None)
        for segment in code.segments
    )


def _opened(store: Store, segment: CodeSegment, table: StaticTable) -> SegmentVectors | None:
    arrays = store.open_arrays(vectors_name(segment.name, table.model_id))
    if arrays is None or arrays.meta != _meta(segment, table):
        return None
    found = SegmentVectors(arrays["rows"], arrays["scales"])
    whole = found.rows.shape == (len(segment.symbols), table.dimensions) and len(found.scales) == len(segment.symbols)
    return found if whole else None


def _meta(segment: CodeSegment, table: StaticTable) -> dict[str, str]:
    return {"model": table.model_id, "content": segment.content}


def _made(
    store: Store, segment: CodeSegment, table: StaticTable, progress: Progress, make: MakeFacts | None
) -> tuple[SegmentVectors, bool]:
    """Compute a segment's vectors, and store them if they are complete and the store can be written.

    They are incomplete if the facts of a file are not to be had. Vectors of files that the segment's kin also has are
    copied.
    """
    units_in_kin = segment.units_in_kin()
    of_kin = _opened(store, segment.kin, table) if segment.kin is not None else None
    if of_kin is None:
        units_in_kin[:] = -1
    new = units_in_kin < 0
    facts = SegmentFacts(store, segment, progress, only=set(segment.arrays["unit_file"][new].tolist()), make=make)
    made = build_vectors(facts, table)
    if of_kin is not None:
        made = _joined(made, new, of_kin, units_in_kin[~new])
    if not facts.missing and not store.read_only:
        with suppress(StoreError):  # a full disk must not end a search: they will be computed again
            arrays: dict[str, npt.NDArray[Any]] = {"rows": made.rows, "scales": made.scales}
            store.write_arrays(vectors_name(segment.name, table.model_id), arrays, _meta(segment, table))
    return made, not facts.missing


def _joined(made: SegmentVectors, new: Mask, of_kin: SegmentVectors, copied: Int64s) -> SegmentVectors:
    """Computed vectors for the `new` units, and copies from the kin for the others."""
    rows = np.empty((len(new), made.rows.shape[1]), dtype=np.int8)
    scales = np.empty(len(new), dtype=np.float32)
    rows[new], scales[new] = made.rows, made.scales
    rows[~new], scales[~new] = of_kin.rows[copied], of_kin.scales[copied]
    return SegmentVectors(rows, scales)


def build_vectors(files: Iterable[tuple[str, BlobFacts | int]], table: StaticTable) -> SegmentVectors:
    """A row for each unit of the files, in order. A number in place of facts means that many units without vectors."""
    blocks: list[Float32s] = [np.zeros((0, table.dimensions), dtype=np.float32)]
    block = _Block(table)
    for path, facts in files:
        block.add(path, facts)
        if len(block.numbers) >= _WORDS_AT_ONCE:
            blocks.append(block.vectors())
            block = _Block(table)
    blocks.append(block.vectors())
    return as_whole_numbers(np.concatenate(blocks))


class _Block:
    """A batch of files whose words are looked up together, each word once."""

    def __init__(self, table: StaticTable) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._table = table
        self._files: list[_FileWords | int] = []

    def add(self, path: str, facts: BlobFacts | int) -> None:
        """Add a file."""
        self._files.append(facts if isinstance(facts, int) else _FileWords(path, facts, self.numbers))

    def vectors(self) -> Float32s:
        """The vectors of all units of the files, not normalized."""
        of_words = self._table.words(list(self.numbers))
        empty = np.zeros((0, self._table.dimensions), dtype=np.float32)
        pieces = [
            np.zeros((file, self._table.dimensions), dtype=np.float32)
            if isinstance(file, int)
            else file.vectors(of_words)
            for file in self._files
        ]
        return np.concatenate([empty, *pieces])


class _FileWords:
    """The words of one file's units as three arrays, by unit: word, weight, and where each unit's words begin.

    Words are numbered per file, so that sums are added in the same order whatever else is in a segment.
    """

    def __init__(self, path: str, facts: BlobFacts, numbers: defaultdict[str, int]) -> None:
        own = {word: number for number, word in enumerate(facts.vocabulary)}
        names = [[own.setdefault(word, len(own)) for word in words(unit.symbol)] for unit in facts.units]
        self._path = [own.setdefault(word, len(own)) for word in words(os.path.splitext(path)[0])]
        self._numbers = np.array([numbers[word] for word in own], dtype=np.int64)
        pointers = np.frombuffer(facts.pointers, dtype="<u4").astype(np.int64)
        sizes = np.array([len(name) for name in names], dtype=np.int64)
        places = np.repeat(pointers[:-1], sizes)
        flat = np.array([number for name in names for number in name], dtype=np.int64)
        weights = 1.0 + np.log(np.maximum(np.frombuffer(facts.counts, dtype="<u4"), 1))
        self._words = np.insert(np.frombuffer(facts.word_ids, dtype="<u4").astype(np.int64), places, flat)
        self._weights = np.insert(weights, places, _NAME).astype(np.float32)
        self._pointers = pointers + np.concatenate(([0], np.cumsum(sizes)))

    def vectors(self, of_words: Float32s) -> Float32s:
        """The units' vectors, some units at a time."""
        units = len(self._pointers) - 1
        of_words = of_words[self._numbers]
        of_path = _PATH * of_words[self._path].sum(axis=0, dtype=np.float32)
        found = np.tile(of_path, (units, 1))
        for start in range(0, units, _UNITS_AT_ONCE):
            ends = self._pointers[start : start + _UNITS_AT_ONCE + 1]
            inside = slice(ends[0], ends[-1])
            rows = of_words[self._words[inside]]
            rows *= self._weights[inside, None]
            with_words = np.flatnonzero(np.diff(ends))
            # Adding rows is simpler than a matrix product, and many small products are slow on a busy machine.
            if len(with_words):
                found[start + with_words] += np.add.reduceat(rows, (ends - ends[0])[with_words], axis=0)
        return found
