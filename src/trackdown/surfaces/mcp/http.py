"""Serving many clients over streamable HTTP, behind the same door as the HTTP API."""

from __future__ import annotations

import json
import math
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from trackdown.errors import UsageError
from trackdown.surfaces.http.door import Door, Turnstile, is_loopback
from trackdown.surfaces.mcp.served import Served
from trackdown.surfaces.mcp.server import Manner, build_server

PATH = "/mcp"
SHORTEST_TOKEN = 16
_STOP_SECONDS = 3


def build_app(served: Served, manner: Manner, door: Door) -> ASGIApp:
    """The application: one path that speaks MCP, and /health."""
    server = build_server(served, manner)
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=door.body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate looks at hosts
    )
    return _Gate(inner, door)


def run_http(served: Served, manner: Manner, door: Door, port: int, *, told: Callable[[str], None]) -> None:
    """Serve until a signal comes. `told` hears the address once it can be used. Raises UsageError."""
    _check(door)
    listening = _listen(door.host, port)
    host = f"[{door.host}]" if ":" in door.host else door.host
    address = f"http://{host}:{listening.getsockname()[1]}{PATH}"
    config = uvicorn.Config(
        build_app(served, manner, door), log_config=None, access_log=False, server_header=False,
        ws="none", lifespan="on", timeout_graceful_shutdown=_STOP_SECONDS,
    )  # fmt: skip

    def begun() -> None:
        told(address)
        served.start()

    _Announcing(config, begun).run(sockets=[listening])


class _Announcing(uvicorn.Server):
    """A server that says when it has begun, and ends quietly on a signal: being told to stop is no failure."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._begun()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before: dict[int, Any] = {one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


_Refusal = tuple[int, dict[str, Any], dict[str, str]]


class _Gate:
    """Refuses requests that the door does not admit."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door
        self._turnstile = Turnstile(door.rate, door.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
        elif scope["path"] == "/health":
            await _answer(send, 200, {"status": "ok"})
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> _Refusal | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._door.answers_to(hosts[0]):
            return 421, _problem("this server does not answer to that name: see --allow-host"), {}
        if wait := self._turnstile.passes(scope["client"][0] if scope.get("client") else ""):
            seconds = str(max(1, math.ceil(wait)))
            return 429, _problem(f"too many requests: try again in {seconds} s"), {"retry-after": seconds}
        if scope["path"] == "/health":
            return None
        if any(origin.partition("://")[2].lower() != hosts[0].lower() for origin in headers.get("origin", [])):
            return 403, _problem("pages of other sites may not use this server"), {}
        given = headers.get("authorization", [""])
        if len(given) != 1 or not self._door.admits(given[0]):
            challenge = {"www-authenticate": 'Bearer realm="trackdown"'}
            return 401, _problem("send the server's token in the header `Authorization: Bearer …`"), challenge
        return None


def _problem(detail: str) -> dict[str, Any]:
    return {"type": "about:blank", "detail": detail}


async def _answer(send: Send, status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    kind = "application/json" if status == 200 else "application/problem+json"
    value = value if status == 200 else {**value, "status": status}
    always = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff"}
    all_headers = always | (headers or {})
    lines = [(name.encode(), text.encode()) for name, text in all_headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": json.dumps(value).encode()})


def _listen(host: str, port: int) -> socket.socket:
    """A socket that is bound. Raises UsageError when the address cannot be had, or is not what it is taken for."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # without the last, no TCP_NODELAY
    except (OSError, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r} to serve at: {error}") from None
    try:
        if is_loopback(host) and not is_loopback(str(address[0])):
            raise OSError("it is not the address of this machine alone")
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot serve at {host}:{port}: {reason} (name another with --host or --port)") from None
    return bound


def _check(door: Door) -> None:
    """Raise UsageError for a server that everybody could use."""
    if not door.on_loopback and not door.token:
        raise UsageError(
            f"{door.host} can be reached from other machines: name a file that holds a token with --token-file, or set "
            "TRACKDOWN_TOKEN"
        )
    if door.token and (len(door.token) < SHORTEST_TOKEN or not door.token.isascii() or not door.token.isprintable()
                       or " " in door.token):  # fmt: skip
        raise UsageError(
            f"a token needs at least {SHORTEST_TOKEN} printable ASCII characters without blanks, e.g. what "
            "`openssl rand -hex 32` prints"
        )
