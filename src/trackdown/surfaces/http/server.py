"""The life of the server: bind, serve, and on a signal finish running requests before it ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from starlette.types import ASGIApp

from trackdown.engine import SharedRepositories
from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.app import build_app
from trackdown.surfaces.http.app_state import AppState
from trackdown.surfaces.http.connections import ServerConfig
from trackdown.surfaces.http.group_views import Grant, GroupDispatcher, GroupView
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.reports import Reports
from trackdown.surfaces.http.request_pool import RequestPool, RequestPools
from trackdown.surfaces.http.uvicorn_server import UvicornServer, bound, url_of

_EXTRA_THREADS = 4
"""For requests that the engine refuses or that read a report: they must not wait behind searches."""
_FORCED_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Service:
    """How to serve. Raises UsageError for rules that would let anybody in.

    `grace_seconds` is how long running requests may go on after a signal. How many requests run and wait is up to the
    repositories' queue.
    """

    rules: AccessRules = field(default_factory=AccessRules)
    port: int = 8765
    reports: Path | None = None
    grace_seconds: float = 5.0
    log_requests: bool = False

    def __post_init__(self) -> None:
        self.rules.check()


class Server:
    """One server, bound to its address from the beginning. `run` serves until `stop` or a signal."""

    def __init__(self, shared: SharedRepositories, service: Service, version: str) -> None:
        """Raises UsageError if the address cannot be used."""
        self._service = service
        metrics = Metrics()
        reports = Reports(service.reports)
        self._socket = bound(service.rules.host, service.port)
        load = shared.load()
        metrics.watch_queue(lambda: shared.load().running, lambda: shared.load().waiting)
        pool = RequestPool(metrics, load.searches + load.most_waiting + _EXTRA_THREADS)
        self._pool: RequestPool | RequestPools = pool
        state = AppState(shared, pool, metrics, reports, version, shows_roots=service.rules.is_private)
        app = build_app(state, service.rules, log_requests=service.log_requests)
        config = ServerConfig(app, int(service.grace_seconds + _FORCED_SECONDS), service.rules)
        self._uvicorn = _Uvicorn(config, self._pool, service.grace_seconds)

    @property
    def url(self) -> str:
        """The URL of the server."""
        return url_of(self._socket)

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve, and return when everything is finished. `ready` is called once the server listens."""
        try:
            self._uvicorn.ready = ready
            self._uvicorn.run(sockets=[self._socket])
        finally:
            self._pool.close()
            self._socket.close()

    def stop(self) -> None:
        """Make `run` return soon. May be called from any thread."""
        self._uvicorn.should_exit = True


class GroupServer(Server):
    """One server with a view for each set of groups: what a token does not open does not exist for it."""

    def __init__(self, views: Sequence[GroupView], grants: Sequence[Grant], service: Service, version: str) -> None:
        """Raises UsageError if the address cannot be used."""
        self._service = service
        self._socket = bound(service.rules.host, service.port)
        pools: list[RequestPool] = []
        apps: dict[tuple[str, ...], ASGIApp] = {}
        for view in views:
            metrics = Metrics(of_process=False)
            load = view.shared.load()
            metrics.watch_queue(partial(_running, view.shared), partial(_waiting, view.shared))
            pools.append(RequestPool(metrics, load.searches + load.most_waiting + _EXTRA_THREADS))
            state = AppState(view.shared, pools[-1], metrics, Reports(None), version, shows_roots=False)
            rules = replace(service.rules, token="", digests=view.digests)
            apps[view.groups] = build_app(state, rules, log_requests=service.log_requests)
        self._pool = RequestPools(pools)
        app = GroupDispatcher(apps, grants)
        config = ServerConfig(app, int(service.grace_seconds + _FORCED_SECONDS), service.rules)
        self._uvicorn = _Uvicorn(config, self._pool, service.grace_seconds)


def _running(shared: SharedRepositories) -> int:
    return shared.load().running


def _waiting(shared: SharedRepositories) -> int:
    return shared.load().waiting


class _Uvicorn(UvicornServer):
    """Ends after running requests have been answered, or told that the server is stopping."""

    def __init__(self, config: ServerConfig, pool: RequestPool | RequestPools, grace_seconds: float) -> None:
        super().__init__(config)
        self._pool = pool
        self._grace = grace_seconds

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        timer = asyncio.get_running_loop().call_later(self._grace, self._pool.stop)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            timer.cancel()
