"""What the routes share: the repositories, the threads that search them, and how answers are put into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from starlette.requests import Request

from trackdown.engine import SharedRepositories
from trackdown.errors import Cancelled, QueryError, TooBusy, TrackdownError, UnknownRepository, UsageError
from trackdown.request import SearchRequest
from trackdown.surfaces.http.asked import SearchBody
from trackdown.surfaces.http.crew import Cancel, Crew
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import Problem
from trackdown.surfaces.http.reports import Reports
from trackdown.types import IndexState, Progress, RepositoryStatus, SearchResults, no_progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that a server has. `tells_roots`: clients are on this machine and may know where repositories are."""

    shared: SharedRepositories
    crew: Crew
    metrics: Metrics
    reports: Reports
    version: str
    tells_roots: bool

    def known(self, name: str | None, *, one: bool = False) -> str | None:
        """Check a repository's name, before anything waits for its turn. Raises UnknownRepository and Problem.

        `one`: the request is for one repository, so with several its name must be given.
        """
        names = self.shared.names
        if name is None and one and len(names) > 1:
            raise Problem(422, "invalid", f"repository: name one of {', '.join(names)}")
        if name is not None and name not in names:
            raise UnknownRepository(f"there is no repository {name[:100]!r} here: there are {', '.join(names)}")
        return name

    async def ask(self, request: Request, work: Callable[[Cancel], T]) -> T:
        """Let a thread work for a request."""
        return await self.crew.run(request.receive, work)

    def search(
        self,
        body: SearchBody,
        cancel: Cancel,
        early: Callable[[SearchResults], None] | None = None,
        progress: Progress = no_progress,
    ) -> SearchResults:
        """Search, and count it."""
        request = SearchRequest(
            body.query,
            k=body.k,
            level=body.level,
            at=body.at,
            effort=body.effort,
            tests=body.tests,
            budget=body.budget,
            depth=body.depth,
            rerank=body.rerank,
            languages=tuple(body.languages),
            folder=body.folder,
        )
        answer = self.shared.search(
            request, repository=body.repository, early=early, progress=progress, cancelled=cancel
        )
        self.metrics.searched(body.level, body.effort, answer.partial, answer.timings_ms)
        return answer

    def repositories(self) -> list[dict[str, Any]]:
        """Every repository with the state of its index. Looks at no file."""
        found = []
        for place in self.shared.places():
            state = place.state
            found.append(
                {
                    "name": place.name,
                    "kind": place.kind,
                    "root": place.root if self.tells_roots and place.kind != "bare" and place.url is None else None,
                    "subfolder": place.subfolder,
                    "url": None if place.url is None else without_secrets(place.url),
                    "phase": state.phase,
                    "ready": state.ready,
                    "indexing": indexing(state),
                    "commit": state.commit,
                    "files": state.files,
                    "units": state.units,
                    "languages": dict(state.languages),
                    "problem": state.problem,
                }
            )
        return found

    def statuses(self, name: str | None, cancel: Cancel) -> list[dict[str, Any]]:
        """What is indexed of one or of every repository. One that cannot be looked at says so, and hides no other.

        Raises TooBusy and Cancelled, which say nothing of a repository.
        """
        return [self._status(one, cancel) for one in ([name] if name is not None else self.shared.names)]

    def _status(self, name: str, cancel: Cancel) -> dict[str, Any]:
        state = self.shared.state(name)
        problem = state.problem
        try:
            status = self.shared.status(name, cancelled=cancel)
        except (TooBusy, Cancelled):
            raise
        except TrackdownError as error:
            problem = " ".join(str(error).split())
            status = RepositoryStatus(name, "unreadable", state.commit, False, False, 0, 0, {}, {}, 0, 0, "", 0)
        return {
            "repository": name,
            "kind": status.kind,
            "commit": status.commit,
            "dirty": status.dirty,
            "ready": status.ready,
            "files": status.files,
            "units": status.units,
            "languages": dict(status.languages),
            "excluded": dict(status.excluded),
            "commits": status.commits,
            "index_bytes": status.index_bytes,
            "store_bytes": status.store_bytes,
            "notes": status.notes,
            "phase": state.phase,
            "indexing": indexing(state),
            "watching": state.watching,
            "updates": state.updates,
            "updated_at": state.updated_at,
            "problem": problem,
        }


def indexing(state: IndexState) -> dict[str, Any] | None:
    """How far indexing is; None when it is not going on."""
    if not state.step:
        return None
    return {"step": state.step, "done": state.done, "total": state.total}


def as_search(answer: SearchResults, **more: Any) -> dict[str, Any]:
    """The JSON of a search, as the command line has it."""
    return {
        **more,
        "query": answer.query,
        "level": answer.level,
        "partial": answer.partial,
        "notes": answer.notes,
        "snapshots": answer.snapshots,
        "timings_ms": dict(answer.timings_ms),
        "results": answer.results,
        **({"llm": dict(answer.llm)} if answer.llm else {}),
    }


def found_or_missing(work: Callable[[], T]) -> T:
    """Do work whose input was checked: what it still cannot use is a place that is not there. Raises Problem (404)."""
    try:
        return work()
    except (QueryError, UnknownRepository):
        raise
    except UsageError as error:
        raise Problem(404, "unknown-path", " ".join(str(error).split())) from None


def exactly(request: Request, name: str, decoded: str) -> str:
    """A parameter with the bytes that are no text kept (as lone surrogates), for names of files that are none."""
    if "\ufffd" not in decoded:
        return decoded
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), True, errors="surrogateescape")
    return next((value for key, value in reversed(pairs) if key == name), decoded)


def without_secrets(url: str) -> str:
    """A URL without the name and password that may stand in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="")) if parts.netloc else url
