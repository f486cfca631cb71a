"""Every error of the API is a problem document (RFC 9457) with one clear message."""

from __future__ import annotations

import json
import logging
import math
import traceback
from collections.abc import Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from trackdown.errors import (
    EmptyRepository,
    FleetError,
    GitError,
    LlmError,
    ModelError,
    NoSuchPath,
    QueryError,
    RepositoryError,
    StoreBusy,
    StoreError,
    StoreFull,
    TooBusy,
    TrackdownError,
    TrackerError,
    TrackerUnavailable,
    UnknownRepository,
    UnknownRevision,
    UsageError,
)

LOG = logging.getLogger("trackdown.http")
MEDIA_TYPE = "application/problem+json"
_LONGEST_DETAIL = 2000

TITLES = {
    "bad-request": "Malformed request",
    "invalid": "Invalid parameter",
    "query": "Nothing to search for in the query",
    "not-found": "Not found",
    "unknown-repository": "No such repository",
    "unknown-revision": "No such commit, branch or tag",
    "unknown-path": "No such file or symbol in the repository",
    "method": "Method not allowed",
    "token": "Token required",
    "cross-site": "Cross-site request refused",
    "host": "Unknown host name",
    "too-large": "The request is too large",
    "too-slow": "The request took too long to arrive",
    "media-type": "The body must be JSON",
    "too-many": "Too many requests",
    "overloaded": "The server is busy",
    "stopping": "The server is stopping",
    "repository": "The repository is unavailable",
    "store-full": "The disk is full",
    "store-busy": "The store is busy",
    "store": "The store is unavailable",
    "fleet": "The fleet is unavailable",
    "tracker": "The issue could not be fetched",
    "language-model": "The language model is unavailable",
    "model": "A model is unavailable",
    "unexpected": "Something went wrong",
}
"""The title of each kind of problem."""


class HttpProblem(Exception):
    """An error with the status and headers of its answer."""

    def __init__(
        self, status: int, kind: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = " ".join(detail.split())[:_LONGEST_DETAIL]  # one line, whatever names it quotes
        self.headers = dict(headers or {})
        self.more = more

    def document(self) -> dict[str, Any]:
        """The problem as JSON."""
        return {
            "type": f"urn:trackdown:problem:{self.kind}",
            "title": TITLES[self.kind],
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }

    def response(self) -> Response:
        """The problem as a response."""
        return Response(json.dumps(self.document()), self.status, self.headers, MEDIA_TYPE)


_MEMBERS = ("constrained-", "function-", "literal[", "bool")
"""How pydantic names the member of a union that an error is about. No parameter of ours begins so."""


def problem_of(error: BaseException) -> HttpProblem:
    """Turn an error into a problem. Of an unexpected one only its type is shown, because its text may hold anything."""
    if isinstance(error, HttpProblem):
        return error
    if isinstance(error, RequestValidationError):
        return _of_validation(error)
    if isinstance(error, HTTPException):
        return _of_http(error)
    if isinstance(error, TrackdownError):
        return _of_ours(error)
    return HttpProblem(500, "unexpected", f"unexpected {type(error).__name__}: see the server's log")


def log_unexpected(error: BaseException, route: str) -> None:
    """Log an unexpected error, and where in the program it happened."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" in {where[0].filename}:{where[0].lineno}" if where else ""
    LOG.error("unexpected %s at %s%s: %s", type(error).__name__, route, place, error)


def _of_ours(error: TrackdownError) -> HttpProblem:
    detail = str(error)
    if isinstance(error, ModelError):  # its message names files and URLs of the server
        LOG.warning("%s", " ".join(detail.split()))
        return _of_model(error)
    if isinstance(error, FleetError):  # its message names the place
        LOG.warning("%s", " ".join(detail.split()))
        return HttpProblem(
            503, "fleet", "what is published cannot be read now: see the server's log", {"Retry-After": "30"}
        )
    if isinstance(error, TooBusy):
        return HttpProblem(503, "overloaded", detail, {"Retry-After": str(max(1, math.ceil(error.retry_after)))})
    for kind, status, name, wait in _OURS:
        if isinstance(error, kind):
            return HttpProblem(status, name, detail, {"Retry-After": str(wait)} if wait else None)
    return HttpProblem(500, "unexpected", detail)


def _of_model(error: ModelError) -> HttpProblem:
    kind, what = ("language-model", "the language model") if isinstance(error, LlmError) else ("model", "a model")
    detail = f"{what} that this needs is unavailable: see the server's log"
    return HttpProblem(503, kind, detail, {"Retry-After": "60"})


_OURS: tuple[tuple[type[TrackdownError], int, str, int], ...] = (
    (QueryError, 422, "query", 0),
    (UnknownRepository, 404, "unknown-repository", 0),
    (UsageError, 422, "invalid", 0),
    (UnknownRevision, 404, "unknown-revision", 0),
    (NoSuchPath, 503, "repository", 30),
    (EmptyRepository, 422, "repository", 0),
    (GitError, 503, "repository", 30),
    (RepositoryError, 503, "repository", 30),
    (TrackerUnavailable, 503, "tracker", 60),
    (TrackerError, 502, "tracker", 0),
    (StoreBusy, 503, "store-busy", 5),
    (StoreFull, 507, "store-full", 0),
    (StoreError, 503, "store", 30),
)
"""The first that matches: error, status, kind of problem, seconds after which to retry."""


def _of_http(error: HTTPException) -> HttpProblem:
    headers = dict(error.headers or {})
    if error.status_code == 404:
        return HttpProblem(404, "not-found", "there is nothing at this URL: see /openapi.json", headers)
    if error.status_code == 405:
        return HttpProblem(405, "method", f"this URL takes {headers.get('Allow', 'other methods')}", headers)
    if error.status_code == 400:
        return HttpProblem(400, "bad-request", "the body is not JSON", headers)
    return HttpProblem(error.status_code, "unexpected", str(error.detail), headers)


def _of_validation(error: RequestValidationError) -> HttpProblem:
    told = [one for one in error.errors() if one["type"] != "none_required"] or error.errors()
    found = [{"where": _where(one), "message": _said(one)} for one in told[:20]]
    if any(isinstance(one.get("input"), bytes) for one in error.errors()):
        return HttpProblem(415, "media-type", "send the body as JSON, with the header `Content-Type: application/json`")
    if any(one["type"] == "json_invalid" for one in error.errors()):
        return HttpProblem(
            400, "bad-request", f"the body is not JSON: {error.errors()[0].get('ctx', {}).get('error', '')}"
        )
    first = found[0]
    name = first["where"].partition(".")[2] or first["where"]
    return HttpProblem(422, "invalid", f"{name}: {first['message']}", errors=found)


def _where(one: Any) -> str:
    """The field, without pydantic's names for the types that it tried."""
    return ".".join(str(part) for part in one["loc"] if not str(part).startswith(_MEMBERS))


def _said(one: Any) -> str:
    """Pydantic's message without its prefix, and with the given value if that is short."""
    message = str(one["msg"]).removeprefix("Value error, ")
    given = one.get("input")
    if one["type"] == "extra_forbidden":
        return "there is no such parameter"
    if one["type"] == "missing":
        return "it is missing"
    if isinstance(given, str | int | float | bool) and len(str(given)) <= 60:
        return f"{message}, not {given!r}"
    return message
