"""BM25 over one field of one or two segments, with k1 and b chosen at query time.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf that stays
positive: ln(1 + (N - df + 0.5) / (df + 0.5)). Document frequency, count and average length come from live documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trackdown.index.postings import Field

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Postings:
    """The live postings of a query's terms in one segment, by term and document; `sizes` is the number per term.

    Documents have the type that arrays are indexed with, because they are used for that several times.
    """

    documents: Int64s
    counts: Floats
    sizes: Int64s


@dataclass(frozen=True, slots=True)
class _ScoredSegment:
    """What each posting adds to its document's score. A term's postings end where `ends` says."""

    documents: Int64s
    values: Floats
    ends: Int64s
    size: int

    def total(self) -> Floats:
        """The scores of the segment's documents. Terms are added up in the query's order."""
        return np.bincount(self.documents, weights=self.values, minlength=self.size).astype(np.float64, copy=False)

    def total_of(self, wanted: Mask) -> Floats:
        """The scores by some of the query's terms."""
        sizes = np.diff(self.ends, prepend=0)
        kept = np.repeat(wanted, sizes)
        found = np.bincount(self.documents[kept], weights=self.values[kept], minlength=self.size)
        return found.astype(np.float64, copy=False)


class Scores:
    """The scores of all documents, segment after segment, and what each term added."""

    def __init__(self, segments: Sequence[_ScoredSegment], terms: int) -> None:
        self._segments = segments
        self._terms = terms
        totals = [segment.total() for segment in segments]
        self.total: Floats = totals[0] if len(totals) == 1 else np.concatenate([np.zeros(0), *totals])

    @property
    def frequencies(self) -> Int64s:
        """In how many documents each term of the query occurs."""
        found = np.zeros(self._terms, dtype=np.int64)
        for segment in self._segments:
            found += np.diff(segment.ends, prepend=0)
        return found

    def total_of(self, wanted: Mask) -> Floats:
        """The scores of all documents by some of the query's terms: `wanted` says for each whether it counts."""
        return np.concatenate([np.zeros(0), *(segment.total_of(wanted) for segment in self._segments)])

    def contributions(self, documents: Sequence[int]) -> Floats:
        """What each term of the query added to the score: a row per document."""
        number = {document: row for row, document in enumerate(dict.fromkeys(documents))}
        table = np.zeros((len(number), self._terms))
        offset = 0
        for segment in self._segments:
            row_of = np.full(segment.size, -1, dtype=np.int32)
            for document, row in number.items():
                if offset <= document < offset + segment.size:
                    row_of[document - offset] = row
            rows = row_of[segment.documents]
            found = np.flatnonzero(rows >= 0)
            table[rows[found], np.searchsorted(segment.ends, found, side="right")] = segment.values[found]
            offset += segment.size
        return table[[number[document] for document in documents]]


@dataclass(frozen=True, slots=True)
class FormGroups:
    """Which terms of a query are forms of one word, and what one occurrence of each counts.

    Term t belongs to the word `heads[t]`, a term of the query; a head's share is 1.
    """

    heads: Int64s
    shares: Floats

    def in_names(self) -> FormGroups:
        """The same for names and paths: they are so short that a form says nearly as much as the word."""
        return FormGroups(self.heads, np.sqrt(self.shares))


