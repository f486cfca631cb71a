"""Cosines of the query and the candidates' units. A unit's vector is made when it first becomes a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.cache import VECTORS, ModelOutputCache, digest, vector_key
from trackdown.rerank.candidate_scores import CandidateScores, Floats, ScoreCollector
from trackdown.rerank.texts import UnitTexts
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models import Encoder


def vector_cache(encoder: Encoder, facts: FactCache) -> ModelOutputCache:
    """Vectors of texts as the encoder reads them, cached as facts. Each depends on its text and the model alone."""
    return ModelOutputCache(
        VECTORS,
        facts,
        lambda text: vector_key(digest(text), encoder.model_id),
        lambda texts: encoder.encode(texts, apart=True),
        encoder.dimensions,
    )


def query_vector(cache: ModelOutputCache, query: str, exemplars: Sequence[str]) -> Floats:
    """The vector of a query as the encoder reads it; with exemplars, the mean of it and the exemplars' mean vector.

    Vectors hold half-precision numbers and have length 1, so their dot products in double precision are exact: they
    depend neither on the number of rows in a batch nor on the order of adding.
    """
    own: Floats = cache.rows([query])[0].astype(np.float64)
    if not exemplars:
        return own
    both = own + cache.rows(exemplars).astype(np.float64).mean(axis=0)
    mean: Floats = (both / max(float(np.linalg.norm(both)), 1e-20)).astype(np.float16).astype(np.float64)
    return mean


class UnitEncoder:
    """Encoder vectors of units, cached as facts (CasCode's fast stage, for candidates only)."""

    def __init__(self, encoder: Encoder, texts: UnitTexts, facts: FactCache) -> None:
        self._texts = texts
        self._at_once = encoder.threads
        self._cache = vector_cache(encoder, facts)

    def cosines(
        self, query: str, candidates: Sequence[Sequence[int]], budget: TimeBudget, exemplars: Sequence[str] = ()
    ) -> CandidateScores:
        """The best cosine over each candidate's units, best candidates first, until time is up.

        With exemplars, units are compared with the mean of the query's vector and the exemplars' mean vector.
        """
        (found,) = self.similarities([query], candidates, budget, exemplars)
        return found

    def similarities(
        self,
        queries: Sequence[str],
        candidates: Sequence[Sequence[int]],
        budget: TimeBudget,
        exemplars: Sequence[str] = (),
    ) -> list[CandidateScores]:
        """The same for several queries, such as an issue and its title; each unit is encoded once."""
        collectors = [ScoreCollector(candidates) for _ in queries]
        vectors: list[Floats] = []
        try:
            for batch in budget.batches(collectors[0].items(), self._at_once, "compare"):
                vectors = vectors or [query_vector(self._cache, query, exemplars) for query in queries]
                texts = [self._texts.opening(unit) for _, unit in batch]
                rows = self._cache.rows([text for text in texts if text is not None])
                for collector, vector in zip(collectors, vectors, strict=True):
                    cosines = iter((rows.astype(np.float64) @ vector).tolist())
                    collector.add(batch, [None if text is None else next(cosines) for text in texts])
        finally:
            self._cache.flush()  # even if the search is cancelled
        return [collector.scores() for collector in collectors]
