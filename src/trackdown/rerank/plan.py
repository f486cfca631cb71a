"""How candidates are reranked: how deep each stage goes, how long it may take, and what its score weighs."""

from __future__ import annotations

from dataclasses import dataclass, replace

ENCODER, LATE, COMMITS, CODE, LLM = "encoder", "late-interaction", "commit-reranker", "code-reranker", "llm"


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """What each stage's score weighs; `fused` is what the best fused score is worth."""

    fused: float = 1.0
    encoder: float = 0.9
    late: float = 0.6
    commit: float = 0.15
    code: float = 0.9


@dataclass(frozen=True, slots=True)
class RerankPlan:
    """The depth of each stage: candidates for the encoder and for code, past commits for `commits`. 0 skips a stage.

    With `budget_ms` the stages stop when time is up; without it the answer is the same on every machine. `spent_ms` is
    what the deep index took of it before. If nobody asked for that limit, `threads` is the number of the models'
    threads: then the budget is their CPU time, so that a busy machine gives the same answer. `units` is the number of
    units read of a class or file. `all_windows` reads long units to their end.
    """

    encoder: int = 0
    commits: int = 0
    code: int = 0
    budget_ms: float | None = None
    spent_ms: float = 0.0
    threads: int = 0
    units: int = 2
    all_windows: bool = False
    weights: RerankWeights = RerankWeights()

    @property
    def depth(self) -> int:
        """The number of candidates that the stages need."""
        return max(self.encoder, self.commits, self.code)

    def trusting(self, times: float) -> RerankPlan:
        """The same stages, with the fused score worth so many times as much."""
        return replace(self, weights=replace(self.weights, fused=times * self.weights.fused))


@dataclass(frozen=True, slots=True)
class Listwise:
    """How many candidates to order, the size of a window, and how far a window moves.

    With `top` above 0 the model is asked once, for the `top` best of the first `depth`. `optional` skips the stage
    silently when there is no language model.
    """

    depth: int = 20
    window: int = 20
    step: int = 10
    top: int = 0
    optional: bool = False
