"""A time budget: best candidates first, and a slow machine gets a shallower rerank instead of a late answer."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from trackdown.rerank.plan import RerankPlan
from trackdown.types import Clock, Progress, no_progress

T = TypeVar("T")
_UNLIMITED_BATCH = 64
_SLOWEST = 12
_TEXTS_PER_THREAD = 4


class WorkingTime:
    """A clock that nearly stands still while this process does not run: beside a load of others, equal work takes equal
    time. Each reading adds the time since the last one or, if that is less, the CPU time of each of its threads,
    but never less than a twelfth of the time: where threads get no core or wait for a device, there is an end, too.
    """

    def __init__(self, threads: int, clock: Clock = time.perf_counter, cpu: Clock = time.process_time) -> None:
        self._threads, self._clock, self._cpu = threads, clock, cpu
        self._last = clock(), cpu()
        self._now = 0.0

    def __call__(self) -> float:
        read = self._clock(), self._cpu()
        passed = read[0] - self._last[0]
        self._now += max(min(passed, (read[1] - self._last[1]) / self._threads), passed / _SLOWEST)
        self._last = read
        return self._now


class TimeBudget:
    """Milliseconds from now on. None means no limit, and then `progress` is called with each batch."""

    def __init__(
        self, milliseconds: float | None, clock: Clock = time.perf_counter, progress: Progress = no_progress
    ) -> None:
        self._clock = clock
        self._progress = progress
        self._end = math.inf if milliseconds is None else clock() + milliseconds / 1000
        self.cut: dict[str, tuple[int, int]] = {}
        """Steps that time ended: how many of their items were done, and how many there were."""

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - self._clock())

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The clock stands still meanwhile."""
        began = self._clock()
        yield
        self._end += self._clock() - began

    def share(self, part: float) -> TimeBudget:
        """A budget for a part of the time that is left. What it cuts is noted here, too."""
        left = self.left()
        found = TimeBudget(None if math.isinf(left) else 1000 * part * left, self._clock, self._progress)
        found.cut = self.cut
        return found

    def batches(self, items: Sequence[T], at_once: int = 1, step: str = "read") -> Iterator[Sequence[T]]:
        """The items in order until time is up, `at_once` at a time; without a limit 64, reported to progress as `step`.

        A batch is begun only if the slowest batch so far would still be done in time.
        """
        if math.isinf(self._end):
            for start in range(0, len(items), _UNLIMITED_BATCH):
                self._progress(step, start, len(items))
                yield items[start : start + _UNLIMITED_BATCH]
            self._progress(step, len(items), len(items))
            return
        slowest = 0.0
        for place in range(0, len(items), at_once):
            left = self.left()
            if left <= slowest:
                self.cut[step] = (place, len(items))
                return
            yield items[place : place + at_once]
            slowest = max(slowest, left - self.left())


def texts_at_once(threads: int) -> int:
    """How many texts a model with so many threads reads in a batch: several for each, so that none waits long."""
    return threads * _TEXTS_PER_THREAD if threads > 1 else 1


def budget_of(plan: RerankPlan, progress: Progress) -> TimeBudget:
    """The budget of a plan, from now on."""
    return TimeBudget(plan.budget_ms, WorkingTime(plan.threads) if plan.threads else time.perf_counter, progress)
