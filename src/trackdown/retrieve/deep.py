"""Encoder vectors of all units: code that means what the query says, in whatever words.

Exact search over the deep index, which takes part only when it is complete: an answer never depends on how far the
encoder has got.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.nearest_units import nearest_units

SIGNAL = "deep"
DEPTH = 200
"""How many units count as found."""
_FEW, _SOME = 10, 50


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the cosines of their units, relative to the last of the best units, which scores 0."""
    deep = request.corpus.deep
    vectors = deep.vectors() if deep is not None else None
    if deep is None or vectors is None:
        return None
    query = deep.query_vector(request.query.as_read, request.query.exemplars)
    if query is None:
        return None
    return nearest_units(SIGNAL, vectors, query, request.candidates, depth=DEPTH, in_words=_in_words)


def _in_words(_: float, nearer: int) -> str:
    """Which cosine is high depends on the model, so the place among all units says more."""
    if nearer < _FEW:
        return "among the closest in meaning of all the code"
    return f"{'close' if nearer < _SOME else 'related'} in meaning, compared with all the code"
