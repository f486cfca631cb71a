"""CodeReranker: the cross-encoder reads the query and a candidate's code together (system 1, stage 3; CasCode).

Gandhi, Gao and Callan cut files into windows of whole lines, about 350 tokens each, and score a file by its best
window. We read units, and cut a unit that is longer than a window the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.candidate_scores import CandidateScores, ScoreCollector
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.texts import UnitTexts


class CodeReranker:
    """Scores candidates by their units, in few words or, with `all_windows`, to their end."""

    def __init__(self, pairs: PairScorer, texts: UnitTexts, *, all_windows: bool) -> None:
        self._pairs = pairs
        self._texts = texts
        self._all_windows = all_windows

    def logits(self, candidates: Sequence[Sequence[int]], budget: TimeBudget) -> CandidateScores:
        """The best logit over each candidate's units and their windows, best candidates first, until time is up."""
        collector = ScoreCollector(candidates)
        try:
            for batch in budget.batches(collector.items(), self._pairs.at_once, "read code"):
                windows = [self._read(unit) for _, unit in batch]
                logits = iter(self._pairs.logits([text for found in windows for text in found]).tolist())
                collector.add(batch, [max((next(logits) for _ in found), default=None) for found in windows])
        finally:
            self._pairs.flush()  # even if the search is cancelled
        return collector.scores()

    def _read(self, unit: int) -> list[str]:
        if self._all_windows:
            return self._texts.windows(unit)
        brief = self._texts.opening(unit)
        return [] if brief is None else [brief]
