"""Weights that depend on the query: CodeRAG's adaptive fusion, as its authors left it after their own tests.

A query that names code keeps the plain weights: leaning towards words for identifiers hurt them. A query in prose only
leans towards the channels that do not need the code's own words: past messages, and vectors where there are any.
"""

from __future__ import annotations

from collections.abc import Mapping

PROSE_FACTORS: Mapping[str, float] = {"commits": 2.0, "dense": 2.0}


def adapted(weights: Mapping[str, float], *, names_code: bool) -> dict[str, float]:
    """The weights for one query, by signal."""
    if names_code:
        return dict(weights)
    return {signal: weight * PROSE_FACTORS.get(signal, 1.0) for signal, weight in weights.items()}
