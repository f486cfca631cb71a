"""A query → its kind, as numbers from 0 to 1 that a fit can use."""

from __future__ import annotations

import math

from trackdown.query.parse import Query
from trackdown.units import words

QUERY_FEATURES = ("words", "long", "code", "traceback")
_MANY_WORDS = 200
_LONG = 400


def query_features(query: Query) -> dict[str, float]:
    """Its number of words (logarithmic, 1 at 200), and whether it is long, names code and has a traceback."""
    count = len(words(query.text))
    return {
        "words": min(1.0, math.log1p(count) / math.log1p(_MANY_WORDS)),
        "long": float(len(query.text) > _LONG),
        "code": float(bool(query.names or query.paths or query.frames)),
        "traceback": float(bool(query.frames)),
    }
