"""Weights that depend on the query: CodeRAG's adaptive fusion, as its authors left it after their own tests.

A query that names code keeps the plain weights, because favouring lexical search for identifiers made results worse. A
query in prose favours the channels that don't need the code's own words: past commits, and vectors if there are any.
"""

from __future__ import annotations

from collections.abc import Mapping

PROSE_FACTORS: Mapping[str, float] = {"commits": 2.0, "dense": 2.0}


def adapted(weights: Mapping[str, float], *, names_code: bool) -> dict[str, float]:
    """The weights for one query, by signal."""
    if names_code:
        return dict(weights)
    return {signal: weight * PROSE_FACTORS.get(signal, 1.0) for signal, weight in weights.items()}
