"""Limits how often to update, so that a storm of events does not keep a core busy."""

from __future__ import annotations

import time

from trackdown.types import Clock

SAVED = 4.0
"""Seconds of work allowed without a rest after a quiet time: enough for many single edits in a row."""
SHARE = 0.25
"""The share of the time that continuous work may take."""
_LONGEST_REST = 8.0
_ONCE = 1.0


class Throttle:
    """A token bucket: work spends saved time, which refills at a fixed rate. A debt means a rest of limited length."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._saved = SAVED
        self._counted_at = clock()

    def spend(self, seconds: float, *, more: bool) -> None:
        """Record that work took `seconds`. `more` says that new events came before it was done.

        Without `more`, long work was a single event, such as a branch switch, and does not delay the next one.
        """
        self._count()
        self._saved -= seconds if more else min(seconds, _ONCE)

    def rest(self) -> float:
        """Seconds to wait before the next update."""
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
