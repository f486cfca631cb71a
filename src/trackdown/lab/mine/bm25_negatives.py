"""Hard negatives: documents that look like an answer to a query and are none, and the rank of the answers among them.

SweRank (Reddy et al., 2025) takes 15 of them from the same repository, and keeps a query only if its answer ranks among
the first 20 under a first retriever: without that filter training hurts. The retriever here is BM25 over the terms of
path, symbol and code.

Documents of one file and symbol are versions of one unit: they count once in a ranking. A version of an answer is not a
negative, nor is a document with the same words as an answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from trackdown.lab.mine.documents import Document
from trackdown.lab.mine.messages import code_fingerprint
from trackdown.types import Progress, no_progress
from trackdown.units import terms, words

K1, B = 1.2, 0.75
_MAX_QUERY_TERMS = 48

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HardNegatives:
    """For each query: the numbers of wrong documents, best first, and the rank of its first answer; 0 if not found."""

    negatives: list[list[int]]
    ranks: list[int]


def bm25_negatives(
    queries: Sequence[str],
    documents: Sequence[Document],
    answers: Sequence[Sequence[int]],
    k: int,
    *,
    units: Sequence[object],
    progress: Progress = no_progress,
) -> HardNegatives:
    """The best `k` wrong documents under BM25 for each query; fewer where fewer share a term with it.

    `answers` are numbers of documents. Documents with equal `units` are versions of one unit.
    """
    index = TermIndex(documents, progress)
    unit_of = _numbered(units)
    text_of = _numbered(code_fingerprint(document.code) for document in documents)
    found = HardNegatives([], [])
    for number, (query, answered) in enumerate(zip(queries, answers, strict=True), 1):
        right = np.asarray(answered, dtype=np.int64)
        scores = index.scores(query)
        best = scores[right].max(initial=0.0)
        better = set(unit_of[scores > best].tolist()) - set(unit_of[right].tolist())
        found.ranks.append(1 + len(better) if best > 0 else 0)
        found.negatives.append(_best_others(scores, right, unit_of, text_of, k))
        progress("negatives", number, len(answers))
    return found


def _best_others(scores: Floats, answers: Integers, unit_of: Integers, text_of: Integers, k: int) -> list[int]:
    """The best documents that are not answers, one per unit and one per text."""
    units, texts = set(unit_of[answers].tolist()), set(text_of[answers].tolist())
    candidates = np.flatnonzero(scores > 0.0)
    chosen: list[int] = []
    for number in candidates[np.argsort(-scores[candidates], kind="stable")].tolist():
        if len(chosen) == k:
            break
        if unit_of[number] not in units and text_of[number] not in texts:
            units.add(int(unit_of[number]))
            texts.add(int(text_of[number]))
            chosen.append(number)
    return chosen


def _numbered(values: Iterable[object]) -> Integers:
    """Equal values get equal numbers."""
    numbers: defaultdict[object, int] = defaultdict(count().__next__)
    return np.fromiter((numbers[value] for value in values), dtype=np.int64)


class TermIndex:
    """BM25 over documents, as arrays. The contribution of each term to each document is computed in advance."""

    def __init__(self, documents: Sequence[Document], progress: Progress = no_progress) -> None:
        self._count = len(documents)
        self._vocabulary: defaultdict[str, int] = defaultdict(count().__next__)
        split: dict[str, tuple[int, ...]] = {}
        rows: list[int] = []
        counts: list[int] = []
        sizes = np.zeros(self._count, dtype=np.int64)
        lengths = np.zeros(self._count)
        for number, document in enumerate(documents):
            found: Counter[int] = Counter()
            for word, times in Counter(words(f"{document.path} {document.symbol} {document.code}")).items():
                if word not in split:
                    split[word] = tuple(self._vocabulary[term] for term in terms(word))
                for term in split[word]:
                    found[term] += times
            rows += found
            counts += found.values()
            sizes[number], lengths[number] = len(found), sum(found.values())
            progress("negatives", 0, None)
        self._vocabulary.default_factory = None
        numbers = np.repeat(np.arange(self._count), sizes)
        self._arrange(np.array(rows, dtype=np.int64), np.array(counts, dtype=np.int64), numbers, lengths)

    def _arrange(self, rows: Integers, counts: Integers, documents: Integers, lengths: npt.NDArray[np.float64]) -> None:
        frequency = np.bincount(rows, minlength=len(self._vocabulary))
        idf = np.log1p((self._count - frequency + 0.5) / (frequency + 0.5))
        norm = K1 * (1 - B + B * lengths / (lengths.mean() or 1.0)) if self._count else lengths
        values = idf[rows] * counts * (K1 + 1) / (counts + norm[documents])
        order = np.argsort(rows, kind="stable")
        self._documents = documents[order].astype(np.int32)
        self._values = values[order].astype(np.float32)
        self._pointers = np.concatenate(([0], np.cumsum(frequency)))
        self._idf = idf

    def scores(self, query: str) -> Floats:
        """The score of every document. Only the rarest terms of a long query count."""
        said = {term for word in set(words(query)) for term in terms(word)}
        known = [self._vocabulary[term] for term in sorted(said) if term in self._vocabulary]
        asked = sorted(known, key=lambda row: -self._idf[row])[:_MAX_QUERY_TERMS]
        spans = [slice(self._pointers[row], self._pointers[row + 1]) for row in asked]
        if not spans:
            return np.zeros(self._count, dtype=np.float32)
        documents = np.concatenate([self._documents[span] for span in spans])
        values = np.concatenate([self._values[span] for span in spans])
        return np.bincount(documents, weights=values, minlength=self._count).astype(np.float32)
