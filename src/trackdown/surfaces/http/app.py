"""The application: the routes, the page, health and metrics, behind the middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from trackdown.errors import TrackdownError
from trackdown.surfaces.http.access import AccessRules
from trackdown.surfaces.http.app_state import AppState
from trackdown.surfaces.http.json_response import json_answer
from trackdown.surfaces.http.metrics import MEDIA_TYPE as METRICS
from trackdown.surfaces.http.middleware import PAGE_POLICY, GuardMiddleware
from trackdown.surfaces.http.problems import HttpProblem, problem_of
from trackdown.surfaces.http.response_models import HealthAnswer, ProblemAnswer
from trackdown.surfaces.http.routes import PROBLEMS, api
from trackdown.surfaces.web import Asset, assets, page

_ABOUT = (
    "Given an issue, a question or a name: which code has to change? Results are ranked, each with its reasons. "
    "Lines are 1-based and inclusive; paths are relative to the repository's root. Errors are problem documents."
)
_OPEN = ("ProblemAnswer",)
"""Answers that may get further fields."""


def build_app(state: AppState, rules: AccessRules, *, log_requests: bool = False) -> ASGIApp:
    """Build the whole application. Its threads end with it; the repositories belong to the caller."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        state.pool.stop()

    app = FastAPI(
        title="Trackdown",
        version=state.version,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        openapi_url=None,
        redirect_slashes=False,
        strict_content_type=True,
    )

    async def answer_problem(_: Request, error: Exception) -> Response:
        return state.metrics.counted(problem_of(error)).response()

    for kind in (HttpProblem, TrackdownError, RequestValidationError, Exception):
        app.add_exception_handler(kind, answer_problem)
    router = api(state)
    app.add_exception_handler(HTTPException, _with_methods(app, router))
    app.include_router(router)
    _add_page(app)
    _add_machine_routes(app, state, rules)
    return GuardMiddleware(app, rules, state.metrics, state.shared.admit, log_requests=log_requests)


def _with_methods(app: FastAPI, router: APIRouter) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Answer 405 with every method that a URL takes: the first route that matches knows only its own."""

    async def answer_http_error(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status == 405:
            found: set[str] = set()
            for route in (*router.routes, *app.routes):
                if isinstance(route, Route) and route.path_regex.match(request.scope["path"]):
                    found |= route.methods or set()
            found |= {"HEAD"} if "GET" in found else set()
            problem = problem_of(HTTPException(405, headers={"Allow": ", ".join(sorted(found))}))
        return problem.response()

    return answer_http_error


def _add_page(app: FastAPI) -> None:
    """Serve the page and its assets. They contain nothing from a repository and need no token."""
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}

    @app.get("/", include_in_schema=False)
    async def home(request: Request) -> Response:
        return sent(request, page())

    def sent(request: Request, asset: Asset) -> Response:
        packed = "gzip" in request.headers.get("accept-encoding", "")
        tag = f'"{asset.tag}{"-gzip" if packed else ""}"'
        sent_headers = {**headers, "ETag": tag, **({"Content-Encoding": "gzip"} if packed else {})}
        known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
        if tag in known:
            return Response(status_code=304, headers=sent_headers)
        return Response(asset.packed if packed else asset.content, media_type=asset.media_type, headers=sent_headers)

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(request: Request, name: str) -> Response:
        found = assets().get(name)
        if found is None:
            raise HTTPException(404)
        return sent(request, found)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon(request: Request) -> Response:
        return sent(request, assets()["icon.svg"])


def _add_machine_routes(app: FastAPI, state: AppState, rules: AccessRules) -> None:
    """Routes for monitoring and for generators of clients."""

    @app.get("/health", response_model=HealthAnswer, responses=PROBLEMS, operation_id="health")
    async def health() -> Response:
        """Whether the server is up. For the indexes see /v1/repositories."""
        return json_answer(HealthAnswer("ok", state.version))

    counters = {"description": "Counters for Prometheus.", "content": {METRICS: {"schema": {"type": "string"}}}}

    @app.get("/metrics", operation_id="metrics", responses={**PROBLEMS, 200: counters})
    async def metrics(request: Request) -> Response:
        """Counters in Prometheus's text format."""
        for one in await state.pool.run(request.receive, lambda _: state.repositories()):
            state.metrics.ready.labels(one.name).set(one.ready)
        return Response(state.metrics.page(), media_type=METRICS)

    document = _document(app, demands_token=rules.demands_token)

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return json_answer(document())


def _document(app: FastAPI, *, demands_token: bool) -> Callable[[], dict[str, Any]]:
    """Return a function that makes the OpenAPI document at its first call."""
    made: dict[str, Any] = {}

    def document() -> dict[str, Any]:
        if not made:
            found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            schemas = found.setdefault("components", {}).setdefault("schemas", {})
            problem = TypeAdapter(ProblemAnswer).json_schema(ref_template="#/components/schemas/{model}")
            schemas.update(problem.pop("$defs"), ProblemAnswer=problem)
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            for name, schema in schemas.items():
                _close(name, schema)
            if demands_token:
                found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                for path, item in found["paths"].items():
                    for operation in item.values() if path != "/health" else ():
                        operation["security"] = [{"token": []}]
            made.update(found)
        return made

    return document


def _close(name: str, schema: dict[str, Any]) -> None:
    """Add to an answer's schema what pydantic leaves out for a dataclass: all fields are there, and no others.

    Two are sometimes left out: `llm` without a language model, and the `errors` of a problem without any.
    """
    if "additionalProperties" not in schema and "properties" in schema and name not in _OPEN:
        schema["additionalProperties"] = False
        schema["required"] = [field for field in schema["properties"] if field not in ("llm", "errors")]
