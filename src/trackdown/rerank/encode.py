"""The encoder: cosines of the query and the candidates' units. Vectors are made when a unit is first a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.cache import VECTORS, Float32s, ModelOutputCache, digest
from trackdown.rerank.candidate_scores import CandidateScores, ScoreCollector
from trackdown.rerank.texts import UnitTexts
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models.encoder import Encoder


class UnitEncoder:
    """Encoder vectors of units, from facts or made now (CasCode's fast stage, for candidates only)."""

    def __init__(self, encoder: Encoder, texts: UnitTexts, facts: FactCache) -> None:
        self._texts = texts
        self._at_once = encoder.threads
        self._kept = ModelOutputCache(
            VECTORS,
            facts,
            lambda text: f"{digest(text)}:{encoder.model_id}",
            lambda texts: encoder.encode(texts, apart=True),
            encoder.dimensions,
        )

    def cosines(
        self, query: str, candidates: Sequence[Sequence[int]], budget: TimeBudget, exemplars: Sequence[str] = ()
    ) -> CandidateScores:
        """The best cosine of each candidate's units, best candidates first, until time is up.

        With exemplars it is that of the mean of the query's vector and theirs, each side counting half.
        """
        tally = ScoreCollector(candidates)
        asked = None
        try:
            for batch in budget.batches(tally.items(), self._at_once, "compare"):
                if asked is None:
                    asked = self._asked(query, exemplars)
                texts = [self._texts.whole(unit) for _, unit in batch]
                rows = iter(self._kept.rows([text for text in texts if text is not None]) @ asked)
                tally.add(batch, [None if text is None else float(next(rows)) for text in texts])
        finally:
            self._kept.keep()  # also of a search that is cancelled
        return tally.judged()

    def _asked(self, query: str, exemplars: Sequence[str]) -> Float32s:
        own: Float32s = self._kept.rows([query])[0]
        if not exemplars:
            return own
        both = own + self._kept.rows(exemplars).mean(axis=0)
        asked: Float32s = both / np.float32(max(float(np.linalg.norm(both)), 1e-20))
        return asked
