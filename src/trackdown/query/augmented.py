"""A query with exemplars: code that answers it, searched for beside the query's own words.

ReCo's sparse form is the query N times and the N exemplars. Our weights are logarithms of counts, so weights are added
up instead of texts. English stop words say something in code (`for`, `not`, `in`), so an exemplar keeps them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from trackdown.query.understand import Query
from trackdown.units.tokens import term_counts

MOST_EXEMPLARS = 8
"""More than these cost much and add little: the paper stops at four."""


def with_exemplars(query: Query, exemplars: Sequence[str], *, only: bool = False) -> Query:
    """The query with code that answers it; without any it stays what it was."""
    kept = tuple(text for text in exemplars if term_counts(text))
    return replace(query, exemplars=kept, exemplars_only=only) if kept else query


def code_weights(query: Query) -> dict[str, float]:
    """What to search code for: the query's terms, and with the same say those of the exemplars on average."""
    if not query.exemplars:
        return query.weights
    weights = {} if query.exemplars_only else dict(query.weights)
    for exemplar in query.exemplars:
        for term, count in term_counts(exemplar).items():
            weights[term] = weights.get(term, 0.0) + (1.0 + math.log(count)) / len(query.exemplars)
    return weights
