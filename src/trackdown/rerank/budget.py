"""A time budget: best candidates first, and a slow machine gets a shallower rerank instead of a late answer."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from trackdown.types import Clock, Progress, no_progress

T = TypeVar("T")
_WITHOUT_LIMIT = 64


class TimeBudget:
    """So many milliseconds from now on; None for as long as it takes, and then `progress` hears how far it is."""

    def __init__(
        self, milliseconds: float | None, clock: Clock = time.perf_counter, progress: Progress = no_progress
    ) -> None:
        self._clock = clock
        self._progress = progress
        self._end = math.inf if milliseconds is None else clock() + milliseconds / 1000

    def left(self) -> float:
        """Seconds."""
        return max(0.0, self._end - self._clock())

    def share(self, part: float) -> TimeBudget:
        """A budget that ends when this part of what is left has gone."""
        left = self.left()
        return TimeBudget(None if math.isinf(left) else 1000 * part * left, self._clock, self._progress)

    def batches(self, items: Sequence[T], at_once: int = 1, step: str = "read") -> Iterator[Sequence[T]]:
        """The items in their order until time is up: so many at a time, or without a limit many, told as a `step`.

        Items are only begun when they should be done in time, by the slowest so far.
        """
        if math.isinf(self._end):
            for start in range(0, len(items), _WITHOUT_LIMIT):
                self._progress(step, start, len(items))
                yield items[start : start + _WITHOUT_LIMIT]
            self._progress(step, len(items), len(items))
            return
        slowest = 0.0
        for place in range(0, len(items), at_once):
            left = self.left()
            if left <= slowest:
                return
            yield items[place : place + at_once]
            slowest = max(slowest, left - self.left())
