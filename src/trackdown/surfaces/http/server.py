"""The server's life: bind, serve, and on a signal finish what runs before it ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from trackdown.engine import SharedRepositories
from trackdown.surfaces.http.app import build_app
from trackdown.surfaces.http.crew import Crew
from trackdown.surfaces.http.desk import Desk
from trackdown.surfaces.http.door import Door
from trackdown.surfaces.http.listening import QuietServer, bound, quiet_config, url_of
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.reports import Reports

_EXTRA_THREADS = 4
_FORCED_SECONDS = 3.0


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
        self.door.check()


class Server:
    """One server, bound to its address from the beginning. `run` serves until `stop` or a signal."""

    def __init__(self, shared: SharedRepositories, service: Service, version: str) -> None:
        """Raises UsageError when the address cannot be used."""
        self._service = service
        metrics = Metrics()
        reports = Reports(service.reports)
        self._socket = bound(service.door.host, service.port)
        threads = service.threads or shared.load().searches + _EXTRA_THREADS
        self._crew = Crew(metrics, threads=threads, waiting=service.waiting, patience_seconds=service.patience_seconds)
        desk = Desk(shared, self._crew, metrics, reports, version, tells_roots=service.door.is_private)
        app = build_app(desk, service.door, log_requests=service.log_requests)
        config = quiet_config(app, int(service.grace_seconds + _FORCED_SECONDS))
        self._uvicorn = _Uvicorn(config, self._crew, service.grace_seconds)

    @property
    def url(self) -> str:
        """Where it can be reached."""
        return url_of(self._socket)

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


class _Uvicorn(QuietServer):
    """Ends after what runs has been answered, or told that the server stops."""

    def __init__(self, config: uvicorn.Config, crew: Crew, grace_seconds: float) -> None:
        super().__init__(config)
        self._crew = crew
        self._grace = grace_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        timer = asyncio.get_running_loop().call_later(self._grace, self._crew.stop)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            timer.cancel()
