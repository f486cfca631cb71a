"""CodeReranker: the cross-encoder reads the query and a candidate's code together (system 1, stage 3; CasCode).

Gandhi, Gao and Callan cut files into windows of whole lines, about 350 tokens each, and score a file by its best
window. We read units, and cut a unit that is longer than a window the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.candidate_scores import CandidateScores, ScoreCollector
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.texts import MAX_WINDOWS, UnitTexts


class CodeReranker:
    """Scores candidates by their units. Without `all_windows` it reads only the first window of a unit."""

    def __init__(self, pairs: PairScorer, texts: UnitTexts, *, all_windows: bool) -> None:
        self._pairs = pairs
        self._texts = texts
        self._windows = MAX_WINDOWS if all_windows else 1

    def logits(self, candidates: Sequence[Sequence[int]], budget: TimeBudget) -> CandidateScores:
        """The best logit over each candidate's units and their windows, best candidates first, until time is up."""
        collector = ScoreCollector(candidates)
        try:
            for batch in budget.batches(collector.items(), self._pairs.at_once, "read code"):
                windows = [self._texts.windows(unit, self._windows) for _, unit in batch]
                logits = iter(self._pairs.logits([text for found in windows for text in found]).tolist())
                collector.add(batch, [max((next(logits) for _ in found), default=None) for found in windows])
        finally:
            self._pairs.flush()  # even if the search is cancelled
        return collector.scores()
