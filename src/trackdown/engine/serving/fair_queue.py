"""Admission: a few calls run at once, the others wait in a queue of limited length."""

from __future__ import annotations

import threading
import time
from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from trackdown.errors import Cancelled, TooBusy
from trackdown.types import never

_ASK_SECONDS = 0.1
_SMOOTHING = 0.1
_SHORTEST_RETRY, _LONGEST_RETRY = 1.0, 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """How many calls run and wait, and the limits of both."""

    running: int
    waiting: int
    searches: int
    most_waiting: int


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    came_at: float
    called: threading.Event = field(default_factory=threading.Event)


class FairQueue:
    """First come, first served. Thread-safe."""

    def __init__(self, at_once: int, most_waiting: int, longest_wait: float) -> None:
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._longest_wait = longest_wait
        self._lock = threading.Lock()
        self._line: list[_Waiting] = []
        self._running = 0
        self._mean_seconds = 0.05
        self._idle = threading.Condition(self._lock)

    def load(self) -> Load:
        """The present load."""
        with self._lock:
            return Load(self._running, len(self._line), self._at_once, self._most_waiting)

    @contextmanager
    def turn(self, cancelled: Callable[[], bool] = never, came_at: float | None = None) -> Iterator[None]:
        """Run the body when it is this call's turn. Raises TooBusy if the queue is full or too slow, and Cancelled.

        A call that gave up a turn says when it came (by the monotonic clock), and goes before those that came later.
        """
        self._wait(cancelled, time.monotonic() if came_at is None else came_at)
        started = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._mean_seconds += _SMOOTHING * (time.monotonic() - started - self._mean_seconds)
                self._leave()

    def drain(self, seconds: float) -> bool:
        """Wait until no call runs or waits, at most `seconds`. Returns whether that is so."""
        with self._lock:
            return self._idle.wait_for(lambda: not self._running and not self._line, seconds)

    def _wait(self, cancelled: Callable[[], bool], came_at: float) -> None:
        with self._lock:
            if self._running < self._at_once and not self._line:
                self._running += 1
                return
            if len(self._line) >= self._most_waiting:
                raise self.too_busy(f"{len(self._line)} requests are already waiting")
            waiting = _Waiting(came_at)
            insort(self._line, waiting, key=lambda one: one.came_at)
        called = waiting.called
        until = time.monotonic() + self._longest_wait
        stop = False
        try:
            while not called.wait(max(0.0, min(_ASK_SECONDS, until - time.monotonic()))):
                stop = cancelled()
                if stop or time.monotonic() >= until:
                    break
        except BaseException:
            self._step_out(waiting)
            raise
        if called.is_set() and not stop:
            return
        self._step_out(waiting)
        if stop:
            raise Cancelled("the request was cancelled while it was waiting")
        raise self.too_busy(f"the request waited {self._longest_wait:g} seconds without getting a turn")

    def _step_out(self, waiting: _Waiting) -> None:
        """Leave the queue, or pass on a turn that has just come."""
        with self._lock:
            if waiting.called.is_set():
                self._leave()
            else:
                self._line.remove(waiting)
                self._idle.notify_all()

    def _leave(self) -> None:
        """Pass the turn to the first in the queue."""
        if self._line:
            self._line.pop(0).called.set()
        else:
            self._running -= 1
        self._idle.notify_all()

    def too_busy(self, reason: str) -> TooBusy:
        """The error for a refused call; `retry_after` estimates when the queue will be empty."""
        wait = self._mean_seconds * len(self._line) / self._at_once
        return TooBusy(f"too busy: {reason}; try again later", min(max(wait, _SHORTEST_RETRY), _LONGEST_RETRY))
