"""The routes of the API, all under /v1."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from starlette.responses import Response

from trackdown.engine import EDGE_TYPES, HOWS, Example, Related
from trackdown.surfaces.drawing import as_document, coordinates_of
from trackdown.surfaces.http.app_state import AppState, as_search, exactly, found_or_missing
from trackdown.surfaces.http.event_stream import MEDIA_TYPE as EVENTS
from trackdown.surfaces.http.event_stream import EventChannel, EventStream
from trackdown.surfaces.http.json_response import MEDIA_TYPE as JSON
from trackdown.surfaces.http.json_response import json_answer
from trackdown.surfaces.http.past_routes import add_past
from trackdown.surfaces.http.problems import MEDIA_TYPE as PROBLEM
from trackdown.surfaces.http.problems import HttpProblem
from trackdown.surfaces.http.reports import MEDIA_TYPES
from trackdown.surfaces.http.request_models import (
    GraphQuery,
    ImpactBody,
    ReadUnitQuery,
    RelatedQuery,
    SearchBody,
    SearchQuery,
    StatusQuery,
)
from trackdown.surfaces.http.request_pool import Cancelled
from trackdown.surfaces.http.response_models import (
    ExamplesAnswer,
    GraphAnswer,
    ReportsAnswer,
    RepositoriesAnswer,
    StatusAnswer,
)
from trackdown.types import SearchResults, UnitSource

_STATUSES = {
    400: "The request is malformed.",
    401: "The token is missing or wrong.",
    403: "The request comes from a page of another site.",
    404: "The repository, revision, file or URL does not exist.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not answer to this name.",
    422: "A parameter is invalid, or the query has no words to search for.",
    429: "Too many requests: see Retry-After.",
    500: "Something went wrong.",
    502: "The issue could not be fetched.",
    503: "The server is busy, or the repository, the store or an issue tracker is unavailable: see Retry-After.",
    507: "The disk is full.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}}
    for status, text in _STATUSES.items()
}
"""The errors that any route may answer."""
_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "properties": {
        "event": {"type": "string", "enum": ["progress", "results", "problem", "done"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: `progress` {step, done, total}, `results` (the answer of a search with `stage` fast or "
        "final; each replaces the one before), `problem` (as in errors), and `done` at the end.",
        "content": {EVENTS: {"schema": _EVENT}},
    }
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {kind: {"schema": {} if kind == JSON else {"type": "string"}} for kind in MEDIA_TYPES.values()},
    }
}


def api(state: AppState) -> APIRouter:
    """All routes of the API."""
    router = APIRouter(prefix="/v1", responses=PROBLEMS, default_response_class=Response)
    _add_search(router, state)
    add_past(router, state)
    _add_navigation(router, state)
    _add_state(router, state)
    return router


def _add_search(router: APIRouter, state: AppState) -> None:
    @router.get("/search", response_model=SearchResults, operation_id="search")
    async def search(request: Request, asked: Annotated[SearchQuery, Query()]) -> Response:
        """Rank functions, classes or files for an issue, a question or a name."""
        answer = await state.pool.run(request.receive, lambda cancelled: state.search(asked, cancelled))
        return json_answer(as_search(answer))

    @router.post("/search", response_model=SearchResults, operation_id="search_issue")
    async def search_issue(request: Request, asked: Annotated[SearchBody, Body()]) -> Response:
        """Rank functions, classes or files for an issue, a question or a name, which may be long."""
        return await search(request, asked)

    @router.post("/search/stream", responses=_STREAM, operation_id="search_stream")
    async def stream(request: Request, asked: Annotated[SearchBody, Body()]) -> Response:
        """Search, and send results as they come: those of the fast stages first, then those reranked by models."""
        channel = EventChannel()

        def work(cancelled: Cancelled) -> None:
            def early(found: SearchResults) -> None:
                channel.send("results", as_search(found, stage="fast"))

            answer = state.search(asked, cancelled, early, channel.progress)
            channel.send("results", as_search(answer, stage="final"))

        future, cancel = state.pool.begin(work)
        future.add_done_callback(channel.finish)
        first = await channel.first()
        if isinstance(first, HttpProblem):
            raise first
        return EventStream(channel, first, cancel, state.metrics)


def _add_navigation(router: APIRouter, state: AppState) -> None:
    shared = state.shared

    @router.get("/related", response_model=Related, operation_id="related")
    async def related(request: Request, asked: Annotated[RelatedQuery, Query()]) -> Response:
        """Code related to a place: callers, callees, similar code, and files that change together with it."""
        location = exactly(request, "location", asked.location)

        def work(cancelled: Cancelled) -> Related:
            return found_or_missing(
                lambda: shared.related(
                    location,
                    repository=state.only(asked.repository),
                    k=asked.k,
                    at=asked.at,
                    exclude=asked.exclude,
                    cancelled=cancelled,
                )
            )

        return json_answer(await state.pool.run(request.receive, work))

    @router.post("/impact", response_model=SearchResults, operation_id="impact")
    async def impact(request: Request, asked: Annotated[ImpactBody, Body()]) -> Response:
        """What may have to change with a diff, each with its reasons. What it has changed already is left out."""
        change = asked.as_change()

        def work(cancelled: Cancelled) -> SearchResults:
            return shared.impact(
                change,
                repository=state.only(asked.repository),
                k=asked.k,
                level=asked.level,
                at=asked.at,
                exclude=asked.exclude,
                cancelled=cancelled,
            )

        return json_answer(as_search(await state.pool.run(request.receive, work)))

    @router.get("/graph", response_model=GraphAnswer, operation_id="graph")
    async def graph(request: Request, asked: Annotated[GraphQuery, Query()]) -> Response:
        """Containment, imports, calls and inheritance around a node, in both directions."""
        target = exactly(request, "target", asked.target)

        def work(cancelled: Cancelled) -> dict[str, Any]:
            answer = found_or_missing(
                lambda: shared.graph(
                    target,
                    repository=state.only(asked.repository),
                    depth=asked.depth,
                    edges=tuple(asked.edges) or EDGE_TYPES,
                    direction=asked.direction,
                    hows=tuple(asked.how) or HOWS,
                    at=asked.at,
                    cancelled=cancelled,
                )
            )
            drawing = coordinates_of(answer) if asked.drawing else None
            return {**as_document(answer), "drawing": drawing}

        return json_answer(await state.pool.run(request.receive, work))

    @router.get("/unit", response_model=UnitSource, operation_id="unit")
    async def unit(request: Request, asked: Annotated[ReadUnitQuery, Query()]) -> Response:
        """The source of a class or function, of some lines, or of a whole file. Only indexed files can be read."""
        path = exactly(request, "path", asked.path)

        def work(cancelled: Cancelled) -> UnitSource:
            return found_or_missing(
                lambda: shared.unit(
                    path,
                    repository=state.only(asked.repository),
                    symbol=asked.symbol,
                    lines=asked.span(),
                    at=asked.at,
                    cancelled=cancelled,
                )
            )

        return json_answer(await state.pool.run(request.receive, work))


def _add_state(router: APIRouter, state: AppState) -> None:
    @router.get("/examples", response_model=ExamplesAnswer, operation_id="examples")
    async def examples(request: Request, asked: Annotated[StatusQuery, Query()]) -> Response:
        """Queries worth trying, made from the repository's own names, messages and past commits."""

        def work(cancelled: Cancelled) -> tuple[Example, ...]:
            return state.shared.examples(repository=state.only(asked.repository), cancelled=cancelled)

        return json_answer(ExamplesAnswer(await state.pool.run(request.receive, work)))

    @router.get("/repositories", response_model=RepositoriesAnswer, operation_id="repositories")
    async def repositories(request: Request) -> Response:
        """The repositories that requests can name, and the states of their indexes."""
        found = await state.pool.run(request.receive, lambda _: state.repositories())
        return json_answer(RepositoriesAnswer(state.version, state.shared.fetches_issues, found))

    @router.get("/status", response_model=StatusAnswer, operation_id="status")
    async def status(request: Request, asked: Annotated[StatusQuery, Query()]) -> Response:
        """What is indexed, how large the indexes are, and how busy the server is."""
        found = await state.pool.run(request.receive, lambda cancelled: state.statuses(asked.repository, cancelled))
        return json_answer(StatusAnswer(state.version, state.load(), found))

    @router.get("/reports", response_model=ReportsAnswer, operation_id="reports")
    async def reports(request: Request) -> Response:
        """Reports of evaluations, newest first."""
        return json_answer(ReportsAnswer(await state.pool.run(request.receive, lambda _: state.reports.entries())))

    @router.get("/reports/{name}", responses=_FILE, operation_id="report")
    async def report(request: Request, name: Annotated[str, Path(max_length=200)]) -> Response:
        """One report, as it was written."""
        return await state.pool.run(request.receive, lambda _: state.reports.answer(name))
