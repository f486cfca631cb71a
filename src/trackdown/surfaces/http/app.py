"""The application: routes behind the gate, the page, health and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from trackdown.errors import TrackdownError
from trackdown.surfaces.http.answers import HealthAnswer, ProblemAnswer
from trackdown.surfaces.http.desk import Desk
from trackdown.surfaces.http.door import Door
from trackdown.surfaces.http.gate import PAGE_POLICY, Gate
from trackdown.surfaces.http.metrics import MEDIA_TYPE as METRICS
from trackdown.surfaces.http.problems import Problem, problem_of
from trackdown.surfaces.http.routes import PROBLEMS, api
from trackdown.surfaces.http.written import json_answer
from trackdown.surfaces.web import Asset, assets, page

_ABOUT = (
    "Given an issue, a question or a name: which code has to change? Answers are ranked, each with its reasons. "
    "Lines are 1-based and inclusive; paths are relative to a repository's root. Errors are problem documents."
)


def build_app(desk: Desk, door: Door, *, log_requests: bool = False) -> ASGIApp:
    """The whole server. The desk's threads end with it; its repositories belong to the caller."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.crew.stop()

    app = FastAPI(
        title="Trackdown", version=desk.version, description=_ABOUT, docs_url=None, redoc_url=None, lifespan=lifespan,
        openapi_url=None, redirect_slashes=False, strict_content_type=True,
    )  # fmt: skip
    for kind in (Problem, TrackdownError, RequestValidationError, Exception):
        app.add_exception_handler(kind, _told)
    router = api(desk)
    app.add_exception_handler(HTTPException, _told_with_methods(app, router))
    app.include_router(router)
    _page(app)
    _machine(app, desk, door)
    return Gate(app, door, desk.metrics, desk.crew.admit, log_requests=log_requests)


async def _told(_: Request, error: Exception) -> Response:
    return problem_of(error).response()


def _told_with_methods(app: FastAPI, router: APIRouter) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Names every method that an address takes: the first route that fits it knows only its own."""

    async def told(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status == 405:
            found: set[str] = set()
            for route in (*router.routes, *app.routes):
                if isinstance(route, Route) and route.path_regex.match(request.scope["path"]):
                    found |= route.methods or set()
            found |= {"HEAD"} if "GET" in found else set()
            problem = problem_of(HTTPException(405, headers={"Allow": ", ".join(sorted(found))}))
        return problem.response()

    return told


def _page(app: FastAPI) -> None:
    """The page and what it loads. These hold nothing of a repository, and need no token."""
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}

    @app.get("/", include_in_schema=False)
    async def home() -> Response:
        return Response(page(), media_type="text/html; charset=utf-8", headers=headers)

    def sent(request: Request, asset: Asset) -> Response:
        tag = f'"{asset.tag}"'
        told = {**headers, "ETag": tag}
        known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
        if tag in known:
            return Response(status_code=304, headers=told)
        return Response(asset.content, media_type=asset.media_type, headers=told)

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(request: Request, name: str) -> Response:
        found = assets().get(name)
        if found is None:
            raise HTTPException(404)
        return sent(request, found)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon(request: Request) -> Response:
        return sent(request, assets()["icon.svg"])


def _machine(app: FastAPI, desk: Desk, door: Door) -> None:
    """What monitors and generators of clients ask for."""

    @app.get("/health", response_model=HealthAnswer, responses=PROBLEMS, operation_id="health")
    async def health() -> Response:
        """The server answers. Says nothing of indexes: see /v1/repositories."""
        return json_answer({"status": "ok", "version": desk.version})

    @app.get(
        "/metrics", operation_id="metrics",
        responses={**PROBLEMS, 200: {"description": "Counters for Prometheus.", "content": {METRICS: {"schema": {
            "type": "string"}}}}},
    )  # fmt: skip
    async def metrics() -> Response:
        """Counters in Prometheus's text format."""
        for one in desk.repositories():
            desk.metrics.ready.labels(one["name"]).set(one["ready"])
        return Response(desk.metrics.page(), media_type=METRICS)

    document = _document(app, demands_token=bool(door.token))

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return json_answer(document())


def _document(app: FastAPI, *, demands_token: bool) -> Callable[[], dict[str, Any]]:
    """The OpenAPI document, made when it is first asked for."""
    made: dict[str, Any] = {}

    def document() -> dict[str, Any]:
        if not made:
            found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
            schemas = found.setdefault("components", {}).setdefault("schemas", {})
            _, extra = models_json_schema(
                [(ProblemAnswer, "serialization")], ref_template="#/components/schemas/{model}"
            )
            schemas.update(extra["$defs"])
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            if demands_token:
                found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                for path, item in found["paths"].items():
                    for operation in item.values() if path != "/health" else ():
                        operation["security"] = [{"token": []}]
            made.update(found)
        return made

    return document
