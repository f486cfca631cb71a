"""BM25 over units: body, name and path as weighted fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from trackdown.index import CodeIndex, Floats, Scores
from trackdown.query import STOPWORDS, Query, code_weights
from trackdown.retrieve.channel import Channel, MatchedTerms, Request
from trackdown.retrieve.expanded_terms import exact_terms, expanded_terms
from trackdown.retrieve.wording import Field, part_of, terms_in_words
from trackdown.types import Match
from trackdown.units import term_counts

if TYPE_CHECKING:
    from trackdown.index import RewriteBodies

SIGNAL = "lexical"
_SHOWN_TERMS = 6


@dataclass(frozen=True, slots=True)
class LexicalParameters:
    """k1 and b of the body, and the weights of name and path relative to it."""

    k1: float = 1.2
    b: float = 0.75
    name: float = 0.8
    path: float = 0.5


DEFAULTS = LexicalParameters()


class Lexical:
    """The lexical scores of all units for one query. `bodies` replace those of the index.

    `with_forms` also counts other forms of the query's words, but less.
    """

    def __init__(
        self,
        index: CodeIndex,
        weights: Mapping[str, float],
        parameters: LexicalParameters = DEFAULTS,
        bodies: RewriteBodies | None = None,
        *,
        with_forms: bool = False,
    ) -> None:
        self._index = index
        wanted = expanded_terms(weights, index.has_terms) if with_forms else exact_terms(weights)
        self._terms = wanted.terms

        values, forms = wanted.weights, wanted.forms
        in_names = None if forms is None else forms.in_names()
        self._words = np.array(list(weights.values()))
        self._heads = np.arange(len(weights)) if forms is None else forms.heads
        self._shares = np.ones(len(weights)) if in_names is None else in_names.shares
        self._asked_for: tuple[tuple[int, ...], list[Floats]] | None = None
        k1, b = parameters.k1, parameters.b
        if bodies is None:
            body = index.score("body", self._terms, values, k1, b, forms)
        else:
            body = bodies.score(self._terms, values, k1, b, forms)
        self._fields: list[tuple[Field, float, Scores]] = [
            ("body", 1.0, body),
            ("name", parameters.name, index.score("name", self._terms, values, 1.2, 0.5, in_names)),
            ("path", parameters.path, index.score("path", self._terms, values, 1.2, 0.5, in_names)),
        ]
        by_body, by_name, by_path = (scores.total for _, _, scores in self._fields)
        self.units: Floats = by_body + parameters.name * by_name
        # A path alone is not evidence for every unit of the file: it only adds to a unit's own score.
        found = np.flatnonzero(self.units)
        self.units[found] += parameters.path * by_path[index.unit_file[found]]

    def fields(self) -> dict[str, Floats]:
        """The scores of units by their names and, for all units of a file, by its path."""
        _, (_, _, names), (_, _, paths) = self._fields
        return {"name": names.total, "path": paths.total[self._index.unit_file]}

    def by_terms(self, wanted: Collection[str]) -> Floats:
        """The scores of units by some of the terms: in the body and, at its weight, in the name."""
        mask = np.array([term in wanted for term in self._terms], dtype=bool)
        mask = mask[self._heads]  # a form counts where its word does
        if not mask.any():
            return np.zeros(len(self.units))
        (_, _, body), (_, weight, names), _ = self._fields
        return body.total_of(mask) + weight * names.total_of(mask)

    def sought(self) -> dict[str, tuple[int, float]]:
        """Each term, the word of the query that it is a form of, and what it weighs in a line: rare words more."""
        weights = self._rare_words()[self._heads] * self._shares
        return dict(zip(self._terms, zip(self._heads.tolist(), weights.tolist(), strict=True), strict=True))

    def _rare_words(self) -> Floats:
        """What each word weighs, times how rare its most frequent form is."""
        body, names, _ = (scores.frequencies for _, _, scores in self._fields)
        frequency = np.zeros(len(self._words), dtype=np.int64)
        np.maximum.at(frequency, self._heads, np.maximum(body, names))
        return self._words * np.log1p((self._index.unit_count - frequency + 0.5) / (frequency + 0.5))

    def matched(self, units: Sequence[int]) -> MatchedTerms:
        """Which words each unit (-1: none) has in any form in its body, name or path, and how rare each is."""
        count = len(self._words)
        present = np.zeros((len(units), count), dtype=bool)
        frequencies = sum(scores.frequencies for _, _, scores in self._fields)
        known = np.bincount(self._heads, weights=frequencies, minlength=count) > 0
        by_body, by_name, by_path = self._contributions(tuple(units))
        rows, terms = np.nonzero(by_body + by_name + by_path)
        present[rows, self._heads[terms]] = True
        return MatchedTerms(self._terms[:count], self._rare_words(), known, present)

    def _contributions(self, units: tuple[int, ...]) -> list[Floats]:
        """What each term added to each unit's score, by field. Kept: reasons and confidence ask for the same."""
        if self._asked_for is None or self._asked_for[0] != units:
            files = [int(self._index.unit_file[unit]) if unit >= 0 else -1 for unit in units]
            tables = [
                weight * scores.contributions(files if field == "path" else units)
                for field, weight, scores in self._fields
            ]
            self._asked_for = (units, tables)
        return self._asked_for[1]

    def matches(self, units: Sequence[int]) -> list[Match]:
        """The strongest terms of each unit: where they stand, and their scores."""
        if not len(units):
            return []
        tables = self._contributions(tuple(units))
        total = sum(tables[1:], tables[0])
        strongest = np.argsort(-total, axis=1, kind="stable")[:, :_SHOWN_TERMS].tolist()
        return [
            self._match([term for term in terms if total[row, term] > 0], [table[row] for table in tables])
            for row, terms in enumerate(strongest)
        ]

    def _match(self, terms: Sequence[int], by_field: Sequence[Floats]) -> Match:
        """Terms of a unit, strongest first, given what each field adds. A term in the name is told as such."""
        places: dict[str, Field] = {}
        for term in terms:
            found = [field for (field, _, _), scores in zip(self._fields, by_field, strict=True) if scores[term] > 0]
            places[self._terms[term]] = "name" if "name" in found else found[0]
        numbers = {self._terms[term]: float(sum(scores[term] for scores in by_field)) for term in terms}
        telling = {term: place for term, place in places.items() if term not in STOPWORDS}  # code as a query has them
        return Match(terms_in_words(telling or places), numbers)


