"""Hard negatives: documents that look like an answer to a query and are none, and the rank of the answers among them.

SweRank (Reddy et al., 2025) takes 15 of them from the same repository, and keeps a query only if its answer ranks among
the first 20 under a first retriever: without that filter training hurts. The first retriever is BM25 over the terms of
path, symbol and code, or the vectors of an earlier model.

Documents of one file and symbol are versions of one unit: they count once in a ranking, and no version of an answer is
a negative, nor is a document with the very words of one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from trackdown.lab.mine.likeness import likeness_of_code
from trackdown.types import Progress, no_progress
from trackdown.units.tokens import terms, words

K1, B = 1.2, 0.75
RANKED_WITHIN = 20
_LONGEST_QUERY = 48
_BLOCK = 256

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Scorer = Callable[[int], Floats]


class Unit(Protocol):
    """What a document has to say of itself."""

    @property
    def path(self) -> str: ...
    @property
    def symbol(self) -> str: ...
    @property
    def code(self) -> str: ...


Document = TypeVar("Document", bound=Unit)


@dataclass(frozen=True, slots=True)
class Ranked:
    """For each query: numbers of documents, best first, and the rank of its first answer; 0 where none was found."""

    negatives: list[list[int]]
    ranks: Integers


def path_and_symbol(document: Unit) -> tuple[str, str]:
    """What the versions of a unit have in common, where no file was ever renamed."""
    return document.path, document.symbol


def bm25_negatives(
    queries: Sequence[str],
    documents: Sequence[Document],
    answers: Sequence[Sequence[int]],
    k: int,
    *,
    unit_of: Callable[[Document], object] = path_and_symbol,
    progress: Progress = no_progress,
) -> Ranked:
    """The best `k` documents under BM25 that are no answer; fewer where fewer share a term with the query.

    `answers` are numbers of documents. Documents with equal `unit_of` are versions of one unit.
    """
    index = TermIndex(documents, progress)
    choice = _Choice(documents, unit_of)
    return choice.of(lambda number: index.scores(queries[number]), answers, k, progress)


def vector_negatives(
    queries: Floats,
    vectors: Floats,
    documents: Sequence[Document],
    answers: Sequence[Sequence[int]],
    k: int,
    *,
    unit_of: Callable[[Document], object] = path_and_symbol,
    progress: Progress = no_progress,
) -> Ranked:
    """The same by an earlier model: rows of unit length, one per query and one per document."""
    block: dict[int, Floats] = {}

    def scores(number: int) -> Floats:
        first = number - number % _BLOCK
        if first not in block:
            block.clear()
            # A cosine may be negative; a score of 0 would say that a document was not found at all.
            block[first] = np.asarray(2.0 + queries[first : first + _BLOCK] @ vectors.T, dtype=np.float32)
        row: Floats = block[first][number - first]
        return row

    return _Choice(documents, unit_of).of(scores, answers, k, progress)


def keep_if_ranked(ranks: npt.ArrayLike, within: int = RANKED_WITHIN) -> npt.NDArray[np.bool_]:
    """SweRank's filter: True for queries whose first answer ranks `within` the first."""
    found = np.asarray(ranks)
    return np.asarray((found > 0) & (found <= within))


class _Choice:
    """Chooses among documents by their scores, one per unit and one per text."""

    def __init__(self, documents: Sequence[Document], unit_of: Callable[[Document], object]) -> None:
        self._units = _numbered(map(unit_of, documents))
        self._texts = _numbered(likeness_of_code(document.code) for document in documents)

    def of(self, scores_of: Scorer, answers: Sequence[Sequence[int]], k: int, progress: Progress) -> Ranked:
        found: list[list[int]] = []
        ranks = np.zeros(len(answers), dtype=np.int64)
        for number, answered in enumerate(answers):
            own = np.asarray(answered, dtype=np.int64)
            scores = scores_of(number)
            ranks[number] = self._rank(scores, own)
            found.append(self._best_others(scores, own, k))
            progress("negatives", number + 1, len(answers))
        return Ranked(found, ranks)

    def _rank(self, scores: Floats, answers: Integers) -> int:
        """1 + the number of other units with a better score than the best answer."""
        best = scores[answers].max(initial=0.0)
        if best <= 0.0:
            return 0
        better = self._units[np.flatnonzero(scores > best)]
        return 1 + len(set(better.tolist()) - set(self._units[answers].tolist()))

    def _best_others(self, scores: Floats, answers: Integers, k: int) -> list[int]:
        """The best documents that are no answer. Versions of few units may stand before all others: then look on."""
        wanted = 4 * k + 32
        while True:
            whole = wanted >= len(scores)
            best = np.arange(len(scores)) if whole else np.argpartition(-scores, wanted)[:wanted]
            best = best[scores[best] > 0.0]
            chosen = self._distinct(best[np.lexsort((best, -scores[best]))], answers, k)
            if len(chosen) == k or whole or len(best) < wanted:
                return chosen
            wanted *= 4

    def _distinct(self, ordered: Integers, answers: Integers, k: int) -> list[int]:
        units, texts = set(self._units[answers].tolist()), set(self._texts[answers].tolist())
        chosen: list[int] = []
        for number in ordered.tolist():
            unit, text = int(self._units[number]), int(self._texts[number])
            if len(chosen) < k and unit not in units and text not in texts:
                units.add(unit)
                texts.add(text)
                chosen.append(number)
        return chosen


def _numbered(values: Iterable[object]) -> Integers:
    """Equal values get equal numbers."""
    numbers: defaultdict[object, int] = defaultdict(count().__next__)
    return np.fromiter((numbers[value] for value in values), dtype=np.int64)


class TermIndex:
    """BM25 over documents, as arrays: what each term adds to each document that has it is computed beforehand."""

    def __init__(self, documents: Sequence[Unit], progress: Progress = no_progress) -> None:
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
        """The score of every document. Of a long query the rarest terms count, which decide anyway."""
        said = {term for word in set(words(query)) for term in terms(word)}
        known = [self._vocabulary[term] for term in sorted(said) if term in self._vocabulary]
        asked = sorted(known, key=lambda row: -self._idf[row])[:_LONGEST_QUERY]
        spans = [slice(self._pointers[row], self._pointers[row + 1]) for row in asked]
        if not spans:
            return np.zeros(self._count, dtype=np.float32)
        documents = np.concatenate([self._documents[span] for span in spans])
        values = np.concatenate([self._values[span] for span in spans])
        return np.bincount(documents, weights=values, minlength=self._count).astype(np.float32)


__all__ = [
    "RANKED_WITHIN",
    "Ranked",
    "TermIndex",
    "bm25_negatives",
    "keep_if_ranked",
    "path_and_symbol",
    "vector_negatives",
]
