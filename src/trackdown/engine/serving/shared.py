"""Several repositories for the many threads of a server: named, kept up to date, and used by a few at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from trackdown.engine.indexing.read import OutOfDate
from trackdown.engine.repository import Repository
from trackdown.engine.searching.cancel import Check
from trackdown.engine.searching.merge import heard_with, merged, under_name
from trackdown.engine.serving.fair_queue import FairQueue, Load
from trackdown.engine.serving.served_repository import ServedRepository
from trackdown.errors import RepositoryError, StoreError, TooBusy, UnknownRepository, UsageError
from trackdown.graph.edges import EDGE_TYPES, HOWS, Direction, EdgeType, How
from trackdown.request import SearchRequest, request_of
from trackdown.settings import Settings, load_settings
from trackdown.types import (
    HistoryResults,
    IndexState,
    Progress,
    RepositoryStatus,
    SearchResults,
    SnapshotInfo,
    UnitSource,
    never,
    no_progress,
)

if TYPE_CHECKING:
    from trackdown.engine.navigation.neighbourhoods import Neighbourhood
    from trackdown.engine.navigation.related import Related

T = TypeVar("T")
Asked = Callable[[], bool]
_LONGEST_PATIENCE = 1.0
"""How long a call that has its turn waits for an update that became due since: others wait behind it."""
_SECONDS_TO_FINISH, _SECONDS_TO_STOP = 5.0, 3.0
_REPORT_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Place:
    """A repository that is served: the name that requests use, where it is, and how far its index is."""

    name: str
    root: str
    subfolder: str
    kind: str
    url: str | None
    state: IndexState


class SharedRepositories:
    """Repositories and folders by name. Every method may be called from any thread.

    `searches` run at once (0: one for each core, between two and four); `most_waiting` others wait in line, none longer
    than `longest_wait` seconds. Raises what is wrong with a place when it is opened; nothing is indexed before `start`.
    """

    def __init__(
        self,
        places: Sequence[str | os.PathLike[str]] = (),
        *,
        settings: Settings | None = None,
        searches: int = 0,
        most_waiting: int = 128,
        longest_wait: float = 10.0,
        live: bool = True,
    ) -> None:
        settings = settings or load_settings()
        at_once = searches or min(max(os.cpu_count() or 1, 2), 4)
        self._live = live
        self._stopping = False
        self._queue = FairQueue(at_once, most_waiting, longest_wait)
        self._most_inside = at_once + most_waiting
        self._inside: set[object] = set()
        self._places: dict[str, ServedRepository] = {}
        for where in places or ["."]:
            place = ServedRepository(os.fspath(where), settings, at_once)
            spot = (place.source.root, place.source.subfolder)
            if spot not in [(known.source.root, known.source.subfolder) for known in self._places.values()]:
                place.name = self._unique(place.name)
                self._places[place.name] = place

    def __enter__(self) -> SharedRepositories:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Index and watch in the background from now on. Returns at once."""
        if self._live:
            for place in self._places.values():
                place.start()

    def close(self) -> None:
        """Let running calls end, stop them if they do not, stop the background work and close everything."""
        if not self._queue.drain(_SECONDS_TO_FINISH):
            self._stopping = True
            self._queue.drain(_SECONDS_TO_STOP)
        self._stopping = True
        for place in self._places.values():
            if place.live is not None:
                place.live.stop()
        for place in self._places.values():
            place.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that requests may use, in the order of the places."""
        return tuple(self._places)

    def places(self) -> tuple[Place, ...]:
        """What is served."""
        return tuple(
            Place(name, str(at.source.root), at.source.subfolder, at.source.kind, at.source.url, self.state(name))
            for name, at in self._places.items()
        )

    def state(self, repository: str | None = None) -> IndexState:
        """How far the index of a repository is. Raises UnknownRepository."""
        live = self._only(repository).live
        return live.state if live is not None else IndexState()

    def languages(self, repository: str | None = None) -> dict[str, int]:
        """Language → number of files in the last whole index, most first. Raises UnknownRepository."""
        return dict(self.state(repository).languages)

    def load(self) -> Load:
        """How many calls run and wait."""
        return self._queue.load()

    def admit(self) -> None:
        """Raise TooBusy if no more calls are taken now. Cheap: a server can refuse a request without a thread."""
        if self._stopping:
            raise TooBusy("the server is stopping")
        if len(self._inside) >= self._most_inside:
            raise self._queue.too_busy(f"{len(self._inside)} requests are under way")

    def wait_ready(
        self,
        repository: str | None = None,
        seconds: float = 60.0,
        *,
        progress: Progress = no_progress,
        cancelled: Asked = never,
    ) -> bool:
        """Wait until there is a whole index, so long at the most. False when there is none, or it cannot be made."""
        place = self._only(repository)
        self._await(place, time.monotonic() + seconds, progress, self._check(cancelled))
        return self.state(place.name).ready

    def status(self, repository: str | None = None, *, wait: float = 1.0, cancelled: Asked = never) -> RepositoryStatus:
        """What the store holds for the present state of a repository."""
        place = self._only(repository)
        try:
            found = self._ask(place, Repository.status, wait=wait, progress=no_progress, cancelled=cancelled)
            return replace(found, repository=place.name)
        except _NotYet as error:
            return RepositoryStatus(
                place.name, place.source.kind, None, False, False, 0, 0, {}, {}, 0, 0, "", 0, (str(error),)
            )

    def search(
        self,
        query: str | SearchRequest,
        *,
        repository: str | None = None,
        early: Callable[[SearchResults], None] | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Asked = never,
        **options: Any,
    ) -> SearchResults:
        """As `Repository.search`; without a name, in all repositories together.

        `wait` is how many seconds to wait for a complete index; after that the answer comes from what is ready and is
        marked `partial`. `early` may be called several times, each time with a whole answer. Raises UnknownRepository,
        TooBusy, Cancelled, and what `Repository.search` raises.
        """
        request = request_of(query, options)
        until = time.monotonic() + wait
        answers: list[SearchResults] = []

        def stopped() -> bool:
            return self._stopping or cancelled()

        def ask(place: ServedRepository) -> SearchResults:
            hear = heard_with(early, answers, place.name, request.k)
            try:
                found = self._ask(
                    place,
                    lambda used: used.search(request, early=hear, cancelled=stopped, progress=progress),
                    wait=max(0.0, until - time.monotonic()),
                    progress=progress,
                    cancelled=cancelled,
                    at=request.at,
                )
            except _NotYet as error:
                found = SearchResults(request.query, request.level, (), notes=(str(error),), partial=True)
            return under_name(found, place.name)

        for answer, problem in self._each(repository, ask):
            if answer is not None:
                answers.append(answer)
            else:
                answers.append(SearchResults(request.query, request.level, (), notes=(problem,), partial=True))
        return merged(answers, request.k)

    def history(
        self,
        query: str,
        *,
        repository: str | None = None,
        k: int = 10,
        at: str | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Asked = never,
    ) -> HistoryResults:
        """As `Repository.history`; without a name, in all repositories together."""
        report = self._check(cancelled).progress(progress)

        def ask(place: ServedRepository) -> HistoryResults:
            try:
                found = self._ask(
                    place,
                    lambda used: used.history(query, k, at, progress=report),
                    wait=wait,
                    progress=progress,
                    cancelled=cancelled,
                    at=at,
                )
            except _NotYet as error:
                return HistoryResults(query, (), notes=(str(error),), partial=True)
            commits = tuple(replace(commit, repository=place.name) for commit in found.commits)
            return replace(found, commits=commits, snapshots=_under_name(found.snapshots, place.name))

        answers = [
            answer if answer is not None else HistoryResults(query, (), notes=(problem,), partial=True)
            for answer, problem in self._each(repository, ask)
        ]
        return answers[0] if len(answers) == 1 else _merged_history(answers, k)

    def related(
        self,
        location: str,
        *,
        repository: str | None = None,
        k: int = 10,
        at: str | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Asked = never,
    ) -> Related:
        """As `Repository.related`. Raises TooBusy as long as nothing is indexed yet."""
        place = self._only(repository)
        report = self._check(cancelled).progress(progress)
        found = self._ask(
            place,
            lambda used: used.related(location, k, at, progress=report),
            wait=wait,
            progress=progress,
            cancelled=cancelled,
            at=at,
        )
        similar = tuple(replace(result, repository=place.name) for result in found.similar)
        return replace(found, similar=similar, snapshots=_under_name(found.snapshots, place.name))

    def graph(
        self,
        target: str,
        *,
        repository: str | None = None,
        depth: int = 1,
        edges: Sequence[EdgeType] = EDGE_TYPES,
        direction: Direction = "both",
        hows: Sequence[How] = HOWS,
        at: str | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Asked = never,
    ) -> Neighbourhood:
        """As `Repository.graph`. Raises TooBusy as long as nothing is indexed yet."""
        place = self._only(repository)
        report = self._check(cancelled).progress(progress)
        found = self._ask(
            place,
            lambda used: used.graph(target, depth, edges, direction, hows, at, progress=report),
            wait=wait,
            progress=progress,
            cancelled=cancelled,
            at=at,
        )
        return replace(found, snapshots=_under_name(found.snapshots, place.name))

    def unit(
        self,
        path: str,
        *,
        repository: str | None = None,
        symbol: str | None = None,
        lines: tuple[int, int] | None = None,
        at: str | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Asked = never,
    ) -> UnitSource:
        """As `Repository.unit`. Raises TooBusy as long as nothing is indexed yet."""
        place = self._only(repository)
        report = self._check(cancelled).progress(progress)
        found = self._ask(
            place,
            lambda used: used.unit(path, symbol, lines, at, progress=report),
            wait=wait,
            progress=progress,
            cancelled=cancelled,
            at=at,
        )
        return replace(found, repository=place.name, snapshots=_under_name(found.snapshots, place.name))

    # How a call gets a repository

    def _unique(self, name: str) -> str:
        number = 1
        while (found := name if number == 1 else f"{name}-{number}") in self._places:
            number += 1
        return found

    def _only(self, repository: str | None) -> ServedRepository:
        """The place of a name, or the only one."""
        if repository is None:
            if len(self._places) > 1:
                raise UsageError(f"there are several repositories, name one of them: {', '.join(self._places)}")
            return next(iter(self._places.values()))
        place = self._places.get(repository)
        if place is None:
            raise UnknownRepository(f"there is no repository {repository!r} here; there are {', '.join(self._places)}")
        return place

    def _each(self, repository: str | None, ask: Callable[[ServedRepository], T]) -> Iterator[tuple[T | None, str]]:
        """The answers of all places, or of the one that is named. One of several may fail: then it is told why."""
        if repository is not None or len(self._places) == 1:
            yield ask(self._only(repository)), ""
            return
        failed: list[RepositoryError] = []
        for place in self._places.values():
            try:
                yield ask(place), ""
            except RepositoryError as error:
                failed.append(error)
                if len(failed) == len(self._places):
                    raise
                yield None, f"{place.name}: {error}"

    def _check(self, cancelled: Asked) -> Check:
        return Check(lambda: self._stopping or cancelled())

    def _ask(
        self,
        place: ServedRepository,
        work: Callable[[Repository], T],
        *,
        wait: float,
        progress: Progress,
        cancelled: Asked,
        at: str | None = None,
    ) -> T:
        """Let a repository work, when it is this call's turn. A call that waits for an update gives its turn back.

        A state in the past is built by the call that asks for it. Raises TooBusy, _NotYet and Cancelled.
        """
        self.admit()
        me = object()
        self._inside.add(me)
        try:
            until = time.monotonic() + wait
            check = self._check(cancelled)
            while True:
                self._await(place, until, progress, check)
                with self._queue.turn(lambda: self._stopping or cancelled()):
                    check()
                    left = max(0.0, until - time.monotonic())
                    try:
                        with _not_yet(place), place.lent(min(left, _LONGEST_PATIENCE)) as repository:
                            return work(repository)
                    except OutOfDate:
                        pass
                if place.live is None or not place.live.bring_up_to_date(left, check.progress(progress)):
                    until = 0.0  # it failed, or time is up: what is ready has to do
        finally:
            self._inside.discard(me)

    def _await(self, place: ServedRepository, until: float, progress: Progress, check: Check) -> None:
        """Wait for a first index, or for a long update that is under way; it takes no turn."""
        live = place.live
        while live is not None and (left := until - time.monotonic()) > 0:
            check()
            state = live.state
            first = not state.ready and not state.problem
            if not first and not (state.phase == "indexing" and state.step not in ("", "look")):
                return
            if state.step:
                progress(state.step, state.done, state.total)
            live.wait_for_news(min(left, _REPORT_SECONDS))


class _NotYet(TooBusy):
    """Nothing is known of a place yet."""


@contextmanager
def _not_yet(place: ServedRepository) -> Iterator[None]:
    """Tell that nothing is known of a place yet from other reasons to be too busy. Raises StoreError where that will
    not change by itself.
    """
    try:
        yield
    except OutOfDate:
        raise
    except TooBusy as error:
        problem = place.live.problem() if place.live is not None else ""
        if problem:
            raise StoreError(problem) from None
        raise _NotYet(str(error), error.retry_after) from None


def _under_name(snapshots: Sequence[SnapshotInfo], name: str) -> tuple[SnapshotInfo, ...]:
    return tuple(replace(info, repository=name) for info in snapshots)


def _merged_history(answers: Sequence[HistoryResults], k: int) -> HistoryResults:
    commits = sorted(
        (commit for answer in answers for commit in answer), key=lambda commit: (-commit.score, commit.rank)
    )
    return HistoryResults(
        answers[0].query,
        tuple(replace(commit, rank=rank) for rank, commit in enumerate(commits[:k], 1)),
        tuple(info for answer in answers for info in answer.snapshots),
        tuple(dict.fromkeys(note for answer in answers for note in answer.notes)),
        any(answer.partial for answer in answers),
    )
