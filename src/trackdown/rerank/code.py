"""CodeReranker: the cross-encoder reads the query and a candidate's code together (system 1, stage 3; CasCode).

Gandhi, Gao and Callan cut files into windows of about 350 tokens of whole lines and score a file by its best window.
Ours reads units; one that is longer than a window is cut the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.candidate_scores import CandidateScores, ScoreCollector
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.texts import MOST_WINDOWS, UnitTexts


class CodeReranker:
    """Judges candidates by their units. Without `all_windows` a unit is judged by its first one."""

    def __init__(self, pairs: PairScorer, texts: UnitTexts, *, all_windows: bool) -> None:
        self._pairs = pairs
        self._texts = texts
        self._windows = MOST_WINDOWS if all_windows else 1

    def logits(self, candidates: Sequence[Sequence[int]], budget: TimeBudget) -> CandidateScores:
        """The best logit of each candidate's units and their windows, best candidates first, until time is up."""
        tally = ScoreCollector(candidates)
        try:
            for batch in budget.batches(tally.items(), self._pairs.at_once, "read code"):
                windows = [self._texts.windows(unit, self._windows) for _, unit in batch]
                logits = iter(self._pairs.logits([text for found in windows for text in found]).tolist())
                tally.add(batch, [max((next(logits) for _ in found), default=None) for found in windows])
        finally:
            self._pairs.keep()  # also of a search that is cancelled
        return tally.judged()
