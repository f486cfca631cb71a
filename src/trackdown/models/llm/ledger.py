"""What language models cost in a run, stage by stage, and what went wrong: shared by all desks of the run."""

from __future__ import annotations

import threading
import time
from collections import Counter
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
        return self._combined(other, 1)

    def minus(self, other: StageCost) -> StageCost:
        """What came since the other was counted."""
        return self._combined(other, -1)

    def _combined(self, other: StageCost, sign: int) -> StageCost:
        return StageCost(
            self.stage,
            self.calls + sign * other.calls,
            self.cached + sign * other.cached,
            self.unanswered + sign * other.unanswered,
            self.tokens_in + sign * other.tokens_in,
            self.tokens_out + sign * other.tokens_out,
            round(self.seconds + sign * other.seconds, 6),
            round(self.money + sign * other.money, 9),
        )

    @property
    def asked(self) -> int:
        """All questions, however they ended."""
        return self.calls + self.cached + self.unanswered


Costs = tuple[StageCost, ...]
TOTAL = "total"


STOPPED_SECONDS = 60.0
"""How long a model that failed is left alone: a process that goes on may find it back."""


class Ledger:
    """Counts by stage, notes, and whether asking has stopped. For several threads."""

    def __init__(self, budget: Budget, clock: Clock = time.monotonic) -> None:
        self.budget = budget
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[str, StageCost] = {}
        self._problems: Counter[str] = Counter()
        self._failed_in_a_row = 0
        self._untold: str | None = None
        self._stopped: tuple[str, float] | None = None

    @property
    def stopped(self) -> str | None:
        """Why nothing is asked any more; None as long as something may be."""
        with self._lock:
            return self._reason()

    def stop(self, reason: str, *, for_good: bool = False) -> None:
        """Ask nothing more, for a minute or for good. The first reason counts."""
        with self._lock:
            if self._reason() is None:
                self._stopped = (reason, inf if for_good else self._clock() + STOPPED_SECONDS)
                self._failed_in_a_row = 0
                self._untold = reason

    def _reason(self) -> str | None:
        return self._stopped[0] if self._stopped is not None and self._clock() < self._stopped[1] else None

    def book(self, cost: StageCost) -> None:
        """Add to a stage's counts."""
        with self._lock:
            self._counts[cost.stage] = self._counts.get(cost.stage, StageCost(cost.stage)).plus(cost)
            if cost.calls:
                self._failed_in_a_row = 0

    def failed(self, reason: str, *, counts: bool = True) -> int:
        """Note that a prompt has no answer; how many there are now in a row. Those that are not the model's fault do
        not count."""
        with self._lock:
            self._problems[reason] += 1
            self._failed_in_a_row += counts
            return self._failed_in_a_row

    def costs(self) -> Costs:
        """What was counted so far, in the order in which stages first asked."""
        with self._lock:
            return tuple(self._counts.values())

    def notes(self) -> list[str]:
        """What went wrong, each once with its number. What was told is forgotten; that asking has stopped is not."""
        with self._lock:
            told = [reason if count == 1 else f"{reason} ({count} times)" for reason, count in self._problems.items()]
            stopped, self._untold = self._reason() or self._untold, None
            self._problems.clear()
            return [*told, *([stopped] if stopped else [])]


def since(before: Costs, after: Costs) -> Costs:
    """What was counted between two looks at a ledger; stages that asked nothing meanwhile are left out."""
    known = {cost.stage: cost for cost in before}
    found = (cost.minus(known.get(cost.stage, StageCost(cost.stage))) for cost in after)
    return tuple(cost for cost in found if cost.asked)


def added(costs: Costs, name: str = TOTAL) -> StageCost:
    """All stages together."""
    total = StageCost(name)
    for cost in costs:
        total = total.plus(cost)
    return replace(total, stage=name)


def as_json(model: str, costs: Costs, *, dry_run: bool = False) -> dict[str, Any]:
    """A cost table as surfaces give it out; empty when nothing was asked."""
    if not costs:
        return {}
    rows = [asdict(cost) for cost in costs]
    return {"model": model, "dry_run": dry_run, "stages": rows, "total": asdict(added(costs))}


def joined(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several tables of one model as one."""
    asked = [table for table in tables if table]
    found: dict[str, StageCost] = {}
    for row in (row for table in asked for row in table["stages"]):
        found[row["stage"]] = StageCost(**row).plus(found.get(row["stage"], StageCost(row["stage"])))
    return as_json(asked[0]["model"], tuple(found.values()), dry_run=asked[0]["dry_run"]) if asked else {}
