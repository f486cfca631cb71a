"""Static vectors: units whose words are similar to the query's in meaning, even if they share none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.index import kth_largest
from trackdown.query import Query
from trackdown.retrieve.channel import Channel, Request
from trackdown.types import Match

if TYPE_CHECKING:
    from trackdown.index import UnitVectors

Float32s = npt.NDArray[np.float32]

SIGNAL = "dense"
DEPTH = 500
"""How many units count as found. Every unit has some cosine; lower ones are not evidence."""
LONG = 30
"""A query with more terms is a long text: its words average out, and no cosine with it is full evidence."""
_SHARE_FOR_LONG = 0.05
_STRONG, _WEAK = 0.5, 0.3


def _query_vector(vectors: UnitVectors, query: Query) -> Float32s:
    """The query's vector; with exemplars, half the query and half the mean of the exemplars (ReCo's dense form)."""
    plain = vectors.vector(query.text, query.weights)
    if not query.exemplars:
        return plain
    exemplars = [_unit_length(vectors.code_vector(text)) for text in query.exemplars]
    mean: Float32s = np.mean(exemplars, axis=0, dtype=np.float32)
    return mean if query.exemplars_only else _unit_length(plain) + mean


def _unit_length(vector: Float32s) -> Float32s:
    length = np.linalg.norm(vector)
    return vector / np.float32(length) if length else vector


def retrieve(request: Request, before: Sequence[Channel]) -> Channel | None:
    """Score candidates by the cosines of their units, relative to the last of the best units, which scores 0."""
    vectors = request.corpus.vectors()
    if vectors is None:
        return None
    pool = request.candidates
    query_vector = _query_vector(vectors, request.query)
    eligible = pool.owned
    if not query_vector.any() or not len(eligible):
        return None
    nearest, cosines = vectors.nearest(query_vector, eligible, DEPTH)
    bar = max(0.0, kth_largest(cosines, DEPTH)) if len(eligible) > DEPTH else 0.0
    units = np.zeros(len(pool.owner))
    units[nearest] = np.maximum(cosines - bar, 0.0)

    def reasons(chosen: Sequence[int]) -> list[Match]:
        of_unit = dict(zip(nearest.tolist(), cosines.tolist(), strict=True))
        best = [of_unit[unit] for unit in pool.best_units(chosen, units)]
        return [Match(_in_words(cosine), {"cosine": cosine}) for cosine in best]

    @cache
    def views() -> dict[str, npt.NDArray[np.float64]]:
        by_cosine = np.zeros(len(pool.owner))
        by_cosine[nearest] = np.maximum(cosines, 0.0)
        return {"cosine": pool.best_of_units(by_cosine)}

    scores = pool.from_units(units)
    floor = scores.max(initial=0.0) / _SHARE_FOR_LONG if len(request.query.weights) > LONG else 0.0
    return Channel(SIGNAL, scores, reasons, floor=float(floor), units=units, views=views)


def _in_words(cosine: float) -> str:
    if cosine >= _STRONG:
        return "similar words"
    return "related words" if cosine >= _WEAK else "distantly related words"
