"""Server-sent events of a search: progress, the results of the fast stages, then the final results."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import CancelledError, Future
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackdown.surfaces.http.json_response import as_json
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import HttpProblem, log_unexpected, problem_of
from trackdown.surfaces.http.request_checks import ClientGone
from trackdown.surfaces.http.request_pool import client_gone

MEDIA_TYPE = "text/event-stream"
_FIRST_SECONDS = 1.0
_STILL_HERE_SECONDS = 15.0
_PROGRESS_SECONDS = 0.1
_STILL_HERE = b": still here\n\n"


class EventChannel:
    """Carries events from a thread to a stream. Progress is thinned out, so a slow client never piles it up."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[bytes | HttpProblem | None] = asyncio.Queue()
        self._last_progress = ("", 0.0)

    def send(self, name: str, value: Any) -> None:
        """Send an event. Called from any thread."""
        self._put(_event(name, value))

    def progress(self, step: str, done: int, total: int | None) -> None:
        """Send how far the work is: every step once, then at most ten times a second."""
        last_step, last_time = self._last_progress
        now = time.monotonic()
        if step != last_step or now - last_time >= _PROGRESS_SECONDS or done == total:
            self._last_progress = (step, now)
            self.send("progress", {"step": step, "done": done, "total": total})

    def finish(self, work: Future[Any]) -> None:
        """End the stream when the work is done, with a problem if it failed."""
        try:
            error = work.exception()
        except CancelledError:
            error = ClientGone()
        if error is not None and not isinstance(error, ClientGone):
            problem = problem_of(error)
            if problem.kind == "unexpected":
                log_unexpected(error, "an event stream")
            self._put(problem)
        self._put(None)

    async def first(self) -> bytes | HttpProblem | None:
        """Wait for the first event; returns a keep-alive comment if none comes for a while."""
        return await self.next(_FIRST_SECONDS)

    async def next(self, seconds: float = _STILL_HERE_SECONDS) -> bytes | HttpProblem | None:
        """Wait for the next event; None at the end."""
        try:
            async with asyncio.timeout(seconds):
                return await self._events.get()
        except TimeoutError:
            return _STILL_HERE

    def _put(self, event: bytes | HttpProblem | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)
        except RuntimeError:  # the loop is closed: the server has ended
            pass


class EventStream(Response):
    """Sends the events of a channel. When the client goes away, the work behind it is cancelled."""

    media_type = MEDIA_TYPE

    def __init__(self, channel: EventChannel, first: bytes | None, cancel: threading.Event, metrics: Metrics) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        self._channel = channel
        self._first = first
        self._cancel = cancel
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        gone = asyncio.ensure_future(client_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            event: bytes | HttpProblem | None = self._first
            while event is not None:
                text = _event("problem", event.document()) if isinstance(event, HttpProblem) else event
                await send({"type": "http.response.body", "body": text, "more_body": True})
                event = await self._unless(gone)
            await send({"type": "http.response.body", "body": _event("done", {}), "more_body": False})
        finally:
            self._cancel.set()
            gone.cancel()

    async def _unless(self, gone: asyncio.Future[None]) -> bytes | HttpProblem | None:
        """The next event, unless the client goes away first."""
        coming = asyncio.ensure_future(self._channel.next())
        both: set[asyncio.Future[Any]] = {coming, gone}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                return coming.result()
            self._metrics.cancelled.inc()
            raise ClientGone
        finally:
            coming.cancel()


def _event(name: str, value: Any) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + as_json(value) + b"\n\n"
