"""Uvicorn as our servers run it: where it listens and how it ends. Needs no web framework."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn

from trackdown.errors import UsageError
from trackdown.surfaces.http.access import is_loopback
from trackdown.surfaces.http.connections import LOG, LimitedProtocol, ServerConfig

_BACKLOG = 512
"""How many connections the kernel keeps for us until we accept them."""
_UNSENT_BYTES = 64 << 10
"""How much of an answer the kernel takes beyond what it can send."""


class UvicornServer(uvicorn.Server):
    """Uvicorn that says when it listens and ends quietly on a signal: a request to stop is not a failure."""

    def __init__(self, config: ServerConfig) -> None:
        super().__init__(config)
        self.ready: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(_log_loop_error)
        await super().startup(sockets=sockets)
        for one in sockets or []:
            one.listen(_BACKLOG)
        if self.started:
            self.ready()

    async def on_tick(self, counter: int) -> bool:
        """Close connections that take too long. Uvicorn calls this ten times a second."""
        now = asyncio.get_running_loop().time()
        for connection in list(self.server_state.connections):
            if isinstance(connection, LimitedProtocol):
                connection.end_if_overdue(now)
        return await super().on_tick(counter)

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


def _log_loop_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log in one line what asyncio would log with a traceback, e.g. that no more files can be opened."""
    error = context.get("exception")
    LOG.error("%s: %s", context["message"], f"{type(error).__name__}: {error}" if error is not None else "no details")


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
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # or megabytes in the kernel would hide whether a client reads
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
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