class FieldScorer:
    """Scores one field of an index. Statistics that do not depend on the query are computed once.

    Each segment comes with a mask of its live documents (None: all). Without `empty_count`, documents without words
    don't count as documents.
    """

    def __init__(self, segments: Sequence[tuple[Field, Mask | None]], *, empty_count: bool = True) -> None:
        self._segments = list(segments)
        lengths = [field.lengths if alive is None else field.lengths[alive] for field, alive in segments]
        self._count = sum(len(each) if empty_count else int(np.count_nonzero(each)) for each in lengths)
        total = sum(int(each.sum(dtype=np.int64)) for each in lengths)
        self._average = total / self._count if self._count else 0.0
        self._norms: dict[tuple[float, float], list[Floats]] = {}

    def score(
        self,
        rows: Sequence[Sequence[int]],
        weights: Sequence[float],
        k1: float,
        b: float,
        forms: FormGroups | None = None,
    ) -> Scores:
        """Score every document for a query whose term t weighs `weights[t]`.

        `rows` are the terms' rows in each segment; -1 where it does not have the term. All forms of a word saturate as
        one: many occurrences of a form never count more than as many of the word itself. A form is never rarer than
        its word.
        """
        gathered = [_gather(field, alive, own) for (field, alive), own in zip(self._segments, rows, strict=True)]
        frequency = np.zeros(len(weights))
        for postings in gathered:
            frequency += postings.sizes
        rarity = np.log1p((self._count - frequency + 0.5) / (frequency + 0.5))
        if forms is not None:
            rarity = np.minimum(rarity, rarity[forms.heads])
            gathered = [replace(each, counts=each.counts * np.repeat(forms.shares, each.sizes)) for each in gathered]
        factor = np.asarray(weights) * rarity * (k1 + 1)
        scored = []
        for postings, norm in zip(gathered, self._length_norms(k1, b), strict=True):
            together = postings.counts if forms is None else _counted_together(postings, forms.heads, len(norm))
            values = np.repeat(factor, postings.sizes)
            values *= postings.counts
            values /= together + norm[postings.documents]
            scored.append(_ScoredSegment(postings.documents, values, np.cumsum(postings.sizes), len(norm)))
        return Scores(scored, len(weights))

    def _length_norms(self, k1: float, b: float) -> list[Floats]:
        """Per segment, what a document's length adds to the denominator."""
        if (k1, b) not in self._norms:
            self._norms[k1, b] = [self._length_norm(field, k1, b) for field, _ in self._segments]
        return self._norms[k1, b]

    def _length_norm(self, field: Field, k1: float, b: float) -> Floats:
        if not self._average:
            return np.ones(len(field.lengths))
        return np.asarray(k1 * (1 - b + b * field.lengths / self._average), dtype=np.float64)


def _gather(field: Field, alive: Mask | None, rows: Sequence[int]) -> _Postings:
    """The live postings of a query's terms in one segment."""
    known = np.array([max(row, 0) for row in rows], dtype=np.int64)
    present = np.array(rows, dtype=np.int64) >= 0
    starts = field.pointers[known]
    sizes = (
        np.where(present, field.pointers[known + 1] - starts, 0) if len(field.pointers) > 1 else np.zeros_like(known)
    )
    spans = [slice(start, start + size) for start, size in zip(starts.tolist(), sizes.tolist(), strict=True) if size]
    if not spans:
        return _Postings(np.zeros(0, dtype=np.int64), np.zeros(0), sizes)
    documents = np.concatenate([field.documents[span] for span in spans], dtype=np.int64)
    counts = np.concatenate([field.counts[span] for span in spans], dtype=np.float64)
    if alive is None:
        return _Postings(documents, counts, sizes)
    live = alive[documents]
    terms = np.repeat(np.arange(len(rows)), sizes)[live]
    return _Postings(documents[live], counts[live], np.bincount(terms, minlength=len(rows)))


def _counted_together(postings: _Postings, heads: Int64s, size: int) -> Floats:
    """For every posting, how often the document has any form of the word."""
    together = postings.counts.copy()
    totals = np.empty(size)  # each word sets the documents that it looks at
    for first, *others in _spans_by_word(postings.sizes, heads):
        for span in others:
            totals[postings.documents[span]] = 0.0
        totals[postings.documents[first]] = postings.counts[first]
        for span in others:
            totals[postings.documents[span]] += postings.counts[span]
        for span in (first, *others):
            together[span] = totals[postings.documents[span]]
    return together


def _spans_by_word(sizes: Int64s, heads: Int64s) -> list[list[slice]]:
    """Where the postings of each word's forms are, for words with several forms."""
    ends = np.cumsum(sizes).tolist()
    found: dict[int, list[slice]] = {}
    for head, start, end in zip(heads.tolist(), [0, *ends], ends, strict=False):
        if end > start:
            found.setdefault(head, []).append(slice(start, end))
    return [spans for spans in found.values() if len(spans) > 1]
