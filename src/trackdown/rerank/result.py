"""What reranking made of a ranking: the new order, what each stage adds to a score, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from trackdown.rerank.plan import CODE, COMMITS, ENCODER, LLM

Floats = npt.NDArray[np.float64]


@dataclass(slots=True)
class Reranking:
    """The places of a ranking in their new order. A score is the fused score × `fused_factor` plus all `parts`.

    `raw` holds each model's own values, nan where it gave none. `commits` names the commit behind each place's commit
    score, `before` the place that a candidate had before the code reranker, and `ranks` the rank that a candidate had
    before a language model moved it.
    """

    order: list[int]
    fused_factor: float
    parts: dict[str, Floats] = field(default_factory=dict)
    raw: dict[str, Floats] = field(default_factory=dict)
    commits: list[int] = field(default_factory=list)
    before: dict[int, int] = field(default_factory=dict)
    ranks: dict[int, int] = field(default_factory=dict)

    def reorder(self, order: list[int], fused: Floats) -> None:
        """Adopt a language model's order. A candidate that moves gets the score of its new rank: scores stay sorted."""
        scores = self.scores(fused)
        self.parts[LLM] = np.zeros(len(scores))
        self.parts[LLM][order] = scores[self.order] - scores[order]
        self.ranks = {place: rank for rank, place in enumerate(self.order, 1) if order[rank - 1] != place}
        self.order = order

    def scores(self, fused: Floats) -> Floats:
        """The scores of all places, given their fused scores."""
        return sum(self.parts.values(), fused * self.fused_factor)

    def explain(self, place: int, rank: int, describe: Callable[[int], str]) -> list[tuple[str, float, str]]:
        """(signal, what it adds, why) for the candidate at a place, which is now at `rank`.

        `describe` turns a commit's position into words.
        """
        found = []
        rank_before_llm = self.ranks.get(place, rank)
        if ENCODER in self.parts and self.parts[ENCODER][place]:
            cosine = self.raw[ENCODER][place]
            detail = (
                "not encoded, scored as average" if np.isnan(cosine) else f"encoder similarity (cosine {cosine:.2f})"
            )
            found.append((ENCODER, float(self.parts[ENCODER][place]), detail))
        if COMMITS in self.parts and self.parts[COMMITS][place]:
            chance = probability(self.raw[COMMITS][place])
            detail = f"{chance:.0%} similar to {describe(self.commits[place])}"
            found.append((COMMITS, float(self.parts[COMMITS][place]), detail))
        if place in self.before:
            logit = self.raw[CODE][place]
            relevance = "not read, scored as average" if np.isnan(logit) else f"{probability(logit):.0%} relevant"
            detail = f"rank {self.before[place] + 1} → {rank_before_llm}: {relevance}"
            found.append((CODE, float(self.parts[CODE][place]), detail))
        if place in self.ranks:
            detail = f"rank {rank_before_llm} → {rank}: moved by the language model"
            found.append((LLM, float(self.parts[LLM][place]), detail))
        return found


def probability(logit: float) -> float:
    """The probability, 0 to 1, that a logit stands for."""
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -60.0, 60.0))))
