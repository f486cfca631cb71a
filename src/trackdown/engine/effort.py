"""How much the neural stages may do: by effort, by a time budget, or by an exact depth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from trackdown.errors import UsageError
from trackdown.rerank.judging import Judging
from trackdown.rerank.llm import Listwise
from trackdown.types import EFFORTS, Effort

BALANCED = Judging(encoder=100, code=20)
THOROUGH = Judging(encoder=1000, commits=1000, code=100, units=4, all_windows=True)
"""System 1's full pipeline: 1000 commits and 1000 candidates, then the code of the best 100."""
LISTWISE_IF_THERE = Listwise(optional=True)
"""What a language model adds to that, where one is configured."""
DEEPEST = 10_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller asks of the neural stages. Raises UsageError for what cannot be asked.

    `budget` are milliseconds; `depth` lets every stage read exactly so many. `rerank` switches them on or off.
    """

    effort: Effort = "balanced"
    budget: float | None = None
    depth: int | None = None
    rerank: bool | None = None

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise UsageError(f"effort must be one of {', '.join(EFFORTS)}, not {self.effort!r}")
        if self.budget is not None and self.depth is not None:
            raise UsageError("a budget bounds reranking by time and a depth by number: give one of them")
        if self.budget is not None and not (math.isfinite(self.budget) and 0 <= self.budget <= 10**9):
            raise UsageError(f"the budget must be milliseconds from 0 on, not {self.budget}")
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise UsageError(f"the depth must be between 1 and {DEEPEST}, not {self.depth}")
        if self.rerank is False and (self.budget is not None or self.depth is not None):
            raise UsageError("a budget or a depth is for reranking: it does not go with leaving that out")

    @property
    def in_words(self) -> bool:
        """Whether the caller asks for reranking, instead of getting it by default."""
        return bool(self.rerank) or bool(self.budget) or self.depth is not None or self.effort == "thorough"

    def judging(self, named: Judging | None, by_default: bool, budget_ms: float) -> Judging | None:
        """What models judge in one search; None for nothing.

        `named` is what the mode itself asks for. Without that the effort decides, if it does so `by_default` or the
        caller asks for it. `budget_ms` is the time of a balanced search that names none.
        """
        if self.rerank is False or self.budget == 0:
            return None
        if named is None and not self.in_words and (self.effort == "fast" or not by_default):
            return None
        chosen = named or (THOROUGH if self.effort == "thorough" else BALANCED)
        if self.depth is not None:
            return _as_deep_as(chosen, self.depth)
        if self.budget is None and (named is not None or self.effort == "thorough"):
            return chosen
        budget = budget_ms if self.budget is None else self.budget
        return replace(chosen, budget_ms=budget) if budget else None

    def listwise(self, named: Listwise | None) -> Listwise | None:
        """What a language model orders in one search; None for nothing. A budget of milliseconds leaves it no time."""
        chosen = named or (LISTWISE_IF_THERE if self.effort == "thorough" else None)
        if chosen is None or self.rerank is False or self.budget == 0 or (named is None and self.budget is not None):
            return None
        return chosen if self.depth is None else replace(chosen, depth=self.depth)


def _as_deep_as(judging: Judging, depth: int) -> Judging:
    """The same stages, each over exactly so many, however long it takes."""
    return replace(
        judging,
        encoder=depth if judging.encoder else 0,
        commits=depth if judging.commits else 0,
        code=depth if judging.code else 0,
        budget_ms=None,
    )
