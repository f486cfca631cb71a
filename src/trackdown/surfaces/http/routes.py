"""The routes of the API, all under /v1."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from starlette.responses import Response

from trackdown.engine import EDGE_TYPES, HOWS
from trackdown.surfaces.drawing.coordinates import coordinates_of
from trackdown.surfaces.drawing.document import as_document
from trackdown.surfaces.http import answers
from trackdown.surfaces.http.asked import (
    GraphAsked,
    HistoryAsked,
    RelatedAsked,
    SearchAsked,
    SearchBody,
    StatusAsked,
    UnitAsked,
)
from trackdown.surfaces.http.crew import Cancel
from trackdown.surfaces.http.desk import Desk, as_search, exactly, found_or_missing
from trackdown.surfaces.http.problems import MEDIA_TYPE as PROBLEM
from trackdown.surfaces.http.problems import Problem
from trackdown.surfaces.http.reports import MEDIA_TYPES
from trackdown.surfaces.http.streams import MEDIA_TYPE as EVENTS
from trackdown.surfaces.http.streams import Channel, EventStream
from trackdown.surfaces.http.written import MEDIA_TYPE as JSON
from trackdown.surfaces.http.written import json_answer

_STATUSES = {
    400: "The request cannot be read.",
    401: "The token is missing or wrong.",
    403: "A page of another site asked.",
    404: "There is no such repository, revision, place or address.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not answer to this name.",
    422: "A parameter cannot be what it is, or the query holds nothing to search for.",
    429: "Too many requests: see Retry-After.",
    500: "Something went wrong.",
    503: "Too much to do, or the repository or the store cannot be used now: see Retry-After.",
    507: "The disk is full.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}}
    for status, text in _STATUSES.items()
}
"""What every route may answer instead."""
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
        "description": "Events: `progress` {step, done, total}, `results` (a search's answer with `stage` fast or "
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


def api(desk: Desk) -> APIRouter:
    """All routes, at one desk."""
    router = APIRouter(prefix="/v1", responses=PROBLEMS, default_response_class=Response)
    _searching(router, desk)
    _looking(router, desk)
    _telling(router, desk)
    return router


def _searching(router: APIRouter, desk: Desk) -> None:
    async def search(request: Request, body: SearchBody) -> Response:
        desk.known(body.repository)
        return json_answer(as_search(await desk.ask(request, lambda cancel: desk.search(body, cancel))))

    @router.get("/search", response_model=answers.SearchAnswer, operation_id="search")
    async def search_by_address(request: Request, asked: Annotated[SearchAsked, Query()]) -> Response:
        """Rank functions, classes or files for an issue, a question or a name."""
        return await search(request, asked.as_body())

    @router.post("/search", response_model=answers.SearchAnswer, operation_id="search_issue")
    async def search_by_body(request: Request, asked: Annotated[SearchBody, Body()]) -> Response:
        """Rank functions, classes or files for an issue, a question or a name, which may be long."""
        return await search(request, asked)

    @router.post("/search/stream", responses=_STREAM, operation_id="search_stream")
    async def stream(request: Request, asked: Annotated[SearchBody, Body()]) -> Response:
        """Search, and tell what is known as it comes: the fast stages' results first, then what models make of them."""
        desk.known(asked.repository)
        channel = Channel()

        def work(cancel: Cancel) -> None:
            answer = desk.search(
                asked, cancel, lambda found: channel.tell("results", as_search(found, stage="fast")), channel.progress
            )
            channel.tell("results", as_search(answer, stage="final"))

        future, cancel = desk.crew.begin(work)
        future.add_done_callback(channel.finish)
        first = await channel.first()
        if isinstance(first, Problem):
            raise first
        return EventStream(channel, first, cancel, desk.metrics)


