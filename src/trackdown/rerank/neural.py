"""The neural stages: encoder → CommitReranker → CodeReranker, each over the best candidates of the stage before.

Candidates that a stage doesn't reach in time keep their order, below those it did. A candidate's score is linear in its
fused score and in each stage's score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.index import Corpus, RerankModels
from trackdown.rerank.budget import TimeBudget, budget_of
from trackdown.rerank.candidate_scores import clipped_z_scores
from trackdown.rerank.code import CodeReranker
from trackdown.rerank.commits import CommitReranker
from trackdown.rerank.encode import UnitEncoder
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.plan import CODE, COMMITS, ENCODER, LATE, RerankPlan, RerankWeights
from trackdown.rerank.result import Reranking, probability
from trackdown.rerank.texts import UnitTexts

Floats = npt.NDArray[np.float64]
Scale = Callable[[Floats], Floats]

ENCODER_SHARE = 0.7
"""The share of the time budget that the encoder may use, about what the default depths need; the cross-encoder gets
what is left."""

SCALES: Mapping[str, tuple[Scale, float]] = {
    ENCODER: (clipped_z_scores, 0.5),
    LATE: (clipped_z_scores, 0.5),
    COMMITS: (clipped_z_scores, 0.0),
    CODE: (clipped_z_scores, 0.5),
}
"""How a stage's values become comparable, and the score of a candidate that has none: a file without a scored commit
has no such evidence, while code that could not be read counts as average."""


@dataclass(frozen=True, slots=True)
class RerankInput:
    """Candidates to rerank, best first. `fused` are their scores, `factors` what their roles multiply scores by.

    `past` are commits like the query, best first; `behind` gives a file's commits among them. `exemplars` is code that
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


def rerank(candidates: RerankInput, corpus: Corpus, plan: RerankPlan, lap: Callable[[str], None]) -> Reranking:
    """Rerank candidates. A stage whose model is missing is skipped. `lap` gets the name of each stage that ends."""
    assert corpus.models is not None
    return _NeuralStages(candidates, corpus, corpus.models, plan).run(lap)


def sum_with_models(fused: Floats, factors: Floats, said: Mapping[str, Floats], weights: RerankWeights) -> Floats:
    """The scores of a whole search, as the stages add them up, for values that were read by other means.

    `said` are the values of some signals, nan where nothing was read or could be read. There a score is the fused part
    alone.
    """
    best = float(np.abs(fused).max(initial=0.0))
    total = fused * (weights.fused / best) if best else fused * 0.0
    for signal, weight in ((ENCODER, weights.encoder), (LATE, weights.late), (CODE, weights.code)):
        if signal in said:
            scale, _ = SCALES[signal]
            total = total + weight * np.nan_to_num(scale(said[signal]), nan=0.0) * factors
    return total


def relevance_scorer(query: str, corpus: Corpus) -> Callable[[Sequence[Sequence[int]]], list[float]] | None:
    """A function from candidates' units to each candidate's relevance, 0 to 1; None without a cross-encoder."""
    models = corpus.models
    model = models.cross_encoder() if models is not None else None
    if models is None or model is None:
        return None
    texts = UnitTexts(corpus.code, corpus.texts)
    reranker = CodeReranker(PairScorer(model, query, corpus.facts), texts, all_windows=False)

    def read(candidates: Sequence[Sequence[int]]) -> list[float]:
        try:
            logits = reranker.logits(candidates, TimeBudget(None)).values
        except ModelError as error:
            models.failed(error)
            return [0.0] * len(candidates)
        return [0.0 if np.isnan(logit) else probability(logit) for logit in logits]

    return read


