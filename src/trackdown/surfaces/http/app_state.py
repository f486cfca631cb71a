"""What the routes share: the repositories, the threads that search them, and the answers about the server itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from starlette.requests import Request

from trackdown.engine import SharedRepositories
from trackdown.errors import Cancelled, QueryError, TooBusy, TrackdownError, UnknownRepository, UsageError
from trackdown.surfaces.http.metrics import Metrics
from trackdown.surfaces.http.problems import HttpProblem
from trackdown.surfaces.http.reports import Reports
from trackdown.surfaces.http.request_models import SearchParameters
from trackdown.surfaces.http.request_pool import RequestPool
from trackdown.surfaces.http.response_models import IndexingProgress, LoadEntry, RepositoryEntry, StatusEntry
from trackdown.types import IndexState, Progress, RepositoryStatus, SearchResults, never, no_progress

T = TypeVar("T")
_NAMED = 20


@dataclass(frozen=True, slots=True)
class AppState:
    """Everything that a server has. `shows_roots`: clients are on this machine and may see where repositories are."""

    shared: SharedRepositories
    pool: RequestPool
    metrics: Metrics
    reports: Reports
    version: str
    shows_roots: bool

    def only(self, name: str | None) -> str | None:
        """Check the name in a request that is for one repository. Raises HttpProblem and UnknownRepository.

        For threads of the pool: the names of a fleet may have to be read from its place.
        """
        names = self.shared.names
        if name is None and len(names) > 1:
            raise HttpProblem(422, "invalid", f"repository: name one of {_listed(names)}")
        if name is not None and name not in names:
            raise UnknownRepository(f"there is no repository {name[:100]!r} here: there are {_listed(names)}")
        return name

    def search(
        self,
        asked: SearchParameters,
        cancelled: Callable[[], bool] = never,
        early: Callable[[SearchResults], None] | None = None,
        progress: Progress = no_progress,
    ) -> SearchResults:
        """Search, and count it."""
        request, issue = asked.as_request(), None
        if asked.issue is not None:
            issue = self.shared.issue(asked.issue, repository=asked.repository, comments=asked.comments)
            request = replace(request, query=issue.text)
        answer = self.shared.search(
            request,
            repository=asked.repository,
            groups=asked.groups,
            early=early,
            progress=progress,
            cancelled=cancelled,
        )
        self.metrics.searched(
            answer.level, request.effort or self.shared.settings.effort, answer.partial, answer.timings_ms
        )
        return answer if issue is None else issue.noted(answer)

    def repositories(self) -> list[RepositoryEntry]:
        """List the repositories with the states of their indexes. Reads no file of them. For threads, as `only`."""
        found = []
        for served in self.shared.places():
            state = served.state
            shows_root = self.shows_roots and served.kind != "bare" and served.url is None
            found.append(
                RepositoryEntry(
                    name=served.name,
                    kind=served.kind,
                    root=served.root if shows_root else None,
                    subfolder=served.subfolder,
                    url=None if served.url is None else without_secrets(served.url),
                    phase=state.phase,
                    ready=state.ready,
                    indexing=_indexing(state),
                    commit=state.commit,
                    files=state.files,
                    units=state.units,
                    languages=dict(state.languages),
                    problem=state.problem,
                )
            )
        return found

    def load(self) -> LoadEntry:
        """How busy the engine's queue is."""
        load = self.shared.load()
        return LoadEntry(load.running, load.waiting, load.most_waiting)

    def statuses(self, name: str | None, cancelled: Callable[[], bool]) -> list[StatusEntry]:
        """Describe the index of one repository or of all. One that can't be read says so and hides no other.

        Raises UnknownRepository, TooBusy and Cancelled.
        """
        return [self._status(one, cancelled) for one in ([name] if name is not None else self.shared.names)]

    def _status(self, name: str, cancelled: Callable[[], bool]) -> StatusEntry:
        state = self.shared.state(name)
        problem = state.problem
        try:
            status = self.shared.status(name, cancelled=cancelled)
        except (TooBusy, Cancelled):
            raise
        except TrackdownError as error:
            problem = " ".join(str(error).split())
            status = RepositoryStatus(name, "unreadable", state.commit, False, False, 0, 0, {}, {}, 0, 0, "", 0)
        return StatusEntry(
            repository=name,
            kind=status.kind,
            commit=status.commit,
            dirty=status.dirty,
            ready=status.ready,
            files=status.files,
            units=status.units,
            languages=dict(status.languages),
            excluded=dict(status.excluded),
            commits=status.commits,
            index_bytes=status.index_bytes,
            store_bytes=status.store_bytes,
            notes=status.notes,
            phase=state.phase,
            indexing=_indexing(state),
            watching=state.watching,
            updates=state.updates,
            updated_at=state.updated_at,
            problem=problem,
            deep=status.deep,
        )


def _indexing(state: IndexState) -> IndexingProgress | None:
    return IndexingProgress(state.step, state.done, state.total) if state.step else None


def as_search(answer: SearchResults, **more: Any) -> dict[str, Any]:
    """Return the JSON of a search, as the command line writes it."""
    return {
        **more,
        "query": answer.query,
        "level": answer.level,
        "partial": answer.partial,
        "notes": answer.notes,
        "snapshots": answer.snapshots,
        "timings_ms": dict(answer.timings_ms),
        "confidence": answer.confidence,
        "deep": answer.deep,
        "results": answer.results,
        **({"llm": dict(answer.llm)} if answer.llm else {}),
    }


def found_or_missing(work: Callable[[], T]) -> T:
    """Do work on checked input, for which a UsageError means that nothing is there. Raises HttpProblem (404)."""
    try:
        return work()
    except (QueryError, UnknownRepository):
        raise
    except UsageError as error:
        raise HttpProblem(404, "unknown-path", str(error)) from None


def _listed(names: Sequence[str]) -> str:
    """Names for a message: a fleet may have thousands."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def exactly(request: Request, name: str, decoded: str) -> str:
    """Return a parameter with bytes that are not UTF-8 kept as lone surrogates: file names may hold them."""
    if "\ufffd" not in decoded:
        return decoded
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), True, errors="surrogateescape")
    return next((value for key, value in reversed(pairs) if key == name), decoded)


def without_secrets(url: str) -> str:
    """Return a URL without user name, password and query."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="")) if parts.netloc else url
