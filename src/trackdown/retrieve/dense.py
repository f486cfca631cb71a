"""Static vectors: units whose words mean much the same as the query's, whether or not they share one with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trackdown.retrieve.channel import Channel, Request

SIGNAL = "dense"
DEPTH = 500
"""How many units count as found; every unit has some cosine, and what lies beyond these says nothing."""
LONG = 60
"""So many different terms are a long text: its words average out, and no cosine with it is full evidence."""
_SHARE_FOR_LONG = 0.05


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the cosines of their units; the last of the best units has score 0."""
    vectors = request.corpus.vectors() if request.corpus.vectors is not None else None
    if vectors is None:
        return None
    pool = request.candidates
    asked = vectors.vector(request.query.text, request.query.weights)
    eligible = np.flatnonzero(request.corpus.code.unit_alive & (pool.owner >= 0))
    if not asked.any() or not len(eligible):
        return None
    cosines = vectors.cosines(asked)
    bar = 0.0
    if len(eligible) > DEPTH:
        bar = max(bar, float(np.partition(cosines[eligible], len(eligible) - DEPTH)[len(eligible) - DEPTH]))
    units = np.zeros(len(cosines))
    units[eligible] = np.maximum(cosines[eligible] - bar, 0.0)

    def reasons(chosen: Sequence[int]) -> list[str]:
        best = pool.best_units(chosen, units)
        return [f"means much the same as the query: cosine {cosines[unit]:.2f}" for unit in best]

    scores = pool.from_units(units)
    floor = scores.max(initial=0.0) / _SHARE_FOR_LONG if len(request.query.weights) > LONG else 0.0
    return Channel(SIGNAL, scores, reasons, floor=float(floor), units=units)
