"""What language models cost, stage by stage, and whether they may be asked: shared by all desks of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

from trackdown.models.llm.budget import Budget
from trackdown.types import Clock


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage's questions. `calls` went to the model, `cached` were answered by what is kept, `unanswered` have none.

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
        """Both together, under this one's name."""
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
        """All questions, however they ended."""
        return self.calls + self.cached + self.unanswered


Costs = tuple[StageCost, ...]
TOTAL_STAGE = "total"


STOPPED_SECONDS = 60.0
"""How long a model that failed is left alone: a process that goes on may find it back."""


class StageCosts:
    """Counts by stage. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, StageCost] = {}

    def book(self, cost: StageCost) -> None:
        """Add to a stage's counts."""
        with self._lock:
            self._counts[cost.stage] = self._counts.get(cost.stage, StageCost(cost.stage)).plus(cost)

    def costs(self) -> Costs:
        """What was counted so far, in the order in which stages first asked; stages that asked nothing are left out."""
        with self._lock:
            return tuple(cost for cost in self._counts.values() if cost.asked)


class UsageLedger:
    """The budget and the counts of a run, and whether asking has stopped. For several threads."""

    def __init__(self, budget: Budget, clock: Clock = time.monotonic) -> None:
        self.budget = budget
        self._clock = clock
        self._lock = threading.Lock()
        self._counts = StageCosts()
        self._failed_in_a_row = 0
        self._stopped: tuple[str, float] | None = None

    @property
    def stopped(self) -> str | None:
        """Why nothing is asked any more; None as long as something may be."""
        with self._lock:
            return self._reason()

    @property
    def ended(self) -> str | None:
        """Why nothing will be asked in this run, however long it goes on; None when something may be."""
        with self._lock:
            return self._stopped[0] if self._stopped is not None and self._stopped[1] == inf else None

    def stop(self, reason: str, *, for_good: bool = False) -> None:
        """Ask nothing more, for a minute or for good. The first reason counts."""
        with self._lock:
            if self._reason() is None:
                self._stopped = (reason, inf if for_good else self._clock() + STOPPED_SECONDS)
                self._failed_in_a_row = 0

    def _reason(self) -> str | None:
        return self._stopped[0] if self._stopped is not None and self._clock() < self._stopped[1] else None

    def book(self, cost: StageCost) -> None:
        """Add to a stage's counts."""
        self._counts.book(cost)
        if cost.calls:
            with self._lock:
                self._failed_in_a_row = 0

    def failed(self) -> int:
        """Count a prompt without an answer; how many there are now in a row."""
        with self._lock:
            self._failed_in_a_row += 1
            return self._failed_in_a_row

    def costs(self) -> Costs:
        """What was counted so far, in the order in which stages first asked."""
        return self._counts.costs()


def total_cost(costs: Costs, name: str = TOTAL_STAGE) -> StageCost:
    """All stages together."""
    total = StageCost(name)
    for cost in costs:
        total = total.plus(cost)
    return replace(total, stage=name)


def cost_table(model: str, costs: Costs, *, dry_run: bool = False) -> dict[str, Any]:
    """A cost table as surfaces give it out; empty when nothing was asked."""
    if not costs:
        return {}
    rows = [asdict(cost) for cost in costs]
    return {"model": model, "dry_run": dry_run, "stages": rows, "total": asdict(total_cost(costs))}


def merge_cost_tables(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several tables of one model as one."""
    asked = [table for table in tables if table]
    found: dict[str, StageCost] = {}
    for row in (row for table in asked for row in table["stages"]):
        found[row["stage"]] = StageCost(**row).plus(found.get(row["stage"], StageCost(row["stage"])))
    return cost_table(asked[0]["model"], tuple(found.values()), dry_run=asked[0]["dry_run"]) if asked else {}
