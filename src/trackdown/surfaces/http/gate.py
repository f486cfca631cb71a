"""Stands before every route: refuses what the door does not admit, bounds bodies, sets headers, counts and logs."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trackdown.surfaces.http.crew import ClientGone
from trackdown.surfaces.http.door import Door, Turnstile, host_name
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import LOG, Problem, log_unexpected, problem_of

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "content-security-policy": API_POLICY,
    "cache-control": "no-store",
}
"""Headers of every answer that does not set its own."""
_ALWAYS = tuple((name.encode(), value.encode()) for name, value in _HEADERS.items())
_AT_ONCE = ("/v1/repositories", "/metrics")
"""What is answered without a thread, however much there is to do."""
_DRAINED_BODIES, _DRAIN_SECONDS = 16, 2.0
_CLOSE = {"Connection": "close"}
_GUARDED = ("/v1/", "/metrics")
"""Where answers tell of repositories or of the server: these need the token, and no other site may ask for them."""


class Gate:
    """The outermost application."""

    def __init__(
        self, app: ASGIApp, door: Door, metrics: Metrics, admit: Callable[[], None], *, log_requests: bool = False
    ) -> None:
        """`admit` raises Problem when there is too much to do: then nothing else of a request is looked at."""
        self._app = app
        self._door = door
        self._metrics = metrics
        self._admit = admit
        self._turnstile = Turnstile(door.rate, door.burst)
        self._log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(send)
        started = time.monotonic()
        try:
            self._check(scope)
            body = await _read_body(scope, receive, self._door)
            if scope["method"] == "HEAD":  # the server leaves the body out
                scope = {**scope, "method": "GET"}
            await self._app(scope, _Replay(body, receive), exchange.send)
        except ClientGone:
            exchange.status = 499
        except Exception as error:
            await self._answer_error(error, scope, receive, exchange)
        finally:
            self._count(scope, exchange.status, time.monotonic() - started)

    def _check(self, scope: Scope) -> None:
        """Raise Problem for what is not admitted."""
        headers = _by_name(scope["headers"])
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._door.answers_to(hosts[0]):
            raise self._misdirected(hosts)
        client = scope["client"][0] if scope.get("client") else ""
        if wait := self._turnstile.passes(client):
            self._metrics.shed.labels("rate").inc()
            seconds = str(max(1, math.ceil(wait)))
            raise Problem(429, "too-many", f"too many requests: try again in {seconds} s", {"Retry-After": seconds})
        if not scope["path"].startswith(_GUARDED):
            return
        if _from_elsewhere(headers, hosts[0]):
            raise Problem(403, "cross-site", "pages of other sites may not use this server")
        given = headers.get("authorization", [""])
        if len(given) != 1 or not self._door.admits(given[0]):
            raise Problem(
                401, "token", "send the server's token in the header `Authorization: Bearer …`",
                {"WWW-Authenticate": 'Bearer realm="trackdown"'},
            )  # fmt: skip
        if scope["path"] not in _AT_ONCE:
            self._admit()

    def _misdirected(self, hosts: list[str]) -> Problem:
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None:
            return Problem(400, "host", "a request needs exactly one Host header with a name or an address in it")
        return Problem(
            421, "host", f"this server does not answer to {name!r}: start it with `--allow-host {name}` if it should"
        )

    async def _answer_error(self, error: Exception, scope: Scope, receive: Receive, exchange: _Exchange) -> None:
        problem = problem_of(error)
        if problem.kind == "unexpected":
            log_unexpected(error, _route(scope))
        if exchange.status == 0:
            await problem.response()(scope, receive, exchange.send)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        self._metrics.requests.labels(route, _method(scope), str(status or 499)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if self._log_requests:  # without the query string: what somebody searches for is nobody else's business
            client = scope["client"][0] if scope.get("client") else "-"
            LOG.info("%s %s %s %d %.0f ms", client, _method(scope), scope["path"], status or 499, seconds * 1000)


class _Exchange:
    """Sends an answer with the headers that every answer has, and remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", []))
            present = {name.lower() for name, _ in headers}
            headers += [(name, value) for name, value in _ALWAYS if name not in present]
            message = {**message, "headers": headers}
        await self._send(message)


async def _read_body(scope: Scope, receive: Receive, door: Door) -> bytes:
    """The whole body, if it is small enough and comes soon enough. Raises Problem and ClientGone."""
    chunks: list[bytes] = []
    size, told = 0, _told_size(scope)
    try:
        async with asyncio.timeout(door.body_seconds):
            more = told <= door.body_bytes
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                chunks.append(message.get("body", b""))
                size += len(chunks[-1])
                more = message.get("more_body", False) and size <= door.body_bytes
    except TimeoutError:
        raise Problem(408, "too-slow", "the body of the request did not arrive in time", _CLOSE) from None
    if max(size, told) > door.body_bytes:
        await _drain(receive, _DRAINED_BODIES * door.body_bytes)
        raise Problem(413, "too-large", f"the body is larger than {door.body_bytes:,} bytes", _CLOSE)
    return b"".join(chunks)


async def _drain(receive: Receive, most: int) -> None:
    """Read on for a little: a client that still sends would not hear the answer."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        pass


class _Replay:
    """Hands on a body that was read, and then what the client does."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _told_size(scope: Scope) -> int:
    """What Content-Length says; 0 where it says nothing. The server has refused what is no number."""
    told = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(told[0]) if told else 0


def _by_name(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _from_elsewhere(headers: dict[str, list[str]], host: str) -> bool:
    """Whether a browser says that a page of another origin asks."""
    if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none"):
        return True
    origins = headers.get("origin", [])
    return any(origin.partition("://")[2].lower() != host.lower() for origin in origins)


def _route(scope: Scope) -> str:
    """The pattern of the route, so that no client can make up new names of counters."""
    route = scope.get("route")
    return str(getattr(route, "path", "other"))


def _method(scope: Scope) -> str:
    known = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH")
    return scope["method"] if scope["method"] in known else "other"
