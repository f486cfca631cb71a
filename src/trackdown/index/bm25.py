"""BM25 over one field of one or two segments, with k1 and b chosen at query time.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that stays
positive: ln(1 + (N - df + 0.5) / (df + 0.5)). Document frequency, count and average length come from live documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.index.postings import Field

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A field of one segment, the rows of the query's terms in it (-1: not there), and what is alive (None: all)."""

    field: Field
    rows: Sequence[int]
    alive: Mask | None


class Scores:
    """The scores of all documents, parts one after the other, and what each term added to any of them."""

    def __init__(self, total: Floats, parts: list[tuple[npt.NDArray[np.int64], Floats, int, int]], count: int) -> None:
        self.total = total
        self._parts = parts
        self._count = count

    def contributions(self, documents: Sequence[int]) -> Floats:
        """A row for each document with what each term of the query added to its score."""
        table = np.zeros((len(documents), self._count))
        for keys, values, offset, size in self._parts:
            if not len(keys):
                continue
            local = np.asarray(documents, dtype=np.int64) - offset
            inside = np.flatnonzero((local >= 0) & (local < size))
            wanted = np.arange(self._count)[None, :] * size + local[inside, None]
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            table[inside] = np.where(keys[place] == wanted, values[place], 0.0)
        return table


def bm25(parts: Sequence[Part], weights: Sequence[float], k1: float, b: float) -> Scores:
    """Score every document of the parts for a query whose term t weighs `weights[t]`."""
    alive = [part.field.lengths if part.alive is None else part.field.lengths[part.alive] for part in parts]
    count = sum(map(len, alive))
    average = sum(int(lengths.sum(dtype=np.int64)) for lengths in alive) / count if count else 0.0
    gathered = [_gather(part) for part in parts]
    frequency = np.zeros(len(weights))
    for terms, _, _ in gathered:
        frequency += np.bincount(terms, minlength=len(weights))
    factor = np.asarray(weights) * np.log1p((count - frequency + 0.5) / (frequency + 0.5)) * (k1 + 1)
    totals: list[Floats] = []
    kept: list[tuple[npt.NDArray[np.int64], Floats, int, int]] = []
    offset = 0
    for part, (terms, documents, counts) in zip(parts, gathered, strict=True):
        size = len(part.field.lengths)
        norm = k1 * (1 - b + b * part.field.lengths / average) if average else np.ones(size)
        values = factor[terms] * counts / (counts + norm[documents])
        totals.append(np.bincount(documents, weights=values, minlength=size).astype(np.float64))
        kept.append((terms * size + documents, values, offset, size))
        offset += size
    return Scores(np.concatenate(totals) if totals else np.zeros(0), kept, len(weights))


def _gather(part: Part) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats]:
    """The live postings of the query's terms: (term, document, count), by term and then document."""
    field = part.field
    spans = [(term, field.pointers[row], field.pointers[row + 1]) for term, row in enumerate(part.rows) if row >= 0]
    if not spans:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty.astype(np.int32), np.zeros(0)
    documents = np.concatenate([field.documents[first:last] for _, first, last in spans])
    counts = np.concatenate([field.counts[first:last] for _, first, last in spans]).astype(np.float64)
    terms = np.repeat(
        np.array([term for term, _, _ in spans], dtype=np.int64), [int(last - first) for _, first, last in spans]
    )
    if part.alive is not None:
        live = part.alive[documents]
        return terms[live], documents[live], counts[live]
    return terms, documents, counts
