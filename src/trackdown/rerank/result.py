"""What reranking made of a ranking: the new order, what each stage adds to a score, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from trackdown.rerank.plan import CODE, COMMITS, ENCODER, LATE, LLM
from trackdown.types import Match

Floats = npt.NDArray[np.float64]

_VERDICTS = {
    ENCODER: ("among the closest in meaning", "closer in meaning than most", "others are closer in meaning"),
    LATE: ("among the closest, word by word", "closer than most, word by word", "others are closer, word by word"),
    CODE: (
        "a model that read it finds it very relevant",
        "a model that read it finds it relevant",
        "a model that read it finds others more relevant",
    ),
}
"""What a model's value means: far above the average of what it read, above it, or below it.

The words compare, because a question that makes no sense is also close to something.
"""
_DOUBTFUL = "a model that read it is doubtful, but less than about others"
"""What a logit below 0 means that is above the average: even odds are at 0."""


class CommitWords(Protocol):
    """How to speak of past commits, given their positions."""

    @property
    def describe(self) -> Callable[[int], str]:
        """A commit → short id, subject and date."""
        ...

    @property
    def quote(self) -> Callable[[int], str]:
        """A commit → its subject and year."""
        ...


@dataclass(slots=True)
class Reranking:
    """The places of a ranking in their new order. A score is the fused score × `fused_factor` plus all `parts`.

    A learned ranking has the scores of all places in `total` and their parts only for the first places.
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
    total: Floats | None = None

    def reorder(self, order: list[int], fused: Floats) -> None:
        """Adopt a language model's order. A candidate that moves gets the score of its new rank: scores stay sorted."""
        scores = self.scores(fused)
        self.parts[LLM] = np.zeros(len(scores))
        self.parts[LLM][order] = scores[self.order] - scores[order]
        self.ranks = {place: rank for rank, place in enumerate(self.order, 1) if order[rank - 1] != place}
        self.order = order

    def scores(self, fused: Floats) -> Floats:
        """The scores of all places, given their fused scores."""
        if self.total is not None:
            return self.total + self.parts[LLM] if LLM in self.parts else self.total
        return sum(self.parts.values(), fused * self.fused_factor)

    def values(self, place: int) -> dict[str, float]:
        """What each stage adds to the score of the candidate at a place, by signal."""
        return {signal: float(part[place]) for signal, part in self.parts.items() if part[place]}

    def matches(self, place: int, rank: int, past: CommitWords | None) -> dict[str, Match]:
        """What the stages found in the candidate at a place, which is now at `rank`, by signal."""
        found: dict[str, Match] = {}
        rank_before_llm = self.ranks.get(place, rank)
        for signal, unit in ((ENCODER, "cosine"), (LATE, "mean of best cosines")):
            if signal in self.parts and self.parts[signal][place]:
                found[signal] = self._model_match(signal, place, unit)
        if past is not None and COMMITS in self.parts and self.parts[COMMITS][place]:
            commit = self.commits[place]
            text = f"a past change of its file reads like this: {past.quote(commit)}"
            found[COMMITS] = Match(text, {past.describe(commit): float(self.raw[COMMITS][place])})
        if place in self.before:
            moved = {"rank before": self.before[place] + 1, "rank after": rank_before_llm}
            found[CODE] = self._model_match(CODE, place, "logit", moved)
        if place in self.ranks:
            way = "up" if rank < rank_before_llm else "down"
            numbers = {"rank before": rank_before_llm, "rank after": rank}
            found[LLM] = Match(f"moved {way} by the language model", numbers, telling=way == "up")
        return found

    def _model_match(self, signal: str, place: int, unit: str, moved: Mapping[str, float] | None = None) -> Match:
        """What a model says of a candidate, compared with the others that it read."""
        values = self.raw[signal]
        value = float(values[place])
        very, plain, others = _VERDICTS[signal]
        if np.isnan(value):
            return Match("not read by the model: counts as average", moved or {}, telling=False)
        known = values[~np.isnan(values)]
        above = value - float(known.mean())
        numbers = {unit: value, **(moved or {})}
        if signal == CODE and value < 0 <= above:
            return Match(_DOUBTFUL, numbers, telling=False)
        text = very if above > float(known.std()) else plain if above >= 0 else others
        return Match(text, numbers, telling=above >= 0)


def probability(logit: float) -> float:
    """The probability, 0 to 1, that a logit stands for."""
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -60.0, 60.0))))
