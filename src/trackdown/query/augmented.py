"""A query with exemplars: code that answers it, searched for along with the query's words.

ReCo's sparse form is the query N times and the N exemplars. Our weights are logarithms of counts, so we add weights
instead of texts. English stop words matter in code (`for`, `not`, `in`), so an exemplar keeps them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from trackdown.query.parse import Query
from trackdown.units import term_counts

MOST_EXEMPLARS = 8
"""More cost much and add little: the paper stops at four."""


def with_exemplars(query: Query, exemplars: Sequence[str], *, only: bool = False) -> Query:
    """The query with code that answers it; unchanged if no exemplar has a term."""
    kept = tuple(text for text in exemplars if term_counts(text))
    return replace(query, exemplars=kept, exemplars_only=only) if kept else query


def code_weights(query: Query) -> dict[str, float]:
    """Terms to search code for: the query's, plus the average of the exemplars' with equal weight."""
    if not query.exemplars:
        return query.weights
    weights = {} if query.exemplars_only else dict(query.weights)
    for exemplar in query.exemplars:
        for term, count in term_counts(exemplar).items():
            weights[term] = weights.get(term, 0.0) + (1.0 + math.log(count)) / len(query.exemplars)
    return weights