def retrieve(request: Request, before: Sequence[Channel]) -> Channel:
    """Score candidates by the words of their units."""
    pool = request.candidates
    corpus = request.corpus
    weights = code_weights(request.query)
    lexical = Lexical(corpus.code, weights, bodies=corpus.bodies, with_forms=request.word_forms)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        units = pool.best_units(chosen, lexical.units)
        found = zip(chosen, units, lexical.matches(units), strict=True)
        return [
            replace(match, text=part_of(corpus.code, pool, candidate, unit) + match.text)
            for candidate, unit, match in found
        ]

    def matched(chosen: Sequence[int]) -> MatchedTerms:
        return lexical.matched(pool.best_units(chosen, lexical.units))

    @cache
    def views() -> dict[str, Floats]:
        return {name: pool.from_units(scores) for name, scores in _views(lexical, request.query).items()}

    scores = pool.from_units(lexical.units)
    return Channel(SIGNAL, scores, reasons, units=lexical.units, matched=matched, views=views, sought=lexical.sought)


def _views(lexical: Lexical, query: Query) -> dict[str, Floats]:
    """What the parts of an issue find by themselves. A short query has only one part."""
    found = lexical.fields()
    if len(query.text) <= 2 * len(query.title):
        return found
    texts = {
        "title": query.title,
        "prose": query.prose,
        "code": "\n".join(query.code),
        "names": " ".join(query.names),
    }
    for name, text in texts.items():
        found[name] = lexical.by_terms(term_counts(text))
    return found
