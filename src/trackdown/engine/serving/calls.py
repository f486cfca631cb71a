"""One call of a server: how long it waits, its progress, and whether it was cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypedDict

from trackdown.engine.indexing.read import OutOfDate
from trackdown.engine.searching.cancel import Check
from trackdown.engine.serving.served_repository import ServedRepository
from trackdown.errors import StoreError, TooBusy
from trackdown.types import Progress, never, no_progress

_REPORT_SECONDS = 0.1


class CallOptions(TypedDict, total=False):
    """Options of every call of `SharedRepositories`.

    `wait` is how many seconds to wait for a complete index (1 by default); after that the answer comes from the index
    that is ready and is marked `partial`. `progress` gets the steps of indexing; the call stops when `cancelled`
    returns True.
    """

    wait: float
    progress: Progress
    cancelled: Callable[[], bool]


class NotIndexedYet(TooBusy):
    """No part of the repository is indexed yet."""


class Call:
    """A running call. `stopping` tells whether the server is shutting down."""

    def __init__(self, stopping: Callable[[], bool], options: CallOptions) -> None:
        cancelled = options.get("cancelled", never)
        self._progress = options.get("progress", no_progress)
        self.came_at = time.monotonic()
        self.until = self.came_at + options.get("wait", 1.0)
        self.cancelled = lambda: stopping() or cancelled()
        self.check = Check(self.cancelled)
        self.report = self.check.progress(self._progress)

    @property
    def left(self) -> float:
        """Seconds left to wait for a complete index."""
        return max(0.0, self.until - time.monotonic())

    def await_index(self, served: ServedRepository) -> None:
        """Wait for the first index, or for a long update that is running, without holding a turn."""
        live = served.live
        while live is not None and self.left:
            self.check()
            state = live.state
            first = not state.ready and not state.problem
            if not first and not (state.phase == "indexing" and state.step not in ("", "look")):
                return
            if state.step:
                self._progress(state.step, state.done, state.total)
            live.wait_for_news(min(self.left, _REPORT_SECONDS))


@contextmanager
def told_apart(served: ServedRepository) -> Iterator[None]:
    """Convert TooBusy, except OutOfDate, to NotIndexedYet, or to StoreError if waiting will not help."""
    try:
        yield
    except OutOfDate:
        raise
    except TooBusy as error:
        problem = served.live.problem() if served.live is not None else ""
        if problem:
            raise StoreError(problem) from None
        raise NotIndexedYet(str(error), error.retry_after) from None
