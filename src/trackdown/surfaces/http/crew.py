"""Threads that do the engine's work for the server: a few at a time, a bounded number waiting, none for nobody."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.types import Receive

from trackdown.surfaces.http.admission import ClientGone
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import Problem

T = TypeVar("T")
_LONGEST_RETRY = 60


class Cancel:
    """Says whether somebody still waits for a piece of work. Called by the engine between stages."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        """Let the work end at the next opportunity."""
        self._event.set()


class Crew:
    """Runs work in threads. Work beyond the bound is refused at once, and work that waited too long as well."""

    def __init__(self, metrics: Metrics, *, threads: int, waiting: int, patience_seconds: float) -> None:
        self._threads = threads
        self._most = threads + waiting
        self._patience = patience_seconds
        self._metrics = metrics
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="trackdown-http")
        self._lock = threading.Lock()
        self._inside: dict[Future[Any], Cancel] = {}
        self._running = 0
        self._mean_seconds = 0.05
        self.stopping = False
        metrics.watch_queue(lambda: self._running, lambda: max(0, len(self._inside) - self._running))

    def begin(self, work: Callable[[Cancel], T]) -> tuple[Future[T], Cancel]:
        """Hand work in. Raises Problem (503 with Retry-After) when too much is waiting already."""
        cancel = Cancel()
        self.admit()
        with self._lock:
            future = self._executor.submit(self._do, work, cancel, time.monotonic())
            self._inside[future] = cancel
        future.add_done_callback(self._left)
        return future, cancel

    def admit(self) -> None:
        """Raise Problem (503 with Retry-After) when no more work is taken."""
        if self.stopping:
            raise _stopping()
        if len(self._inside) >= self._most:
            self._metrics.shed.labels("queue").inc()
            raise self._overloaded()

    async def run(self, receive: Receive, work: Callable[[Cancel], T]) -> T:
        """Do work for a request. It is cancelled when the client goes away: then ClientGone is raised."""
        future, cancel = self.begin(work)
        answer = asyncio.wrap_future(future)
        gone = asyncio.ensure_future(client_gone(receive))
        both: set[asyncio.Future[Any]] = {answer, gone}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            self._metrics.cancelled.inc()
            raise ClientGone
        finally:
            cancel.set()
            gone.cancel()
            future.cancel()  # what still waits is not begun
            if not answer.cancel() and not answer.cancelled():
                answer.exception()  # an error that nobody has asked for is printed

    def load(self) -> dict[str, int]:
        """How much is being done, how much waits, and how much may."""
        with self._lock:
            inside, running = len(self._inside), self._running
        return {"running": running, "waiting": max(0, inside - running), "most_waiting": self._most - self._threads}

    def stop(self) -> None:
        """Take no more work, let what runs end at its next opportunity, and tell what waits that it is over."""
        with self._lock:
            self.stopping = True
            for cancel in self._inside.values():
                cancel.set()

    def close(self) -> None:
        """Stop, and wait for the threads."""
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _do(self, work: Callable[[Cancel], T], cancel: Cancel, handed_in: float) -> T:
        started = time.monotonic()
        if cancel():
            raise _stopping() if self.stopping else ClientGone
        if started - handed_in > self._patience:
            self._metrics.shed.labels("patience").inc()
            raise self._overloaded()
        with self._lock:
            self._running += 1
        try:
            return work(cancel)
        except Exception:
            if cancel():
                raise (_stopping() if self.stopping else ClientGone()) from None
            raise
        finally:
            with self._lock:
                self._running -= 1
                self._mean_seconds += 0.1 * (time.monotonic() - started - self._mean_seconds)

    def _left(self, future: Future[Any]) -> None:
        with self._lock:
            self._inside.pop(future, None)

    def _overloaded(self) -> Problem:
        """A refusal that says when the work before it should be done."""
        seconds = math.ceil(self._mean_seconds * len(self._inside) / self._threads)
        wait = str(min(max(seconds, 1), _LONGEST_RETRY))
        return Problem(
            503, "overloaded", f"{len(self._inside)} requests are waiting already: try again in {wait} s",
            {"Retry-After": wait},
        )  # fmt: skip


async def client_gone(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _stopping() -> Problem:
    return Problem(503, "stopping", "the server is stopping: try again", {"Retry-After": "5"})
