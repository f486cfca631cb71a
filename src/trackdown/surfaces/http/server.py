"""The server's life: bind, serve, and on a signal finish what runs before it ends."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from trackdown.engine import SharedRepositories
from trackdown.errors import UsageError
from trackdown.surfaces.http.app import build_app
from trackdown.surfaces.http.crew import Crew
from trackdown.surfaces.http.desk import Desk
from trackdown.surfaces.http.door import Door, is_loopback
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.reports import Reports

SHORTEST_TOKEN = 16
_EXTRA_THREADS = 4
_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 30
_FORCED_SECONDS = 3.0
_LONGEST_HEAD = 256 << 10


@dataclass(frozen=True, slots=True)
class Service:
    """How to serve. Raises UsageError for what cannot be.

    `waiting` bounds the requests that wait for a thread, `patience_seconds` how long they do, and `grace_seconds` how
    long what runs may go on when the server is told to stop.
    """

    door: Door = field(default_factory=Door)
    port: int = 8765
    reports: Path | None = None
    threads: int = 0
    waiting: int = 128
    patience_seconds: float = 10.0
    grace_seconds: float = 5.0
    log_requests: bool = False

    def __post_init__(self) -> None:
        door = self.door
        if not door.on_loopback and not door.token:
            raise UsageError(
                f"{door.host} can be reached from other machines: name a file that holds a token with --token-file, "
                "or set TRACKDOWN_TOKEN"
            )
        if door.token and (len(door.token) < SHORTEST_TOKEN or not door.token.isascii() or not door.token.isprintable()
                           or " " in door.token):  # fmt: skip
            raise UsageError(
                f"a token needs at least {SHORTEST_TOKEN} printable ASCII characters without blanks, "
                "e.g. what `openssl rand -hex 32` prints"
            )


class Server:
    """One server, bound to its address from the beginning. `run` serves until `stop` or a signal."""

    def __init__(self, shared: SharedRepositories, service: Service, version: str) -> None:
        """Raises UsageError when the address cannot be used."""
        self._service = service
        metrics = Metrics()
        reports = Reports(service.reports)
        self._socket = _bound(service.door.host, service.port)
        threads = service.threads or shared.load().searches + _EXTRA_THREADS
        self._crew = Crew(metrics, threads=threads, waiting=service.waiting, patience_seconds=service.patience_seconds)
        desk = Desk(shared, self._crew, metrics, reports, version, tells_roots=service.door.is_private)
        app = build_app(desk, service.door, log_requests=service.log_requests)
        config = uvicorn.Config(
            app, http="h11", ws="none", lifespan="on", log_config=None, access_log=False, server_header=False,
            proxy_headers=False, backlog=_BACKLOG, timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            h11_max_incomplete_event_size=_LONGEST_HEAD,
            timeout_graceful_shutdown=int(service.grace_seconds + _FORCED_SECONDS),
        )  # fmt: skip
        self._uvicorn = _Uvicorn(config, self._crew, service.grace_seconds)

    @property
    def url(self) -> str:
        """Where it can be reached."""
        host, port = self._socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve. `ready` is called when it listens. Returns when all is finished."""
        try:
            self._uvicorn.ready = ready
            self._uvicorn.run(sockets=[self._socket])
        finally:
            self._crew.close()
            self._socket.close()

    def stop(self) -> None:
        """Let `run` come to its end. Called from any thread."""
        self._uvicorn.should_exit = True


class _Uvicorn(uvicorn.Server):
    """Uvicorn that ends quietly on a signal, after what runs has been answered or told that the server stops."""

    def __init__(self, config: uvicorn.Config, crew: Crew, grace_seconds: float) -> None:
        super().__init__(config)
        self.ready: Callable[[], None] = lambda: None
        self._crew = crew
        self._grace = grace_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        timer = asyncio.get_running_loop().call_later(self._grace, self._crew.stop)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            timer.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn does, without raising the signal again afterwards: being told to stop is no failure."""
        import signal

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
        """The first signal lets it end, the second one at once."""
        self.force_exit = self.should_exit
        self.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is bound and not yet listening. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        # With its protocol named: only then asyncio lets answers go at once, and does not collect them (Nagle).
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r} to serve at: {error}") from None
    try:
        if not is_loopback(host) or is_loopback(str(address[0])):
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            return bound
        reason = "it is not the address of this machine alone"
    except (OSError, OverflowError) as error:
        reason = str(getattr(error, "strerror", None) or error)
    bound.close()
    raise UsageError(f"cannot serve at {host}:{port}: {reason} (name another with --host or --port)")
