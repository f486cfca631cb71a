"""Static vectors: units whose words are similar to the query's in meaning, even if they share none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.query import Query
from trackdown.retrieve.channel import Channel, Request
from trackdown.retrieve.nearest_units import nearest_units

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
    is_long = len(request.query.weights) > LONG
    return nearest_units(
        SIGNAL,
        vectors,
        _query_vector(vectors, request.query),
        request.candidates,
        depth=DEPTH,
        in_words=_in_words,
        share_of_best=_SHARE_FOR_LONG if is_long else 1.0,
    )


def _in_words(cosine: float, _: int) -> str:
    if cosine >= _STRONG:
        return "similar words"
    return "related words" if cosine >= _WEAK else "distantly related words"
