"""The routes about the past: commits, one commit with its diff, and who wrote a line."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from trackdown.engine import Blame, CommitReport
from trackdown.surfaces.http.app_state import AppState, exactly, found_or_missing
from trackdown.surfaces.http.json_response import json_answer
from trackdown.surfaces.http.request_models import BlameQuery, HistoryQuery, ShowQuery
from trackdown.surfaces.http.request_pool import Cancelled
from trackdown.types import HistoryResults


def add_past(router: APIRouter, state: AppState) -> None:
    """Add them."""
    shared = state.shared

    @router.get("/history", response_model=HistoryResults, operation_id="history")
    async def history(request: Request, asked: Annotated[HistoryQuery, Query()]) -> Response:
        """Past commits similar to a query, with the files they touched under their present names, or the latest."""
        answer = await state.pool.run(
            request.receive,
            lambda cancelled: shared.history(
                asked.query,
                repository=asked.repository,
                k=asked.k,
                at=asked.at,
                exclude=asked.exclude,
                limits=asked.limits(),
                cancelled=cancelled,
            ),
        )
        fields = ("query", "partial", "notes", "snapshots", "commits")
        return json_answer({field: getattr(answer, field) for field in fields})

    @router.get("/show", response_model=CommitReport, operation_id="show")
    async def show(request: Request, asked: Annotated[ShowQuery, Query()]) -> Response:
        """A commit: its message, its diff, the units it changed, the issues it names, and similar commits."""

        def work(cancelled: Cancelled) -> CommitReport:
            return shared.show(
                asked.commit,
                repository=state.only(asked.repository),
                lines=asked.lines,
                path=asked.path,
                at=asked.at,
                cancelled=cancelled,
            )

        return json_answer(await state.pool.run(request.receive, work))

    @router.get("/blame", response_model=Blame, operation_id="blame")
    async def blame(request: Request, asked: Annotated[BlameQuery, Query()]) -> Response:
        """Who last changed some lines, when, in which commit, and the issues that it names."""
        target = exactly(request, "target", asked.target)

        def work(cancelled: Cancelled) -> Blame:
            name = state.only(asked.repository)
            return found_or_missing(lambda: shared.blame(target, repository=name, at=asked.at, cancelled=cancelled))

        return json_answer(await state.pool.run(request.receive, work))
