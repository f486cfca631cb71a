"""Several repositories for the threads of a server: named, kept up to date, and lent to a few calls at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from trackdown.engine.indexing.read import OutOfDate
from trackdown.engine.repository import Repository
from trackdown.engine.serving.calls import Call, CallOptions, told_apart
from trackdown.engine.serving.deep_keeper import DeepKeeper
from trackdown.engine.serving.fair_queue import FairQueue, Load
from trackdown.engine.serving.served_repository import ServedRepository
from trackdown.errors import RepositoryError, TooBusy, UnknownRepository, UsageError
from trackdown.index import share_heaps
from trackdown.models import NONE
from trackdown.settings import Settings, load_settings
from trackdown.store import Store
from trackdown.types import IndexState

if TYPE_CHECKING:
    from trackdown.engine.issues.fetch_issue import IssueText

T = TypeVar("T")
_LONGEST_PATIENCE = 1.0
"""How long a call that has its turn waits for an update. Not long, because others are waiting for the turn."""
_SECONDS_TO_FINISH, _SECONDS_TO_STOP = 5.0, 3.0


@dataclass(frozen=True, slots=True)
class ServedInfo:
    """A served repository: the name for requests, its location, the state of its index, and why its deep index could
    not be completed, if so.
    """

    name: str
    root: str
    subfolder: str
    kind: str
    url: str | None
    state: IndexState
    deep_problem: str = ""


class NamedRepositories:
    """Repositories and folders by name. Every method may be called from any thread.

    `searches` run at once (0: one for each core, between two and four); up to `most_waiting` others queue, each for at
    most `longest_wait` seconds. With `fetch_issues`, issues can be named; otherwise nothing is fetched. Opening raises
    what `trackdown.open` raises; nothing is indexed before `start`.
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
        fetch_issues: bool = False,
    ) -> None:
        share_heaps()
        settings = settings or load_settings()
        self.fetches_issues = fetch_issues
        self.settings = settings
        at_once = searches or min(max(os.cpu_count() or 1, 2), 4)
        self._live = live
        self._stopping = False
        self._queue = FairQueue(at_once, most_waiting, longest_wait)
        self._most_inside = at_once + most_waiting
        self._inside: set[object] = set()
        self._last_call = time.monotonic()
        self._deep = DeepKeeper(self._quiet) if settings.deep and settings.models != NONE else None
        self._at_once = at_once
        self._served: dict[str, ServedRepository] = {}
        self._open(places, settings)

    def _open(self, places: Sequence[str | os.PathLike[str]], settings: Settings) -> None:
        """Open the places, or the current folder."""
        for where in places or ["."]:
            place = ServedRepository(os.fspath(where), settings, self._at_once)
            spot = (place.source.root, place.source.subfolder)
            if spot not in [(known.source.root, known.source.subfolder) for known in self._served.values()]:
                place.name = self._unique(place.name)
                self._served[place.name] = place

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start to index and watch in the background. Returns immediately."""
        if self._live:
            for place in self._served.values():
                place.start()
            if self._deep is not None:
                self._deep.start([place.deep_target() for place in self._served.values()])

    def close(self) -> None:
        """Wait for running calls, cancel them if they take too long, stop the background work and close everything."""
        if self._deep is not None:
            self._deep.close()
        if not self._queue.drain(_SECONDS_TO_FINISH):
            self._stopping = True
            self._queue.drain(_SECONDS_TO_STOP)
        self._stopping = True
        for place in self._served.values():
            if place.live is not None:
                place.live.stop()
        for place in self._served.values():
            place.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names for requests, in the order of the places."""
        return tuple(self._served)

    def places(self) -> tuple[ServedInfo, ...]:
        """The served repositories."""
        return tuple(
            ServedInfo(
                name,
                str(at.source.root),
                at.source.subfolder,
                at.source.kind,
                at.source.url,
                self.state(name),
                at.deep_problem,
            )
            for name, at in self._served.items()
        )

    def state(self, repository: str | None = None) -> IndexState:
        """The state of a repository's index. Raises UnknownRepository."""
        live = self._only(repository).live
        return live.state if live is not None else IndexState()

    def issue(self, name: str, *, repository: str | None = None, comments: bool = False) -> IssueText:
        """As `Repository.issue`, but only for issues of the served repositories: a token may open more than a client of
        this server should see. Raises UsageError if nothing is to be fetched.
        """
        from trackdown.engine.issues.fetch_issue import fetch_issue

        if not self.fetches_issues:
            raise UsageError("this server fetches no issues: give the issue's text, or start it with --fetch-issues")
        served = list(self._served.values()) if repository is None else [self._only(repository)]
        with closing(Store(self.settings.store)) as store:
            return fetch_issue([one.source for one in served], store, name, comments=comments, only_own=True)

    def languages(self, repository: str | None = None) -> dict[str, int]:
        """Language → number of files in the last complete index, most first. Raises UnknownRepository."""
        return dict(self.state(repository).languages)

    def load(self) -> Load:
        """How many calls are running and waiting."""
        return self._queue.load()

    def admit(self) -> None:
        """Raise TooBusy if no more calls are accepted. Cheap: a server can refuse a request without a thread."""
        if self._stopping:
            raise TooBusy("the server is stopping")
        if len(self._inside) >= self._most_inside:
            raise self._queue.too_busy(f"{len(self._inside)} requests are running or waiting")

    def wait_ready(self, repository: str | None = None, seconds: float = 60.0, **call: Unpack[CallOptions]) -> bool:
        """Wait up to `seconds` for a complete index. Returns whether there is one."""
        served = self._only(repository)
        call["wait"] = seconds
        Call(lambda: self._stopping, call).await_index(served)
        return self.state(served.name).ready

    # How a call gets a repository

    def _quiet(self) -> float:
        """For how many seconds nothing was asked."""
        return 0.0 if self._inside else time.monotonic() - self._last_call

    def _unique(self, name: str) -> str:
        number = 1
        while (found := name if number == 1 else f"{name}-{number}") in self._served:
            number += 1
        return found

    def _only(self, repository: str | None) -> ServedRepository:
        """The repository of a name, or the only one."""
        if repository is None:
            if len(self._served) > 1:
                raise UsageError(f"several repositories are served, name one of them: {', '.join(self._served)}")
            return next(iter(self._served.values()))
        served = self._served.get(repository)
        if served is None:
            raise UnknownRepository(f"unknown repository {repository!r}; known are {', '.join(self._served)}")
        return served

    def _each(self, repository: str | None, ask: Callable[[ServedRepository], T]) -> Iterator[tuple[T | None, str]]:
        """The answers of all repositories, or of the named one. If one of several fails, yields None and the reason."""
        if repository is not None or len(self._served) == 1:
            yield ask(self._only(repository)), ""
            return
        failed: list[RepositoryError] = []
        for place in self._served.values():
            try:
                yield ask(place), ""
            except RepositoryError as error:
                failed.append(error)
                if len(failed) == len(self._served):
                    raise
                yield None, f"{place.name}: {error}"

    def _ask(self, served: ServedRepository, work: Callable[[Repository, Call], T], options: CallOptions) -> T:
        """Run `work` on a repository when it is this call's turn. A call that waits for an update gives up its turn.

        Raises TooBusy, NotIndexedYet and Cancelled.
        """
        self.admit()
        call = Call(lambda: self._stopping, options)
        self._inside.add(call)
        try:
            while True:
                call.await_index(served)
                with self._queue.turn(call.cancelled, call.came_at):
                    call.check()
                    try:
                        with told_apart(served), served.lent(min(call.left, _LONGEST_PATIENCE)) as repository:
                            return work(repository, call)
                    except OutOfDate:
                        pass
                if served.live is None or not served.live.bring_up_to_date(call.left, call.report):
                    call.until = 0.0  # it failed, or time is up: use the index that is ready
        finally:
            self._last_call = time.monotonic()
            self._inside.discard(call)
