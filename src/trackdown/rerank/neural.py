"""The neural part of the cascade: encoder → CommitReranker → CodeReranker, each over the best of what it gets.

What a stage had no time for stays behind what it judged, in its former order. The score of a candidate is linear in
what fusion gave it and in what each stage said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.index.code import CodeIndex
from trackdown.index.neural import Neural
from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.code import CodeReranker
from trackdown.rerank.commits import CommitReranker
from trackdown.rerank.encode import UnitEncoder
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.plan import CODE, COMMITS, ENCODER, Reranking, RerankPlan, probability
from trackdown.rerank.texts import UnitTexts

Floats = npt.NDArray[np.float64]
Scale = Callable[[Floats], Floats]

ENCODER_SHARE = 0.5
"""The part of a time budget that the encoder may use; what it leaves is for the cross-encoder."""
_CLIPPED_AT = 3.0


def clipped_z_scores(values: Floats) -> Floats:
    """z-scores among the judged, cut off at ±3, as 0 to 1: the average is 1/2. What could not be judged stays nan."""
    known = values[~np.isnan(values)]
    spread = float(known.std()) if len(known) else 0.0
    if not spread:
        return np.where(np.isnan(values), np.nan, 0.5)
    cut: Floats = np.clip((values - known.mean()) / spread, -_CLIPPED_AT, _CLIPPED_AT)
    return (cut + _CLIPPED_AT) / (2 * _CLIPPED_AT)


SCALES: Mapping[str, tuple[Scale, float]] = {
    ENCODER: (clipped_z_scores, 0.5),
    COMMITS: (clipped_z_scores, 0.0),
    CODE: (clipped_z_scores, 0.5),
}
"""How a stage's values become comparable, and what counts where it has none: a file without a judged commit has no such
evidence, while code that could not be read is taken for average."""


@dataclass(frozen=True, slots=True)
class RerankInput:
    """Candidates to judge, best first. `fused` are their scores, `factors` what their roles cost them.

    `past` are commits like the query, best first, `behind` those that speak for a file. `exemplars` is code that
    answers the query, as the encoder reads it.
    """

    query: str
    fused: Floats
    factors: Floats
    units: Sequence[Sequence[int]]
    files: Sequence[int]
    past: Sequence[int] = ()
    behind: Callable[[int], Sequence[int]] = lambda file: ()
    exemplars: Sequence[str] = ()


def rerank(
    ranking: RerankInput, code: CodeIndex, neural: Neural, judging: RerankPlan, lap: Callable[[str], None]
) -> Reranking:
    """Judge a ranking. Stages whose model is not there are left out; `lap` hears of each that ended."""
    return _Cascade(ranking, code, neural, judging).run(lap)


def relevance_scorer(
    query: str, code: CodeIndex, neural: Neural
) -> Callable[[Sequence[Sequence[int]]], list[float]] | None:
    """A function from candidates' units to how relevant each candidate is, 0 to 1; None without a cross-encoder."""
    model = neural.cross_encoder()
    if model is None:
        return None
    reranker = CodeReranker(PairScorer(model, query, neural.facts), UnitTexts(code, neural.texts), all_windows=False)

    def read(candidates: Sequence[Sequence[int]]) -> list[float]:
        try:
            logits = reranker.logits(candidates, TimeBudget(None)).values
        except ModelError as error:
            neural.failed(error)
            return [0.0] * len(candidates)
        return [0.0 if np.isnan(logit) else probability(logit) for logit in logits]

    return read


