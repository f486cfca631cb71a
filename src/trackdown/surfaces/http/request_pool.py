"""Threads that run the engine for requests, and stop when the client goes away.

How many calls run at once, how many wait and how long is up to the engine's queue alone: the pool has a thread for
every call that the engine admits, and nothing waits for one.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.types import Receive

from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import HttpProblem
from trackdown.surfaces.http.request_checks import ClientGone

T = TypeVar("T")
Cancelled = Callable[[], bool]
Work = Callable[[Cancelled], T]
"""Work for a request. It gets a function that says whether to stop, for the engine to ask between stages."""


class RequestPool:
    """Runs work in threads."""

    def __init__(self, metrics: Metrics, threads: int) -> None:
        self._metrics = metrics
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="trackdown-http")
        self._cancels: dict[Future[Any], threading.Event] = {}
        self.stopping = False

    def begin(self, work: Work[T]) -> tuple[Future[T], threading.Event]:
        """Start work, and return its future with the event that cancels it. Raises HttpProblem (503) while stopping."""
        if self.stopping:
            raise _stopping()
        cancel = threading.Event()
        future = self._executor.submit(self._run, work, cancel)
        self._cancels[future] = cancel
        future.add_done_callback(self._forget)
        return future, cancel

    async def run(self, receive: Receive, work: Work[T]) -> T:
        """Do work for a request. Raises ClientGone when the client goes away, which cancels the work."""
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
            future.cancel()  # for work that has not begun
            if not answer.cancel() and not answer.cancelled():
                answer.exception()  # asyncio prints errors that nobody retrieves

    def stop(self) -> None:
        """Take no more work and cancel what runs; requests get 503."""
        self.stopping = True
        for cancel in list(self._cancels.values()):
            cancel.set()

    def close(self) -> None:
        """Stop, and wait for the threads."""
        self.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _run(self, work: Work[T], cancel: threading.Event) -> T:
        try:
            if not cancel.is_set():
                return work(cancel.is_set)
        except Exception:
            if not cancel.is_set():
                raise
        raise _stopping() if self.stopping else ClientGone

    def _forget(self, future: Future[Any]) -> None:
        self._cancels.pop(future, None)


class RequestPools:
    """Several pools that end together."""

    def __init__(self, pools: Sequence[RequestPool]) -> None:
        self._pools = pools

    def stop(self) -> None:
        """Stop all of them."""
        for pool in self._pools:
            pool.stop()

    def close(self) -> None:
        """Stop all of them, and wait for their threads."""
        self.stop()
        for pool in self._pools:
            pool.close()


async def client_gone(receive: Receive) -> None:
    """Return when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _stopping() -> HttpProblem:
    return HttpProblem(503, "stopping", "the server is stopping: try again", {"Retry-After": "5"})
