"""Stands before every route: refuses what the door does not admit, bounds bodies, sets headers, counts and logs."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trackdown.surfaces.http.admission import Admission, ClientGone, Refusal
from trackdown.surfaces.http.door import Door
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
_GUARDED = ("/v1/", "/metrics")
"""Where answers tell of repositories or of the server: these need the token, and no other site may ask for them."""


class Gate:
    """The outermost application."""

    def __init__(
        self, app: ASGIApp, door: Door, metrics: Metrics, admit: Callable[[], None], *, log_requests: bool = False
    ) -> None:
        """`admit` raises Problem when there is too much to do: then nothing else of a request is looked at."""
        self._app = app
        self._admission = Admission(door)
        self._metrics = metrics
        self._admit = admit
        self._log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(send)
        started = time.monotonic()
        try:
            self._check(scope)
            again = await self._admission.read_body(scope, receive)
            if scope["method"] == "HEAD":  # the server leaves the body out
                scope = {**scope, "method": "GET"}
            await self._app(scope, again, exchange.send)
        except ClientGone:
            exchange.status = 499
        except Refusal as refusal:
            problem = Problem(refusal.status, refusal.kind, refusal.detail, refusal.headers)
            await self._answer_error(problem, scope, receive, exchange)
        except Exception as error:
            await self._answer_error(error, scope, receive, exchange)
        finally:
            self._count(scope, exchange.status, time.monotonic() - started)

    def _check(self, scope: Scope) -> None:
        """Raise Refusal and Problem for what is not admitted."""
        guarded = scope["path"].startswith(_GUARDED)
        try:
            self._admission.check(scope, guarded=guarded)
        except Refusal as refusal:
            if refusal.status == 429:
                self._metrics.shed.labels("rate").inc()
            raise
        if guarded and scope["path"] not in _AT_ONCE:
            self._admit()

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


def _route(scope: Scope) -> str:
    """The pattern of the route, so that no client can make up new names of counters."""
    route = scope.get("route")
    return str(getattr(route, "path", "other"))


def _method(scope: Scope) -> str:
    known = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH")
    return scope["method"] if scope["method"] in known else "other"
