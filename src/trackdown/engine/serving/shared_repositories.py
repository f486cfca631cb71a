"""What can be asked of several repositories by name, as `Repository` answers it for one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from trackdown.engine.past.past_commits import HistoryLimits, HistoryRequest
from trackdown.engine.repository import Repository
from trackdown.engine.searching.merge import (
    comparable,
    heard_with,
    merged,
    merged_history,
    state_under_name,
    under_name,
)
from trackdown.engine.serving.calls import Call, CallOptions, NotIndexedYet
from trackdown.engine.serving.named_repositories import NamedRepositories
from trackdown.engine.serving.served_repository import ServedRepository
from trackdown.errors import UsageError
from trackdown.graph import EDGE_TYPES, HOWS, Direction, EdgeType, How
from trackdown.request import SearchRequest, request_of
from trackdown.types import (
    HistoryResults,
    Level,
    Progress,
    RepositoryStatus,
    SearchResults,
    UnitSource,
    never,
    no_progress,
)

if TYPE_CHECKING:
    from trackdown.engine.impact.impact import Change
    from trackdown.engine.navigation.examples import Example
    from trackdown.engine.navigation.neighbourhoods import Neighbourhood
    from trackdown.engine.navigation.related import Related
    from trackdown.engine.past.blame import Blame
    from trackdown.engine.past.commit_report import CommitReport


class SharedRepositories(NamedRepositories):
    """The questions of a server's threads. Every method may be called from any thread."""

    def status(self, repository: str | None = None, **call: Unpack[CallOptions]) -> RepositoryStatus:
        """Describe the indexes of a repository's present state. A note says why the deep index is not completed."""
        served = self._only(repository)
        try:
            found = self._ask(served, lambda used, _: used.status(), call)
            notes = found.notes
            if served.deep_problem and not (found.deep is not None and found.deep.ready):
                notes = (*notes, served.deep_problem)
            return replace(found, repository=served.name, notes=notes)
        except NotIndexedYet as error:
            return RepositoryStatus(served.name, served.source.kind, notes=(str(error),))

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
        **options: Any,
    ) -> SearchResults:
        """As `Repository.search`; without a name, in all repositories together.

        `early` may be called several times, each time with a complete answer. Only a fleet has `groups`. See
        `CallOptions` for the rest. Raises UnknownRepository, TooBusy, Cancelled, and what `Repository.search` raises.
        """
        if groups:
            raise UsageError("groups: only a server of a fleet has groups of repositories")
        request = request_of(query, options)
        if repository is None and len(self.names) > 1:
            request = comparable(request, self.settings)
        level, k = request.level or self.settings.level, request.k or self.settings.k
        until = time.monotonic() + wait
        answers: list[SearchResults] = []

        def ask(served: ServedRepository) -> SearchResults:
            left = max(0.0, until - time.monotonic())
            call = CallOptions(wait=left, progress=progress, cancelled=cancelled)
            merged_early = heard_with(early, answers, served.name, k)

            def search(used: Repository, running: Call) -> SearchResults:
                return used.search(request, early=merged_early, cancelled=running.cancelled, progress=progress)

            try:
                return under_name(self._ask(served, search, call), served.name)
            except NotIndexedYet as error:
                return SearchResults(request.query, level, (), notes=(str(error),), partial=True)

        for answer, problem in self._each(repository, ask):
            failed = SearchResults(request.query, level, (), notes=(problem,), partial=True)
            answers.append(failed if answer is None else answer)
        return merged(answers, k)

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
        """As `Repository.history`; without a name, in all repositories together."""
        asked = HistoryRequest(query, k, at, exclude, **(limits or {}))

        def ask(served: ServedRepository) -> HistoryResults:
            try:
                found = self._ask(served, lambda used, running: used.history(asked, progress=running.report), call)
            except NotIndexedYet as error:
                return HistoryResults(query, (), notes=(str(error),), partial=True)
            commits = tuple(replace(commit, repository=served.name) for commit in found.commits)
            return replace(found, commits=commits, snapshots=state_under_name(found.snapshots, served.name))

        answers = [
            answer if answer is not None else HistoryResults(query, (), notes=(problem,), partial=True)
            for answer, problem in self._each(repository, ask)
        ]
        return answers[0] if len(answers) == 1 else merged_history(answers, k)

    def show(
        self,
        revision: str,
        *,
        repository: str | None = None,
        lines: int = 500,
        path: Sequence[str] = (),
        at: str | None = None,
        **call: Unpack[CallOptions],
    ) -> CommitReport:
        """As `Repository.show`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)
        found = self._ask(
            served, lambda used, running: used.show(revision, lines, path, at, progress=running.report), call
        )
        similar = tuple(replace(commit, repository=served.name) for commit in found.similar)
        snapshots = state_under_name(found.snapshots, served.name)
        return replace(found, repository=served.name, similar=similar, snapshots=snapshots)

    def blame(
        self, target: str, *, repository: str | None = None, at: str | None = None, **call: Unpack[CallOptions]
    ) -> Blame:
        """As `Repository.blame`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)
        found = self._ask(served, lambda used, running: used.blame(target, at, progress=running.report), call)
        return replace(found, repository=served.name, snapshots=state_under_name(found.snapshots, served.name))

    def related(
        self,
        target: str,
        *,
        repository: str | None = None,
        k: int = 10,
        at: str | None = None,
        exclude: Sequence[str] = (),
        **call: Unpack[CallOptions],
    ) -> Related:
        """As `Repository.related`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)

        def relate(used: Repository, running: Call) -> Related:
            return used.related(target, k, at, exclude, progress=running.report)

        found = self._ask(served, relate, call)
        similar = tuple(replace(result, repository=served.name) for result in found.similar)
        return replace(found, similar=similar, snapshots=state_under_name(found.snapshots, served.name))

    def impact(
        self,
        change: Change,
        *,
        repository: str | None = None,
        k: int = 10,
        level: Level = "file",
        at: str | None = None,
        exclude: Sequence[str] = (),
        **call: Unpack[CallOptions],
    ) -> SearchResults:
        """As `Repository.impact`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)

        def find(used: Repository, running: Call) -> SearchResults:
            return used.impact(change, k, level, at, exclude, progress=running.report)

        return under_name(self._ask(served, find, call), served.name)

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
        **call: Unpack[CallOptions],
    ) -> Neighbourhood:
        """As `Repository.graph`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)

        def walk(used: Repository, running: Call) -> Neighbourhood:
            return used.graph(target, depth, edges, direction, hows, at, progress=running.report)

        found = self._ask(served, walk, call)
        return replace(found, snapshots=state_under_name(found.snapshots, served.name))

    def unit(
        self,
        path: str,
        *,
        repository: str | None = None,
        symbol: str | None = None,
        lines: tuple[int, int] | None = None,
        at: str | None = None,
        **call: Unpack[CallOptions],
    ) -> UnitSource:
        """As `Repository.unit`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)
        found = self._ask(
            served, lambda used, running: used.unit(path, symbol, lines, at, progress=running.report), call
        )
        return replace(found, repository=served.name, snapshots=state_under_name(found.snapshots, served.name))

    def examples(self, *, repository: str | None = None, **call: Unpack[CallOptions]) -> tuple[Example, ...]:
        """As `Repository.examples`. Raises TooBusy as long as nothing is indexed yet."""
        served = self._only(repository)
        return self._ask(served, lambda used, running: used.examples(progress=running.report), call)