class _NeuralStages:
    """One ranking on its way through the stages."""

    def __init__(self, candidates: RerankInput, corpus: Corpus, models: RerankModels, plan: RerankPlan) -> None:
        self._candidates = candidates
        self._corpus = corpus
        self._models = models
        self._plan = plan
        self._weights = plan.weights
        self._budget = budget_of(plan, corpus.progress)
        self._texts = UnitTexts(corpus.code, corpus.texts)
        self._pairs: PairScorer | None = None
        best = float(np.abs(candidates.fused).max(initial=0.0))
        self._result = Reranking(list(range(len(candidates.fused))), self._weights.fused / best if best else 0.0)
        self._scores = candidates.fused * self._result.fused_factor
        self._front = len(candidates.fused)

    def run(self, lap: Callable[[str], None]) -> Reranking:
        for name, depth, stage in (
            ("encode", self._plan.encoder, self._encode),
            ("commit-rerank", self._plan.commits, self._commits),
            ("code-rerank", self._plan.code, self._code),
        ):
            if depth and self._candidates.query:
                try:
                    stage(depth)
                except ModelError as error:
                    self._models.failed(error)
                lap(name)
        if not self._result.parts:
            self._result.fused_factor = 1.0  # no stage took part: scores stay what they are
        if self._budget.cut:
            self._corpus.note(cut_short(self._plan, self._budget.cut))
        return self._result

    def _encode(self, depth: int) -> None:
        with self._budget.paused():  # it may still be loading
            encoder = self._models.encoder()
        if encoder is None:
            return
        first = self._result.order[:depth]
        budget = self._budget.share(ENCODER_SHARE if self._plan.code else 1.0)
        (found,) = UnitEncoder(encoder, self._texts, self._corpus.facts).compare(
            [self._candidates.query], self._units(first), budget, self._candidates.exemplars
        )
        reached = found.cosines.reached
        if not reached:
            return
        self._add(ENCODER, self._weights.encoder, first[:reached], found.cosines.values[:reached])
        if found.late is not None:
            self._add(LATE, self._weights.late, first[:reached], found.late.values[:reached])
        self._sort(0, reached)
        self._front = reached

    def _commits(self, depth: int) -> None:
        pairs = self._open_pairs()
        messages = self._corpus.messages
        if pairs is None or messages is None or not self._candidates.past:
            return
        reranker = CommitReranker(pairs, messages)
        past = self._candidates.past[:depth]
        found = reranker.files(self._candidates.files, past, self._candidates.behind, self._budget)
        if np.isnan(found.values).all():
            return
        self._result.commits = found.commits
        self._add(COMMITS, self._weights.commit, range(len(found.values)), found.values)
        self._sort(0, self._front)
        self._sort(self._front, len(self._result.order))

    def _code(self, depth: int) -> None:
        pairs = self._open_pairs()
        if pairs is None:
            return
        first = self._result.order[:depth]
        reranker = CodeReranker(pairs, self._texts, all_windows=self._plan.all_windows)
        found = reranker.logits(self._units(first), self._budget)
        if not found.reached:
            return
        self._result.before = {place: before for before, place in enumerate(first[: found.reached])}
        self._add(CODE, self._weights.code, first[: found.reached], found.values[: found.reached])
        self._add_average_encoder_score(first[self._front : found.reached])
        self._sort(0, found.reached)

    def _add_average_encoder_score(self, places: Sequence[int]) -> None:
        """Give candidates that the encoder had no time for an average score, so that they compare with the others."""
        chosen = np.array(places, dtype=np.int64)
        for signal, weight in ((ENCODER, self._weights.encoder), (LATE, self._weights.late)):
            if signal in self._result.parts:
                average = weight * SCALES[signal][1] * self._candidates.factors[chosen]
                self._result.parts[signal][chosen] += average
                self._scores[chosen] += average

    def _units(self, places: Sequence[int]) -> list[Sequence[int]]:
        return [self._candidates.units[place] for place in places]

    def _open_pairs(self) -> PairScorer | None:
        if self._pairs is None:
            with self._budget.paused():
                model = self._models.cross_encoder()
            if model is not None:
                self._pairs = PairScorer(model, self._candidates.query, self._corpus.facts)
        return self._pairs

    def _add(self, signal: str, weight: float, places: Sequence[int], values: Floats) -> None:
        """Add a stage's values to the scores of the places that it reached."""
        scale, without = SCALES[signal]
        chosen = np.array(places, dtype=np.int64)
        self._result.raw[signal] = np.full(len(self._scores), np.nan)
        self._result.raw[signal][chosen] = values
        part = np.zeros(len(self._scores))
        part[chosen] = weight * np.nan_to_num(scale(values), nan=without) * self._candidates.factors[chosen]
        self._result.parts[signal] = part
        self._scores = self._scores + part

    def _sort(self, start: int, end: int) -> None:
        """Sort a slice of the order by score; equal scores keep their order."""
        order = self._result.order
        order[start:end] = sorted(order[start:end], key=lambda place: -self._scores[place])


def cut_short(plan: RerankPlan, cut: Mapping[str, tuple[int, int]]) -> str:
    """A note for an answer that the clock cut short."""
    done = ", ".join(f"{step}: {reached} of {wanted}" for step, (reached, wanted) in cut.items())
    seconds = ((plan.budget_ms or 0.0) + plan.spent_ms) / 1000
    return f"the models ran out of time after {seconds:g} s ({done}); with --depth N they read to the end"
