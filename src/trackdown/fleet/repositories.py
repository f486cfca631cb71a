"""A fleet as servers and commands ask it: any question about one repository, and searches across all of them."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from trackdown.engine import (
    Call,
    CallOptions,
    Repository,
    ServedInfo,
    ServedRepository,
    SharedRepositories,
    checked_languages,
    heard_with,
    merged,
    merged_history,
    under_name,
)
from trackdown.errors import FleetError, RepositoryError, StoreError, UsageError
from trackdown.fleet.manifest import PublishedShard
from trackdown.fleet.notes import looked_into, shown
from trackdown.fleet.reader import FleetReader
from trackdown.fleet.weighing import of_a_part, overall, repository_shares, weighed
from trackdown.query import Query, understand
from trackdown.request import SearchRequest, request_of
from trackdown.settings import Settings
from trackdown.types import Effort, IndexState, Progress, RepositoryStatus, SearchResults, never, no_progress
from trackdown.units import words

if TYPE_CHECKING:
    from trackdown.engine import HistoryLimits, IssueText
    from trackdown.types import HistoryResults

T = TypeVar("T")
LOOKED_INTO: dict[Effort, int] = {"fast": 5, "balanced": 4, "thorough": 8}
"""How many repositories a search looks into, by its effort."""
MOST_LOOKED_INTO = 100
_MOST_OPEN = 24


@dataclass(frozen=True, slots=True)
class FleetSearch:
    """What a search of a fleet may say beyond a request: only some repositories, and how many to look into."""

    only: tuple[str, ...] = ()
    look_into: int | None = None

    def __post_init__(self) -> None:
        if self.look_into is not None and not 1 <= self.look_into <= MOST_LOOKED_INTO:
            raise UsageError(f"a search looks into 1 to {MOST_LOOKED_INTO} repositories, not {self.look_into}")


class FleetRepositories(SharedRepositories):
    """The repositories that a reader sees. They are opened when they are needed; the latest ones stay open."""

    def __init__(self, reader: FleetReader, settings: Settings, **options: Any) -> None:
        self._reader = reader
        self._lent: OrderedDict[tuple[str, str], ServedRepository] = OrderedDict()
        self._opening = threading.Lock()
        super().__init__((), settings=replace(settings, deep=False), live=False, **options)

    def _open(self, places: Sequence[str | os.PathLike[str]], settings: Settings) -> None:
        """Nothing is opened before it is asked."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names for requests."""
        return tuple(self._reader.published())

    def places(self) -> tuple[ServedInfo, ...]:
        """The repositories as they are published."""
        return tuple(ServedInfo(name, "", "", "bare", None, self.state(name)) for name in self._reader.published())

    def state(self, repository: str | None = None) -> IndexState:
        """What is published of a repository. Raises UnknownRepository."""
        found = self._reader.find(self._named(repository))
        built = found.built
        return IndexState(
            "ready",
            True,
            commit=built.commit,
            files=built.files,
            units=built.units,
            languages=built.languages,
            updates=1,
            updated_at=found.published_at,
        )

    def status(self, repository: str | None = None, **call: Unpack[CallOptions]) -> RepositoryStatus:
        """Describe what is published of a repository. Opens nothing. Raises UnknownRepository."""
        name = self._named(repository)
        built = self._reader.find(name).built
        return RepositoryStatus(
            name,
            "bare",
            built.commit,
            ready=True,
            files=built.files,
            units=built.units,
            languages=built.languages,
            commits=built.commits,
            index_bytes=built.shard_bytes,
        )

    def issue(self, name: str, *, repository: str | None = None, comments: bool = False) -> IssueText:
        """A fleet fetches no issues. Raises UsageError."""
        raise UsageError("a fleet fetches no issues: give the issue's text")

    def close(self) -> None:
        """Wait for running calls and close what is open."""
        super().close()
        for served in self._lent.values():
            served.close()

    def search(
        self,
        query: str | SearchRequest,
        *,
        repository: str | None = None,
        groups: Sequence[str] = (),
        early: Callable[[SearchResults], None] | None = None,
        wait: float = 1.0,
        progress: Progress = no_progress,
        cancelled: Callable[[], bool] = never,
        fleet: FleetSearch | None = None,
        **options: Any,
    ) -> SearchResults:
        """Search the repositories that most likely have the answer, or the one that is named; only in some `groups`.

        The notes say which were looked into and which were not. Raises UnknownRepository, FleetError, and what
        `SharedRepositories.search` raises.
        """
        asked, own = request_of(query, options), self.settings
        k, level, effort = asked.k or own.k, asked.level or own.level, asked.effort or own.effort
        request = replace(asked, k=k, level=level, effort=effort)  # no repository says it for itself
        limits = fleet or FleetSearch()
        if repository is not None and groups:
            raise UsageError("name a repository or groups, not both")
        if request.at is not None:
            raise UsageError("a fleet has one commit of each repository, the published one: leave out `at`")
        started = time.perf_counter()
        only = (repository,) if repository is not None else limits.only
        shares, among = self._chosen(request, only, limits.look_into or LOOKED_INTO[effort], groups)
        names = list(shares)
        chosen = (time.perf_counter() - started) * 1000
        plain: list[tuple[SearchResults, float]] = []
        answers: list[SearchResults] = []
        problems: list[str] = []
        for name in names:
            try:
                call = CallOptions(wait=wait, progress=progress, cancelled=cancelled)
                share, hearing = shares[name], heard_with(early, answers, name, k)
                hear = None if hearing is None else _weighed_for(hearing, share)
                plain.append((self._searched(name, request, hear, call), share))
                answers.append(weighed(*plain[-1]))
            except (RepositoryError, FleetError, StoreError) as error:
                if len(names) == 1:
                    raise
                why = str(error) if isinstance(error, RepositoryError) else "what is published of it cannot be read"
                problems.append(f"{name} was left out: {why}")
        if not answers:
            answers.append(SearchResults(request.query, level, (), partial=bool(problems)))
        found = merged(answers, k)
        timings = {"candidates": round(chosen, 2), **found.timings_ms}
        partial = found.partial or bool(problems)
        notes = (*found.notes, *problems, *([looked_into(names, among)] if repository is None else []))
        confidence = overall(plain) or found.confidence
        if confidence is not None and found.matching is not None and len(answers) < len(among):
            confidence = of_a_part(confidence)
        return replace(found, notes=notes, timings_ms=timings, partial=partial, confidence=confidence)

    def _searched(
        self, name: str, request: SearchRequest, early: Callable[[SearchResults], None] | None, call: CallOptions
    ) -> SearchResults:
        def search(used: Repository, running: Call) -> SearchResults:
            return used.search(request, early=early, cancelled=running.cancelled, progress=running.report)

        return under_name(self._ask(self._only(name), search, call), name)

    def _chosen(
        self, request: SearchRequest, only: Sequence[str], most: int, groups: Sequence[str] = ()
    ) -> tuple[dict[str, float], list[str]]:
        """The repositories to look into, best first, with their shares; and all that there are to choose from."""
        for name in only:
            self._reader.find(name)
        published = self._reader.published(groups)
        everywhere = list(dict.fromkeys(only)) or list(published)
        if not everywhere:
            raise FleetError("nothing is published yet: run `trackdown fleet sync`")
        if len(everywhere) == 1:
            return {everywhere[0]: 1.0}, everywhere
        query = understand(request.query)
        languages = checked_languages([*(request.languages or self.settings.languages), *query.filters.languages])
        names = [name for name in everywhere if not languages or _has_any(published.get(name), languages)]
        known = self._reader.candidates(_with_filters(query), languages, names, groups) if names else {}
        if query.only_filters and not known and len(names) > most:
            raise UsageError(
                f"nothing in {request.query!r} tells which of {len(names)} repositories to look into: "
                "name a repository or add words"
            )
        chosen = [*known, *(name for name in names if name not in known and len(names) <= most)][:most]
        return repository_shares(known, chosen or names[:most]), everywhere

    def history(
        self,
        query: str = "",
        *,
        repository: str | None = None,
        k: int = 10,
        at: str | None = None,
        exclude: Sequence[str] = (),
        limits: HistoryLimits | None = None,
        **call: Unpack[CallOptions],
    ) -> HistoryResults:
        """As `Repository.history`, in one repository or in those that most likely have the answer."""
        chosen = [repository] if repository is not None else None
        if chosen is None and len(self.names) > 1:
            if not query.strip():
                raise UsageError(f"name a repository, or give a query; there are {len(self.names)} repositories")
            chosen = list(self._chosen(SearchRequest(query), (), LOOKED_INTO["fast"])[0])
        if not self.names:
            raise FleetError("nothing is published yet: run `trackdown fleet sync`")
        ask = super().history
        answers = [
            ask(query, repository=name, k=k, at=at, exclude=exclude, limits=limits, **call)
            for name in chosen or self.names
        ]
        return answers[0] if len(answers) == 1 else merged_history(answers, k)

    # How a call gets a repository

    def _named(self, repository: str | None) -> str:
        if repository is not None:
            return repository
        names = self.names
        if len(names) != 1:
            raise UsageError(f"name one of the {len(names)} repositories: {shown(names)}")
        return names[0]

    def _only(self, repository: str | None) -> ServedRepository:
        name = self._named(repository)
        key = self._reader.find(name).built.key
        with self._opening:
            known = self._lent.get((name, key))
            if known is not None and known.source.root.exists():
                self._lent.move_to_end((name, key))
                return known
        cached = self._reader.cached(name)
        served = ServedRepository(str(cached.folder), cached.settings, self._at_once, name)
        with self._opening:
            replaced = self._lent.pop((name, key), None)  # of another thread, or of a cache that made room
            self._lent[name, key] = served
            too_many = [self._lent.popitem(last=False)[1] for _ in range(len(self._lent) - _MOST_OPEN)]
            too_many += [replaced] if replaced is not None else []
        for one in too_many:
            one.close()
        return served

    def _ask(self, served: ServedRepository, work: Callable[[Repository, Call], T], options: CallOptions) -> T:
        """Run `work` on a repository; if the cache has removed it meanwhile to make room, on a new copy of it."""
        try:
            return super()._ask(served, work, options)
        except RepositoryError:
            if served.source.root.exists():
                raise
            return super()._ask(self._only(served.name), work, options)

    def _each(self, repository: str | None, ask: Callable[[ServedRepository], T]) -> Iterator[tuple[T | None, str]]:
        yield ask(self._only(repository)), ""


def _has_any(published: PublishedShard | None, languages: Sequence[str]) -> bool:
    return published is not None and any(name in published.built.languages for name in languages)


def _with_filters(query: Query) -> Query:
    """A query with the names and paths it is limited to among its words: they tell the repository as words do."""
    told = " ".join([*query.filters.symbols, *query.filters.paths])
    return understand(f"{query.text} {told}") if words(told) else query


def _weighed_for(hearing: Callable[[SearchResults], None], share: float) -> Callable[[SearchResults], None]:
    return lambda early: hearing(weighed(early, share))
