"""The cost of language models by stage, and whether they may be asked: shared by all clients of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from math import inf
from typing import Any

from trackdown.models.llm.budget import Budget
from trackdown.types import Clock

Costs = tuple["StageCost", ...]
PAUSE_SECONDS = 60.0
"""How long a failing model is left alone. A long-running process then tries it again."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage's questions: `calls` went to the model, `cached` were answered from the cache, `unanswered` have no
    answer.

    Tokens, seconds and money are those of the calls. In a dry run they are estimates: nothing was asked.
    """

    stage: str
    calls: int = 0
    cached: int = 0
    unanswered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    money: float = 0.0

    def plus(self, other: StageCost) -> StageCost:
        """The sum of both, under this one's name."""
        return StageCost(
            self.stage,
            self.calls + other.calls,
            self.cached + other.cached,
            self.unanswered + other.unanswered,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            round(self.seconds + other.seconds, 6),
            round(self.money + other.money, 9),
        )

    @property
    def asked(self) -> int:
        """The number of questions, however they ended."""
        return self.calls + self.cached + self.unanswered


class StageCosts:
    """Costs by stage. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_stage: dict[str, StageCost] = {}

    def add(self, cost: StageCost) -> None:
        """Add to a stage's costs."""
        with self._lock:
            self._by_stage[cost.stage] = self._by_stage.get(cost.stage, StageCost(cost.stage)).plus(cost)

    def costs(self) -> Costs:
        """The costs so far, in the order in which stages first asked, without stages that asked nothing."""
        with self._lock:
            return tuple(cost for cost in self._by_stage.values() if cost.asked)


class UsageLedger:
    """The budget and the costs of a run, and whether asking has stopped. Thread-safe."""

    def __init__(self, budget: Budget, clock: Clock = time.monotonic) -> None:
        self.budget = budget
        self._clock = clock
        self._lock = threading.Lock()
        self._costs = StageCosts()
        self._failed_in_a_row = 0
        self._stopped: tuple[str, float] | None = None

    @property
    def stopped(self) -> str | None:
        """Why nothing may be asked now; None when something may."""
        with self._lock:
            return self._reason()

    @property
    def ended(self) -> str | None:
        """Why nothing may be asked for the rest of the run; None when something may, now or later."""
        with self._lock:
            return self._stopped[0] if self._stopped is not None and self._stopped[1] == inf else None

    def stop(self, reason: str, *, for_good: bool = False) -> None:
        """Ask nothing more, for a minute or for good. The first reason counts."""
        with self._lock:
            if self._reason() is None:
                self._stopped = (reason, inf if for_good else self._clock() + PAUSE_SECONDS)
                self._failed_in_a_row = 0

    def _reason(self) -> str | None:
        return self._stopped[0] if self._stopped is not None and self._clock() < self._stopped[1] else None

    def add(self, cost: StageCost) -> None:
        """Add to a stage's costs. A call that was answered ends a row of failures."""
        self._costs.add(cost)
        if cost.calls:
            with self._lock:
                self._failed_in_a_row = 0

    def failed(self) -> int:
        """Count a prompt without an answer. Returns how many there are now in a row."""
        with self._lock:
            self._failed_in_a_row += 1
            return self._failed_in_a_row

    def costs(self) -> Costs:
        """The costs so far, in the order in which stages first asked."""
        return self._costs.costs()


def cost_table(model: str, costs: Costs, *, dry_run: bool = False) -> dict[str, Any]:
    """Costs as a JSON table for surfaces; empty when nothing was asked."""
    if not costs:
        return {}
    total = reduce(StageCost.plus, costs, StageCost("total"))
    stages = [asdict(cost) for cost in costs]
    return {"model": model, "dry_run": dry_run, "stages": stages, "total": asdict(total)}


def merge_cost_tables(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several tables of one model as one."""
    filled = [table for table in tables if table]
    found: dict[str, StageCost] = {}
    for row in (row for table in filled for row in table["stages"]):
        found[row["stage"]] = StageCost(**row).plus(found.get(row["stage"], StageCost(row["stage"])))
    return cost_table(filled[0]["model"], tuple(found.values()), dry_run=filled[0]["dry_run"]) if filled else {}
