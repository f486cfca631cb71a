"""MCP over streamable HTTP for many clients, under the same access rules as the HTTP API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trackdown.surfaces.http import (
    AccessRules,
    ClientGone,
    Refusal,
    RequestChecks,
    ServerConfig,
    UvicornServer,
    bound,
    url_of,
)
from trackdown.surfaces.mcp.repositories import RepositoryProvider
from trackdown.surfaces.mcp.server import ServerOptions, build_server
from trackdown.surfaces.mcp.surrogates import without_lone_surrogates

PATH = "/mcp"
_HEALTH = "/health"
_STOP_SECONDS = 3


def build_app(served: RepositoryProvider, options: ServerOptions, rules: AccessRules) -> ASGIApp:
    """Build the application: one path for MCP, and /health."""
    server = build_server(served, options)
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=rules.body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # _Guard checks the host
    )
    return _Guard(inner, rules)


def run_http(
    served: RepositoryProvider,
    options: ServerOptions,
    rules: AccessRules,
    port: int,
    *,
    on_ready: Callable[[str], None],
) -> None:
    """Serve until a signal comes. `on_ready` gets the URL once the server listens. Raises UsageError."""

    def begun(url: str) -> None:
        on_ready(url)
        served.start()

    run_app(build_app(served, options, rules), rules, port, on_ready=begun)


def run_app(app: ASGIApp, rules: AccessRules, port: int, *, on_ready: Callable[[str], None]) -> None:
    """Serve an application under rules until a signal comes. `on_ready` gets the URL. Raises UsageError."""
    rules.check()
    listening = bound(rules.host, port)
    server = UvicornServer(ServerConfig(app, _STOP_SECONDS, rules))
    server.ready = lambda: on_ready(url_of(listening).removesuffix("/") + PATH)
    server.run(sockets=[listening])


class _Guard:
    """Refuses requests that the rules forbid."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self._app = app
        self._checks = RequestChecks(rules)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            if self._checks.check(scope, guarded=scope["path"] != _HEALTH):
                receive = _mending(await self._checks.read_body(scope, receive))
        except Refusal as refusal:
            problem = {"type": "about:blank", "detail": refusal.detail, "status": refusal.status}
            await _answer(send, refusal.status, problem, refusal.headers)
        except ClientGone:
            return
        else:
            if scope["path"] == _HEALTH:
                await _answer(send, 200, {"status": "ok"})
            else:
                await self._app(scope, receive, send)


def _mending(receive: Receive) -> Receive:
    """Receive a body without lone surrogates, which the SDK refuses."""

    async def receive_mended() -> Message:
        message = await receive()
        return {**message, "body": without_lone_surrogates(message["body"])} if "body" in message else message

    return receive_mended


async def _answer(send: Send, status: int, value: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    kind = "application/json" if status == 200 else "application/problem+json"
    always = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff"}
    all_headers = always | (headers or {})
    lines = [(name.lower().encode(), text.encode()) for name, text in all_headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": json.dumps(value).encode()})