class _Cascade:
    """One ranking on its way through the stages."""

    def __init__(self, ranking: RerankInput, code: CodeIndex, neural: Neural, judging: RerankPlan) -> None:
        self._ranking = ranking
        self._neural = neural
        self._judging = judging
        self._weights = judging.weights
        self._budget = TimeBudget(judging.budget_ms, progress=neural.progress)
        self._texts = UnitTexts(code, neural.texts)
        self._pairs: PairScorer | None = None
        best = float(np.abs(ranking.fused).max(initial=0.0))
        self._verdict = Reranking(list(range(len(ranking.fused))), self._weights.fused / best if best else 0.0)
        self._scores = ranking.fused * self._verdict.fused_factor
        self._front = len(ranking.fused)

    def run(self, lap: Callable[[str], None]) -> Reranking:
        for name, depth, stage in (
            ("encode", self._judging.encoder, self._encode),
            ("commit-rerank", self._judging.commits, self._commits),
            ("code-rerank", self._judging.code, self._code),
        ):
            if depth and self._ranking.query and self._budget.left():
                try:
                    stage(depth)
                except ModelError as error:
                    self._neural.failed(error)
                lap(name)
        if not self._verdict.parts:
            self._verdict.fused_factor = 1.0  # nobody was heard: scores stay what they are
        return self._verdict

    def _encode(self, depth: int) -> None:
        encoder = self._neural.encoder()
        if encoder is None:
            return
        first = self._verdict.order[:depth]
        budget = self._budget.share(ENCODER_SHARE if self._judging.code else 1.0)
        found = UnitEncoder(encoder, self._texts, self._neural.facts).cosines(
            self._ranking.query, [self._ranking.units[place] for place in first], budget, self._ranking.exemplars
        )
        if not found.reached:
            return
        self._take(ENCODER, self._weights.encoder, first[: found.reached], found.values[: found.reached])
        self._sort(0, found.reached)
        self._front = found.reached

    def _commits(self, depth: int) -> None:
        pairs = self._open_pairs()
        if pairs is None or not self._ranking.past:
            return
        reranker = CommitReranker(pairs, self._neural.messages)
        found = reranker.files(self._ranking.files, self._ranking.past[:depth], self._ranking.behind, self._budget)
        if np.isnan(found.values).all():
            return
        self._verdict.commits = found.commits
        self._take(COMMITS, self._weights.commit, range(len(found.values)), found.values)
        self._sort(0, self._front)
        self._sort(self._front, len(self._verdict.order))

    def _code(self, depth: int) -> None:
        pairs = self._open_pairs()
        if pairs is None:
            return
        first = self._verdict.order[:depth]
        reranker = CodeReranker(pairs, self._texts, all_windows=self._judging.all_windows)
        found = reranker.logits([self._ranking.units[place] for place in first], self._budget)
        if not found.reached:
            return
        self._verdict.before = {place: before for before, place in enumerate(first[: found.reached])}
        self._take(CODE, self._weights.code, first[: found.reached], found.values[: found.reached])
        self._even_out(first[self._front : found.reached])
        self._sort(0, found.reached)

    def _even_out(self, places: Sequence[int]) -> None:
        """What the encoder had no time for counts as average for it, beside what it judged."""
        if ENCODER in self._verdict.parts:
            chosen = np.array(places, dtype=np.int64)
            average = self._weights.encoder * SCALES[ENCODER][1] * self._ranking.factors[chosen]
            self._verdict.parts[ENCODER][chosen] += average
            self._scores[chosen] += average

    def _open_pairs(self) -> PairScorer | None:
        model = self._neural.cross_encoder() if self._pairs is None else None
        if model is not None:
            self._pairs = PairScorer(model, self._ranking.query, self._neural.facts)
        return self._pairs

    def _take(self, signal: str, weight: float, places: Sequence[int], values: Floats) -> None:
        """Add a stage's word to the scores of the places that it judged."""
        scale, without = SCALES[signal]
        chosen = np.array(places, dtype=np.int64)
        self._verdict.raw[signal] = np.full(len(self._scores), np.nan)
        self._verdict.raw[signal][chosen] = values
        part = np.zeros(len(self._scores))
        part[chosen] = weight * np.nan_to_num(scale(values), nan=without) * self._ranking.factors[chosen]
        self._verdict.parts[signal] = part
        self._scores = self._scores + part

    def _sort(self, start: int, end: int) -> None:
        """Bring some of the order into that of the scores; equals keep theirs."""
        order = self._verdict.order
        order[start:end] = sorted(order[start:end], key=lambda place: -self._scores[place])
