"""Words of documents → postings: for each term, the documents that have it and how often, in flat arrays.

Several fields (name, path, body) share one table of terms. A segment is immutable. Each search brings a mask of live
documents, and all statistics for ranking come from those alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.strings import SortedTable, pack_sorted, to_bytes
from trackdown.store import Arrays
from trackdown.units import terms

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
_COUNT_BITS = 12
_MOST_COUNTED = (1 << _COUNT_BITS) - 1


class FieldWriter:
    """Collects (document, word, count) of one field."""

    def __init__(self) -> None:
        self._documents: list[npt.NDArray[Any]] = []
        self._words: list[npt.NDArray[Any]] = []
        self._counts: list[npt.NDArray[Any]] = []

    def add(self, documents: npt.ArrayLike, words: npt.ArrayLike, counts: npt.ArrayLike) -> None:
        """Add aligned arrays; documents may come in any order and words may repeat."""
        self._documents.append(np.asarray(documents, dtype=np.int32))
        self._words.append(np.asarray(words, dtype=np.int32))
        self._counts.append(np.minimum(counts, _MOST_COUNTED).astype(np.int16))

    def entries(self) -> tuple[Int32s, Int32s, npt.NDArray[np.int16]]:
        """Everything added, as three arrays. The writer is empty afterwards."""
        if not self._documents:
            empty = np.zeros(0, dtype=np.int32)
            return empty, empty, empty.astype(np.int16)
        joined = np.concatenate(self._documents), np.concatenate(self._words), np.concatenate(self._counts)
        self._documents, self._words, self._counts = [], [], []
        return joined


class PostingsWriter:
    """Numbers words, collects fields, and turns them into the arrays of a segment."""

    def __init__(self, *fields: str) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.fields = {name: FieldWriter() for name in fields}

    def number(self, words: Sequence[str]) -> list[int]:
        """The numbers of words, new ones included."""
        return list(map(self.numbers.__getitem__, words))

    def arrays(self, sizes: dict[str, int]) -> dict[str, npt.NDArray[Any]]:
        """The arrays of all fields; `sizes` says how many documents each has."""
        table, first, ids = self._terms()
        arrays = pack_sorted("terms", table)
        for name, field in self.fields.items():
            arrays |= _field_arrays(name, field, sizes[name], first, ids, len(table))
        return arrays

    def _terms(self) -> tuple[list[bytes], Int64s, Int64s]:
        """The sorted terms, and for each word its terms (ids[first[w]:first[w + 1]])."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        first = np.zeros(len(self.numbers) + 1, dtype=np.int64)
        ids: list[int] = []
        for index, word in enumerate(self.numbers):
            ids += map(numbers.__getitem__, terms(word))
            first[index + 1] = len(ids)
        encoded = [to_bytes(term) for term in numbers]
        order = sorted(range(len(encoded)), key=encoded.__getitem__)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return [encoded[index] for index in order], first, place[np.array(ids, dtype=np.int64)]


def _field_arrays(
    name: str, field: FieldWriter, size: int, first: Int64s, ids: Int64s, term_count: int
) -> dict[str, npt.NDArray[Any]]:
    """Entries of words → postings of terms, sorted by term and document."""
    bits = max(size, 1).bit_length()
    if term_count.bit_length() + bits + _COUNT_BITS > 63:
        raise OverflowError("too many units for one segment")
    packed = _packed_entries(field, first, ids, bits)
    packed.sort()  # one packed integer sorts several times faster than three keys
    keys = packed >> _COUNT_BITS
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    packed &= _MOST_COUNTED
    totals = np.add.reduceat(packed, starts) if len(packed) else packed
    del packed
    keys = keys[starts]
    documents = (keys & ((1 << bits) - 1)).astype(np.int32)
    keys >>= bits
    pointers = np.zeros(term_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=term_count), out=pointers[1:])
    lengths = np.bincount(documents, weights=totals, minlength=size)
    return {
        f"{name}_pointers": pointers,
        f"{name}_documents": documents,
        f"{name}_counts": np.minimum(totals, 65535).astype(np.uint16),
        f"{name}_lengths": lengths.astype(np.int32),
    }


def _packed_entries(field: FieldWriter, first: Int64s, ids: Int64s, bits: int) -> Int64s:
    """Every (term, document, count) as one number, in chunks. A word counts for each of its terms."""
    documents, words, counts = field.entries()
    repeats = (first[1:] - first[:-1])[words]
    packed = np.repeat((documents.astype(np.int64) << _COUNT_BITS) | counts, repeats)
    del documents, counts
    places = np.repeat(first[words] - (np.cumsum(repeats) - repeats), repeats)
    del words, repeats
    places += np.arange(len(places))
    packed |= ids[places] << (bits + _COUNT_BITS)
    return packed


@dataclass(frozen=True, slots=True)
class Field:
    """One searchable field of one segment."""

    pointers: Int64s
    documents: Int32s
    counts: npt.NDArray[np.uint16]
    lengths: Int32s


def open_field(arrays: Arrays, name: str) -> Field:
    """The field in an array file."""
    return Field(
        arrays[f"{name}_pointers"], arrays[f"{name}_documents"], arrays[f"{name}_counts"], arrays[f"{name}_lengths"]
    )


def find_terms(table: SortedTable, wanted: Sequence[str]) -> list[int]:
    """The row of each term in a segment's table, or -1."""
    return table.find([to_bytes(term) for term in wanted])


def known_terms(tables: Sequence[SortedTable], wanted: Sequence[str]) -> list[bool]:
    """Which terms are in one of the tables."""
    encoded = [to_bytes(term) for term in wanted]
    known = [False] * len(wanted)
    for table in tables:
        known = [before or row >= 0 for before, row in zip(known, table.find(encoded), strict=True)]
    return known
