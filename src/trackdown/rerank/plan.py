"""How candidates are judged: how deep each stage looks, for how long, and what its word weighs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FUSED, ENCODER, COMMITS, CODE, LLM = "fused", "encoder", "commit-reranker", "code-reranker", "llm"
SIGNALS = (FUSED, ENCODER, COMMITS, CODE)
"""What is weighed: what fusion gave, and what the models say."""


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """What each stage's word weighs; `fused` is what the best fused score is worth."""

    fused: float = 1.0
    encoder: float = 0.7
    commit: float = 0.15
    code: float = 0.6

    @staticmethod
    def by_signal(weights: Mapping[str, float]) -> RerankWeights:
        """Weights under the names of the signals; what is not among them has no say."""
        return RerankWeights(*(weights.get(signal, 0.0) for signal in SIGNALS))

    def as_dict(self) -> dict[str, float]:
        """The same the other way round."""
        return dict(zip(SIGNALS, (self.fused, self.encoder, self.commit, self.code), strict=True))


@dataclass(frozen=True, slots=True)
class RerankPlan:
    """How deep each stage looks: candidates for encoder and code, past commits for commits. 0 leaves a stage out.

    With `budget_ms` the stages end when time is up; without it an answer is the same on every machine. `units` is how
    many units of a class or file are read, `all_windows` whether long units are read to their end.
    """

    encoder: int = 0
    commits: int = 0
    code: int = 0
    budget_ms: float | None = None
    units: int = 2
    all_windows: bool = False
    weights: RerankWeights = RerankWeights()

    @property
    def depth(self) -> int:
        """How many candidates have to be there."""
        return max(self.encoder, self.commits, self.code)


@dataclass(slots=True)
class Reranking:
    """The places of a ranking in their new order, what fused scores are multiplied by, and what each stage adds.

    `raw` are the values as a model gave them, nan where it gave none. `commits` is the commit behind a stage's word,
    `before` the place that a candidate had before its code was read, `ranks` the ranks of those that a language model
    moved, before it did.
    """

    order: list[int]
    fused_factor: float
    parts: dict[str, Floats] = field(default_factory=dict)
    raw: dict[str, Floats] = field(default_factory=dict)
    commits: list[int] = field(default_factory=list)
    before: dict[int, int] = field(default_factory=dict)
    ranks: dict[int, int] = field(default_factory=dict)

    def reorder(self, order: list[int], fused: Floats) -> None:
        """Take over a language model's order. Whoever it moves gets the score of its new rank: scores stay in order."""
        scores = self.scores(fused)
        self.parts[LLM] = np.zeros(len(scores))
        self.parts[LLM][order] = scores[self.order] - scores[order]
        self.ranks = {place: rank for rank, place in enumerate(self.order, 1) if order[rank - 1] != place}
        self.order = order

    def scores(self, fused: Floats) -> Floats:
        """The scores of all places, from their fused ones."""
        return sum(self.parts.values(), fused * self.fused_factor)

    def said(self, place: int, rank: int, describe: Callable[[int], str]) -> list[tuple[str, float, str]]:
        """(signal, what it adds, in words) of a candidate that stands at a rank now."""
        found = []
        until_now = self.ranks.get(place, rank)
        if ENCODER in self.parts and self.parts[ENCODER][place]:
            cosine = self.raw[ENCODER][place]
            words = "not compared, counts as average" if np.isnan(cosine) else f"the encoder's cosine is {cosine:.2f}"
            found.append((ENCODER, float(self.parts[ENCODER][place]), words))
        if COMMITS in self.parts and self.parts[COMMITS][place]:
            sure = probability(self.raw[COMMITS][place])
            words = f"{sure:.0%} like {describe(self.commits[place])}"
            found.append((COMMITS, float(self.parts[COMMITS][place]), words))
        if place in self.before:
            logit = self.raw[CODE][place]
            sure_of_it = "not read, counts as average" if np.isnan(logit) else f"{probability(logit):.0%} relevant"
            words = f"rank {self.before[place] + 1} → {until_now}: {sure_of_it}"
            found.append((CODE, float(self.parts[CODE][place]), words))
        if place in self.ranks:
            words = f"rank {until_now} → {rank}: the language model's order"
            found.append((LLM, float(self.parts[LLM][place]), words))
        return found


def probability(logit: float) -> float:
    """What a logit says, from 0 to 1."""
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -60.0, 60.0))))
