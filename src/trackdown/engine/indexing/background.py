"""Work in a background thread: the history is read while files are parsed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from trackdown.types import FORK_SAFE_THREAD, Progress

T = TypeVar("T")


class Stoppable:
    """A progress callback that can stop the work: after `stop` is set, the next report raises."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.stop = False

    def __call__(self, step: str, done: int, total: int | None) -> None:
        if self.stop:
            raise InterruptedError("stopped")
        self._progress(step, done, total)


class Background(Generic[T]):
    """One call in a thread; `result` raises what the call raised."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._result: list[T] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=FORK_SAFE_THREAD, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result.append(self._call())
        except BaseException as error:  # `result` raises it
            self._error = error

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the call has ended, or for `seconds`; in short steps, so that Ctrl-C works."""
        until = None if seconds is None else time.monotonic() + seconds
        while self._thread.is_alive() and (until is None or time.monotonic() < until):
            self._thread.join(0.2)

    def result(self) -> T:
        """What the call returned."""
        if self._error is not None:
            raise self._error
        return self._result[0]
