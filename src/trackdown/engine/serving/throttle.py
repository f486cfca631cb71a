"""How often to work when there is always more to do: a storm of events must not keep a core busy."""

from __future__ import annotations

import time

from trackdown.types import Clock

SAVED = 4.0
"""Seconds of work that may be done without a rest after some quiet time: enough for many single edits in a row."""
SHARE = 0.25
"""The part of the time that may be spent on work that never ends."""
_LONGEST_REST = 8.0
_ONCE = 1.0


class Throttle:
    """Work is paid with saved time, which grows again at a fixed rate. Debts mean a rest, of a bounded length."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._saved = SAVED
        self._counted_at = clock()

    def spend(self, seconds: float, *, more: bool) -> None:
        """Note that work took so long. `more` says that there was something new to do before it was done.

        Without that, long work was a single event, like a branch switch, and is not held against what comes next.
        """
        self._count()
        self._saved -= seconds if more else min(seconds, _ONCE)

    def rest(self) -> float:
        """How many seconds to wait before the next piece of work."""
        self._count()
        if self._saved >= 0:
            return 0.0
        rest = min(-self._saved / SHARE, _LONGEST_REST)
        self._saved = max(self._saved, -_LONGEST_REST * SHARE)
        return rest

    def _count(self) -> None:
        now = self._clock()
        self._saved = min(SAVED, self._saved + SHARE * (now - self._counted_at))
        self._counted_at = now
