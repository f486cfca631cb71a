"""BM25 over units: body, name and path as weighted fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from trackdown.index import CodeIndex, Floats, Scores
from trackdown.query import code_weights
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.expanded_terms import exact_terms, expanded_terms
from trackdown.retrieve.wording import Field, part_of, terms_in_words
from trackdown.types import Match

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

    def matches(self, units: Sequence[int]) -> list[Match]:
        """The strongest terms of each unit: where they stand, and their scores."""
        if not len(units):
            return []
        files = self._index.unit_file[list(units)].tolist()
        tables = [
            weight * scores.contributions(files if field == "path" else units) for field, weight, scores in self._fields
        ]
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
        return Match(terms_in_words(places), numbers)


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

    return Channel(SIGNAL, pool.from_units(lexical.units), reasons, units=lexical.units)
