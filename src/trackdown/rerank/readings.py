"""What the encoder makes of texts and queries, kept as facts: nothing is read twice, on no branch and in no search.

A vector holds half-precision numbers and has length 1, so dot products in double precision are exact: they depend
neither on the number of rows in a batch nor on the order of adding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.models import LateQuery, unit_steps
from trackdown.rerank.cache import QUERIES, TOKENS, VECTORS, ModelOutputCache, digest, vector_key
from trackdown.rerank.candidate_scores import Floats
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models import Encoder, Int8s

_HALF = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class UnitReading:
    """A unit's vector, and its tokens in steps of 1/127; no tokens from a model without late interaction."""

    vector: Floats
    tokens: Int8s


@dataclass(frozen=True, slots=True)
class QueryReading:
    """A query's vector, and its tokens ready to be compared; None from a model without late interaction."""

    vector: Floats
    late: LateQuery | None


class ReadingCache:
    """Readings of one encoder: taken from facts, or computed and written by `flush`."""

    def __init__(self, encoder: Encoder, facts: FactCache) -> None:
        self._encoder = encoder
        self._width = encoder.token_dimensions
        self._size = encoder.dimensions * _HALF.itemsize
        self._vectors = self._cache(VECTORS, facts, self._encoded)
        self._units = self._cache(TOKENS, facts, self._read, self._width) if self._width else self._vectors
        self._queries = self._cache(QUERIES, facts, self._read_queries, self._width * _HALF.itemsize)

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of texts, a row for each."""
        rows = np.frombuffer(b"".join(self._vectors.rows(texts)), _HALF)
        return rows.reshape(len(texts), self._encoder.dimensions).astype(np.float32)

    def units(self, texts: Sequence[str]) -> list[UnitReading]:
        """A reading of each text."""
        return [self._unit(row) for row in self._units.rows(texts)]

    def query(self, text: str, exemplars: Sequence[str] = ()) -> QueryReading:
        """A reading of a query; with exemplars, its vector is the mean of its own and the exemplars' mean vector."""
        (row,) = self._queries.rows([text])
        vector = self._vector(row)
        if exemplars:
            both = vector + self.vectors(exemplars).astype(np.float64).mean(axis=0)
            vector = (both / max(float(np.linalg.norm(both)), 1e-20)).astype(_HALF).astype(np.float64)
        if not self._width:
            return QueryReading(vector, None)
        tokens = np.frombuffer(row, _HALF, offset=self._size).reshape(-1, self._width)
        return QueryReading(vector, LateQuery(tokens.astype(np.float32)))

    def flush(self) -> None:
        """Write what was computed since the last flush."""
        for cache in (self._vectors, self._units, self._queries):
            cache.flush()

    def _cache(
        self, kind: str, facts: FactCache, compute: Callable[[list[str]], list[bytes]], step: int = 0
    ) -> ModelOutputCache:
        key = partial(_key, self._encoder.model_id)
        return ModelOutputCache(kind, facts, key, compute, self._size, step)

    def _encoded(self, texts: list[str]) -> list[bytes]:
        return [row.tobytes() for row in self._encoder.encode(texts, apart=True).astype(_HALF)]

    def _read(self, texts: list[str]) -> list[bytes]:
        found = self._encoder.read(texts)
        return [one.vector.astype(_HALF).tobytes() + unit_steps(one.tokens).tobytes() for one in found]

    def _read_queries(self, texts: list[str]) -> list[bytes]:
        found = map(self._encoder.read_query, texts)
        return [one.vector.astype(_HALF).tobytes() + one.tokens.astype(_HALF).tobytes() for one in found]

    def _vector(self, row: bytes) -> Floats:
        return np.frombuffer(row, _HALF, self._encoder.dimensions).astype(np.float64)

    def _unit(self, row: bytes) -> UnitReading:
        tokens: Int8s = np.frombuffer(row, np.int8, offset=self._size).reshape(-1, max(self._width, 1))
        return UnitReading(self._vector(row), tokens)


def _key(model_id: str, text: str) -> str:
    return vector_key(digest(text), model_id)
