"""What a search looks for in the lines of its results: the query's terms, names that matched, lines it points at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trackdown.units import terms, words

_WORD = re.compile(r"\w+")
_LEAST_SHARE = 0.1
"""A term that weighs less than this share of the heaviest tells nothing: nearly every unit has it."""

Span = tuple[int, int]


class SoughtTerms:
    """The terms of one query. `weights` has, for each term, the word of the query that it is a form of, and its weight:
    rare terms weigh more.
    """

    def __init__(self, weights: Mapping[str, tuple[int, float]]) -> None:
        least = _LEAST_SHARE * max((weight for _, weight in weights.values()), default=0.0)
        self._weights = {term: known for term, known in weights.items() if known[1] > 0 and known[1] >= least}
        self.heaviest = max((weight for _, weight in self._weights.values()), default=0.0)
        self._found: dict[str, tuple[str, ...]] = {}

    def among(self, text: Iterable[str]) -> set[str]:
        """Those of these words that have a sought term."""
        return {word for word in text if self._terms_of(word)}

    def worth(self, text: Iterable[str]) -> dict[int, float]:
        """The words of the query that these words match in some form, and the weight of the nearest form."""
        found: dict[int, float] = {}
        for word in text:
            for term in self._terms_of(word):
                head, weight = self._weights[term]
                found[head] = max(weight, found.get(head, 0.0))
        return found

    def spans(self, line: str) -> list[Span]:
        """Where a line has sought terms. A word of which only a part is sought is marked at that part."""
        found: list[Span] = []
        for match in _WORD.finditer(line):
            matched = self._terms_of(match[0])
            if not matched:
                continue
            lowered = match[0].lower()
            if lowered.strip("_") in matched or len(lowered) != len(match[0]):
                found.append(match.span())
                continue
            for part in matched:
                at = lowered.find(part)
                found.append((match.start() + at, match.start() + at + len(part)) if at >= 0 else match.span())
        return found

    def _terms_of(self, word: str) -> tuple[str, ...]:
        if word not in self._found:
            self._found[word] = tuple(term for term in terms(word) if term in self._weights)
        return self._found[word]


NO_TERMS = SoughtTerms({})


@dataclass(frozen=True, slots=True)
class Sought:
    """What to look for in one result. `names` stand for a message that the query quotes; `lines` are those that the
    query points at, as a traceback does.
    """

    terms: SoughtTerms = field(default=NO_TERMS)
    names: Sequence[str] = ()
    lines: Sequence[int] = ()

    def name_spans(self, line: str) -> list[Span]:
        """Where a line has one of the names."""
        found = []
        for name in self.names:
            at = line.find(name)
            if at >= 0:
                found.append((at, at + len(name)))
        return found


def words_of(line: str) -> list[str]:
    """The words of a line; of a very long one, only its beginning counts."""
    return words(line[:LONGEST_READ])


LONGEST_READ = 2000
"""Characters of a line that are looked at. Longer lines are data."""