def _looking(router: APIRouter, desk: Desk) -> None:
    @router.get("/history", response_model=answers.HistoryAnswer, operation_id="history")
    async def history(request: Request, asked: Annotated[HistoryAsked, Query()]) -> Response:
        """Past commits like a query, with the files they touched under their present names."""
        name = desk.known(asked.repository)
        answer = await desk.ask(
            request,
            lambda cancel: desk.shared.history(asked.query, repository=name, k=asked.k, at=asked.at, cancelled=cancel),
        )
        fields = ("query", "partial", "notes", "snapshots", "commits")
        return json_answer({field: getattr(answer, field) for field in fields})

    @router.get("/related", response_model=answers.RelatedAnswer, operation_id="related")
    async def related(request: Request, asked: Annotated[RelatedAsked, Query()]) -> Response:
        """Code near a place: what calls it, what it calls, what reads alike, what changed together with it."""
        name = desk.known(asked.repository, one=True)
        location = exactly(request, "location", asked.location)
        return json_answer(
            await desk.ask(
                request,
                lambda cancel: found_or_missing(
                    lambda: desk.shared.related(location, repository=name, k=asked.k, at=asked.at, cancelled=cancel)
                ),
            )
        )

    @router.get("/graph", response_model=answers.GraphAnswer, operation_id="graph")
    async def graph(request: Request, asked: Annotated[GraphAsked, Query()]) -> Response:
        """What contains, imports, calls and inherits from a place, and the other way round."""
        name = desk.known(asked.repository, one=True)
        target = exactly(request, "target", asked.target)

        def work(cancel: Cancel) -> dict[str, Any]:
            answer = found_or_missing(
                lambda: desk.shared.graph(
                    target, repository=name, depth=asked.depth, edges=tuple(asked.edges) or EDGE_TYPES,
                    direction=asked.direction, hows=tuple(asked.how) or HOWS, at=asked.at, cancelled=cancel,
                )
            )  # fmt: skip
            return {
                **as_document(answer),
                "partial": answer.partial,
                "drawing": coordinates_of(answer) if asked.drawing else None,
            }

        return json_answer(await desk.ask(request, work))

    @router.get("/unit", response_model=answers.UnitAnswer, operation_id="unit")
    async def unit(request: Request, asked: Annotated[UnitAsked, Query()]) -> Response:
        """The source of a class or function, of some lines, or of a whole file. Only what is indexed can be read."""
        name = desk.known(asked.repository, one=True)
        path = exactly(request, "path", asked.path)
        return json_answer(
            await desk.ask(
                request,
                lambda cancel: found_or_missing(
                    lambda: desk.shared.unit(
                        path, repository=name, symbol=asked.symbol, lines=asked.span(), at=asked.at, cancelled=cancel
                    )
                ),
            )
        )


def _telling(router: APIRouter, desk: Desk) -> None:
    @router.get("/repositories", response_model=answers.RepositoriesAnswer, operation_id="repositories")
    async def repositories() -> Response:
        """Which repositories can be named, and how far their indexes are."""
        return json_answer({"version": desk.version, "repositories": desk.repositories()})

    @router.get("/status", response_model=answers.StatusAnswer, operation_id="status")
    async def status(request: Request, asked: Annotated[StatusAsked, Query()]) -> Response:
        """What is indexed and how large it is, and how much the server has to do."""
        name = desk.known(asked.repository)
        found = await desk.ask(request, lambda cancel: desk.statuses(name, cancel))
        return json_answer({"version": desk.version, "load": desk.crew.load(), "repositories": found})

    @router.get("/reports", response_model=answers.ReportsAnswer, operation_id="reports")
    async def reports(request: Request) -> Response:
        """Reports of evaluations, newest first."""
        return json_answer({"reports": await desk.ask(request, lambda cancel: desk.reports.entries())})

    @router.get("/reports/{name}", responses=_FILE, operation_id="report")
    async def report(request: Request, name: Annotated[str, Path(max_length=200)]) -> Response:
        """One report, as it was written."""
        return await desk.ask(request, lambda cancel: desk.reports.answer(name))
