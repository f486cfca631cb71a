"""Static vectors: units whose words mean much the same as the query's, whether or not they share one with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.index.selection import kth_largest
from trackdown.query.understand import Query
from trackdown.retrieve.channel import Channel, Request

if TYPE_CHECKING:
    from trackdown.index.vectors import UnitVectors

Float32s = npt.NDArray[np.float32]

SIGNAL = "dense"
DEPTH = 500
"""How many units count as found; every unit has some cosine, and what lies beyond these says nothing."""
LONG = 60
"""So many different terms are a long text: its words average out, and no cosine with it is full evidence."""
_SHARE_FOR_LONG = 0.05
_MUCH_THE_SAME, _AKIN = 0.5, 0.3


def _asked(vectors: UnitVectors, query: Query) -> Float32s:
    """The query's vector; with exemplars the mean of it and of theirs, each side counting half (ReCo's dense form)."""
    own = vectors.vector(query.text, query.weights)
    if not query.exemplars:
        return own
    exemplars = [_unit_length(vectors.code_vector(text)) for text in query.exemplars]
    mean: Float32s = np.mean(exemplars, axis=0, dtype=np.float32)
    return mean if query.exemplars_only else _unit_length(own) + mean


def _unit_length(vector: Float32s) -> Float32s:
    length = np.linalg.norm(vector)
    return vector / np.float32(length) if length else vector


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the cosines of their units; the last of the best units has score 0."""
    vectors = request.corpus.vectors()
    if vectors is None:
        return None
    pool = request.candidates
    asked = _asked(vectors, request.query)
    eligible = pool.owned
    if not asked.any() or not len(eligible):
        return None
    nearest, cosines = vectors.nearest(asked, eligible, DEPTH)
    bar = max(0.0, kth_largest(cosines, DEPTH)) if len(eligible) > DEPTH else 0.0
    units = np.zeros(len(pool.owner))
    units[nearest] = np.maximum(cosines - bar, 0.0)

    def reasons(chosen: Sequence[int]) -> list[str]:
        of_unit = dict(zip(nearest.tolist(), cosines.tolist(), strict=True))
        best = [of_unit[unit] for unit in pool.best_units(chosen, units)]
        return [f"{_in_words(cosine)}: cosine {cosine:.2f}" for cosine in best]

    scores = pool.from_units(units)
    floor = scores.max(initial=0.0) / _SHARE_FOR_LONG if len(request.query.weights) > LONG else 0.0
    return Channel(SIGNAL, scores, reasons, floor=float(floor), units=units)


def _in_words(cosine: float) -> str:
    """What a cosine says. Something is always nearest, also where nothing is near."""
    if cosine >= _MUCH_THE_SAME:
        return "means much the same as the query"
    return "means something akin to the query" if cosine >= _AKIN else "nearest in meaning, yet far"
