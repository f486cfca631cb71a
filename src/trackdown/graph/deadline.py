"""When to stop looking for edges."""

from __future__ import annotations

import time

WALK_SECONDS = 10.0
"""How long a walk looks for edges, unless its caller says otherwise: a name like `poll` is in hundreds of files."""


class Deadline:
    """A time after which no more files are resolved. `missed` says that some were not because of it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self.missed = False

    def passed(self) -> bool:
        """Whether it is too late for what comes next, which then stays undone."""
        self.missed = self.missed or time.monotonic() >= self._end
        return self.missed
