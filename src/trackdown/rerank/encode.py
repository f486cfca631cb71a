"""The encoder compares the query with the candidates' units: by their vectors and, token by token, by late interaction.

A unit is read when it first becomes a candidate (CasCode's fast stage, for candidates only).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.rerank.budget import TimeBudget, texts_at_once
from trackdown.rerank.candidate_scores import CandidateScores, ScoreCollector
from trackdown.rerank.readings import QueryReading, ReadingCache, UnitReading
from trackdown.rerank.texts import UnitTexts
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models import Encoder


@dataclass(frozen=True, slots=True)
class EncoderComparison:
    """How close candidates are to one query: by vectors, and by tokens where the model has them."""

    cosines: CandidateScores
    late: CandidateScores | None


class UnitEncoder:
    """Compares queries with candidates, given by their units."""

    def __init__(self, encoder: Encoder, texts: UnitTexts, facts: FactCache) -> None:
        self._texts = texts
        self._at_once = texts_at_once(encoder.threads)
        self._readings = ReadingCache(encoder, facts)
        self._has_tokens = bool(encoder.token_dimensions)

    def compare(
        self,
        queries: Sequence[str],
        candidates: Sequence[Sequence[int]],
        budget: TimeBudget,
        exemplars: Sequence[str] = (),
    ) -> list[EncoderComparison]:
        """For each query the best score over each candidate's units, best candidates first, until time is up.

        Several queries, such as an issue and its title, cost one reading of each unit. With exemplars, units are
        compared with the mean of the query's vector and the exemplars' mean vector.
        """
        cosines = [ScoreCollector(candidates) for _ in queries]
        late = [ScoreCollector(candidates) for _ in queries]
        asked: list[QueryReading] = []
        try:
            for batch in budget.batches(cosines[0].items(), self._at_once, "compare"):
                asked = asked or [self._readings.query(query, exemplars) for query in queries]
                units = self._read([unit for _, unit in batch])
                for query, close, alike in zip(asked, cosines, late, strict=True):
                    close.add(batch, [None if unit is None else float(unit.vector @ query.vector) for unit in units])
                    if query.late is not None:
                        scored = iter(query.late.scores([unit.tokens for unit in units if unit is not None]))
                        alike.add(batch, [None if unit is None else next(scored) for unit in units])
        finally:
            self._readings.flush()  # even if the search is cancelled
        return [
            EncoderComparison(close.scores(), alike.scores() if self._has_tokens else None)
            for close, alike in zip(cosines, late, strict=True)
        ]

    def _read(self, units: Sequence[int]) -> list[UnitReading | None]:
        texts = [self._texts.opening(unit) for unit in units]
        found = iter(self._readings.units([text for text in texts if text is not None]))
        return [None if text is None else next(found) for text in texts]
