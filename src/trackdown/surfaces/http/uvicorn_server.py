"""Uvicorn as our servers run it: where it listens and how it ends. Needs no web framework."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from trackdown.errors import UsageError
from trackdown.surfaces.http.access import is_loopback

_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 30
_LONGEST_HEAD = 256 << 10


def quiet_config(app: ASGIApp, seconds_to_end: int) -> uvicorn.Config:
    """Configure uvicorn. The client is the one that connected, whatever a header says."""
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=seconds_to_end,
    )


class UvicornServer(uvicorn.Server):
    """Uvicorn that says when it listens and ends quietly on a signal: a request to stop is not a failure."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self.ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does, without raising the signal again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[int, Any] = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully on the first signal and at once on the second."""
        self.force_exit = self.should_exit
        self.should_exit = True


def bound(host: str, port: int) -> socket.socket:
    """Bind a socket without listening yet. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        # asyncio switches Nagle's algorithm off only for sockets whose protocol is named.
        made = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r} to serve on: {error}") from None
    try:
        if not is_loopback(host) or is_loopback(str(address[0])):
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            return made
        reason = "other machines could reach it"
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error)
    made.close()
    raise UsageError(f"cannot serve on {host}:{port}: {reason} (choose another with --host or --port)")


def url_of(made: socket.socket) -> str:
    """The URL of a bound socket."""
    host, port = made.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
