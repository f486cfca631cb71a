"""Runs before every route: refuses requests that the rules forbid, bounds bodies, sets headers, counts and logs."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import LOG, HttpProblem, log_unexpected, problem_of
from trackdown.surfaces.http.request_checks import ClientGone, Refusal, RequestChecks

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
"""Headers of every answer, unless it sets its own."""
_ALWAYS = tuple((name.encode(), value.encode()) for name, value in _HEADERS.items())
_AT_ONCE = ("/v1/repositories", "/metrics")
"""Routes that need no thread and are answered however busy the server is."""
_METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH")
_GUARDED = ("/v1/", "/metrics")
"""Routes about repositories or the server: they need the token, and pages of other sites may not use them."""


class GuardMiddleware:
    """The outermost application."""

    def __init__(
        self,
        app: ASGIApp,
        rules: AccessRules,
        metrics: Metrics,
        admit: Callable[[], None],
        *,
        log_requests: bool = False,
    ) -> None:
        """`admit` raises TooBusy when the engine takes no more calls; the rest of a request is not looked at then."""
        self._app = app
        self._checks = RequestChecks(rules)
        self._metrics = metrics
        self._admit = admit
        self._log_requests = log_requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0
        started = time.monotonic()

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = list(message.get("headers", []))
                present = {name.lower() for name, _ in headers}
                message = {**message, "headers": headers + [one for one in _ALWAYS if one[0] not in present]}
            await send(message)

        try:
            guarded = scope["path"].startswith(_GUARDED)
            has_body = self._checks.check(scope, guarded=guarded)
            if guarded and scope["path"] not in _AT_ONCE:
                self._admit()
            if has_body:
                receive = await self._checks.read_body(scope, receive)
            if scope["method"] == "HEAD":  # uvicorn leaves the body out
                scope = {**scope, "method": "GET"}
            await self._app(scope, receive, send_guarded)
        except ClientGone:
            status = 499
        except Exception as error:
            problem = self._problem(error, scope)
            if status == 0:
                await problem.response()(scope, receive, send_guarded)
        finally:
            self._count(scope, status or 499, time.monotonic() - started)

    def _problem(self, error: Exception, scope: Scope) -> HttpProblem:
        if isinstance(error, Refusal):
            error = HttpProblem(error.status, error.kind, error.detail, error.headers)
        problem = problem_of(error)
        if problem.kind == "unexpected":
            log_unexpected(error, _route(scope))
        if problem.status == 429:
            self._metrics.shed.labels("rate").inc()
        return self._metrics.counted(problem)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = _route(scope), scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(route, method, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if self._log_requests:  # without the query string: what people search for stays private
            client = scope["client"][0] if scope.get("client") else "-"
            LOG.info("%s %s %s %d %.0f ms", client, method, scope["path"], status, seconds * 1000)


def _route(scope: Scope) -> str:
    """The pattern of the route, so that clients cannot make up new labels."""
    return str(getattr(scope.get("route"), "path", "other"))
