"""The Python API: open a repository, search it, look into its history.

repo = trackdown.open(".")
for result in repo.search("where is the session cookie signed?"):
    print(result.path, result.start_line, result.symbol, result.why[0].detail)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from trackdown import pipeline
from trackdown.engine.corpus import corpus_of
from trackdown.engine.indexing.background import Background
from trackdown.engine.indexing.damage import damage_told
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.engine.indexing.prepare import Keeper, Prepared, Preparer
from trackdown.engine.llm.generated import NOTHING, check_exemplars
from trackdown.engine.searching.cancel import Check, CheckedFacts, CheckedStopwatch
from trackdown.engine.searching.filters import told_of_filters, within
from trackdown.engine.searching.past_commits import past_commits
from trackdown.engine.searching.planning import plan as plan_search
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import LlmError, RepositoryError, StoreBusy, StoreError, UsageError
from trackdown.graph.edges import EDGE_TYPES, HOWS, Direction, EdgeType, How
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.index.update_code import read_inventory
from trackdown.query.understand import Query, understand
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.source import Source, is_url, open_source, open_url
from trackdown.request import MAX_RESULTS, SearchRequest, request_of
from trackdown.retrieve import dense
from trackdown.retrieve.corpus import Corpus
from trackdown.settings import Settings, load_settings
from trackdown.store.store import Store
from trackdown.types import (
    LEVELS,
    HistoryResults,
    Inventory,
    Level,
    Progress,
    RepositoryStatus,
    Result,
    SearchResults,
    UnitSource,
    never,
    no_progress,
)

if TYPE_CHECKING:
    from trackdown.engine.indexing.worktree_cache import WorktreeCache
    from trackdown.engine.llm.few_shot import CodeExample
    from trackdown.engine.llm.rewrite_units import Rewriting
    from trackdown.engine.navigation.neighbourhoods import Neighbourhood
    from trackdown.engine.navigation.related import Related
    from trackdown.fuse.learned import LearnedFusion
    from trackdown.models.llm.client import LlmClient

_LONGEST_WAIT = 1800.0
_STATES_KEPT = 8
"""How many of the states that it has seen somebody who keeps up with every edit leaves in the store."""


def open(place: str | os.PathLike[str] = ".", *, settings: Settings | None = None) -> Repository:
    """Open what stands at a path or git URL. Nothing is indexed yet.

    Raises NoSuchPath, RepositoryError (a URL that cannot be cloned), GitError and StoreError.
    """
    settings = settings or load_settings()
    text = os.fspath(place)
    if is_url(text):
        store = Store(settings.store)
        source, note = open_url(text, store.clones)
        return Repository(source, store, settings, [note] if note else [])
    source = open_source(text)
    return Repository(source, Store(settings.store), settings)


class Repository:
    """A repository or folder that can be searched. Not for several threads at once.

    `patience` is how many seconds a call waits for whoever indexes it, before it answers from what is ready. Paths in
    questions are looked for from the current folder first, or with `from_root` from the root alone. `looker` is shared
    by the repositories of one place in one process, and `keeper` keeps its index for all of them.

    One that was opened at a subfolder is `confined` to it: no call shows a file that is not below it. Who sets
    `confined` to False lets `related`, `unit`, `graph` and `history` show the whole repository.
    """

    def __init__(
        self,
        source: Source,
        store: Store,
        settings: Settings,
        notes: Sequence[str] = (),
        *,
        from_root: bool = False,
        looker: WorktreeCache | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.source = source
        self.settings = settings
        self.patience = 0.0
        self.confined = True
        self._from_root_only = from_root
        self._store = store
        self._notes = list(notes)
        self._trail: list[str] = []
        self._preparer = Preparer(source, store, settings, looker)
        self._preparer.keeper = keeper

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held open. A repository that is simply dropped gives it back too, later."""
        self._preparer.close()
        self._store.close()

    @damage_told
    def search(
        self,
        query: str | SearchRequest,
        *,
        early: Callable[[SearchResults], None] | None = None,
        cancelled: Callable[[], bool] = never,
        progress: Progress = no_progress,
        **options: Any,
    ) -> SearchResults:
        """Rank functions, classes or files for an issue, a question or a name.

        `options` are fields of `SearchRequest`, by name. `early` gets what was found before the models read, if they
        read; `cancelled` is asked now and then whether to stop. Raises QueryError, UsageError, UnknownRevision,
        StoreError, GitError, Cancelled, and LlmError for a language model that is named and not there.
        """
        request = request_of(query, options)
        understood = understand(request.query)
        plan = plan_search(request, self.settings)
        folder = plan.folders[0]
        plan = replace(plan, folders=(within(folder, self.source.subfolder),))
        said: list[str] = []
        desk = self._desk(plan, said.append)
        if plan.exemplars:
            check_exemplars(plan, desk, NOTHING)
        if desk is None and plan.needs_llm:
            from trackdown.engine.llm.configured import WITHOUT_LLM

            said.append(f"{WITHOUT_LLM}: searched without")
        check = Check(cancelled)
        watch = CheckedStopwatch(check)
        with self._warming(plan.judging is not None):
            for attempt in (1, 2):
                prepared = self._preparer.prepare(request.at, check.progress(progress), self.patience)
                prepared.facts = CheckedFacts(prepared.facts, check)
                if plan.repository_weights:
                    plan = replace(plan, learned=self._own_fusion(prepared, plan.level))
                watch.lap("check")
                told = told_of_filters(prepared.code, plan.languages, folder)
                notes = (*self._told(prepared), *told)
                now = SearchResults(request.query, plan.level, (), (prepared.info(),), notes, prepared.partial)
                hear = _hearing(early, now, watch)
                corpus = partial(corpus_of, prepared, asker=desk, tell=said.append, progress=check.progress(progress))
                results = self._results(
                    prepared, corpus, understood, plan, watch, last=attempt == 2 or prepared.partial, early=hear
                )
                if results is not None:
                    break
        said += desk.notes() if desk is not None else []
        notes = (*notes, *self._told_of_models(plan), *dict.fromkeys(said))
        cost = desk.cost() if desk is not None else {}
        return replace(now, results=results or (), notes=notes, timings_ms=watch.rounded(), llm=cost)

    @damage_told
    def history(
        self, query: str, k: int = 10, at: str | None = None, *, progress: Progress = no_progress
    ) -> HistoryResults:
        """Past commits like a query, with the files they touched under the names these have now."""
        _check(k, "file")
        understood = understand(query)
        prepared = self._preparer.prepare(at, progress, self.patience)
        notes = self._told(prepared)
        if prepared.history is None:
            notes = (*notes, f"{self.source.name} has no history{' yet' if prepared.partial else ''}")
            return HistoryResults(query, (), (prepared.info(),), notes, prepared.partial)
        found = past_commits(prepared, understood, k, self._within)
        return HistoryResults(query, found, (prepared.info(),), notes, prepared.partial)

    @damage_told
    def related(
        self, location: str, k: int = 10, at: str | None = None, *, progress: Progress = no_progress
    ) -> Related:
        """What calls the unit at FILE:LINE, what it calls, its siblings, base classes and subclasses, code that reads
        alike, and files that changed together with FILE; at most `k` of each. Raises UsageError.
        """
        from trackdown.engine.navigation.related import related_places

        _check(k, "function")
        place = self._relative(location)
        prepared = self._preparer.prepare(at, progress, self.patience)
        with SourceReader(prepared.snapshot) as snippets:
            found = related_places(
                prepared.code, prepared.history, prepared.graph(), place, k, snippets, self.source.name, self._within
            )
        return replace(found, snapshots=(prepared.info(),), notes=self._told(prepared), partial=prepared.partial)

    @damage_told
    def unit(
        self,
        path: str,
        symbol: str | None = None,
        lines: tuple[int, int] | None = None,
        at: str | None = None,
        *,
        progress: Progress = no_progress,
    ) -> UnitSource:
        """The source of an indexed file (its path from the root), of a class or function in it, or of some lines.

        It is what was indexed: no link is followed, and nothing beside the snapshot is read. Raises UsageError.
        """
        from trackdown.engine.searching.unit_source import Wanted as WantedUnit
        from trackdown.engine.searching.unit_source import read_unit

        wanted = WantedUnit(path, symbol, lines)
        for _ in range(2):
            prepared = self._preparer.prepare(at, progress, self.patience)
            with SourceReader(prepared.snapshot) as snippets:
                found = read_unit(prepared.code, snippets, wanted, self.source.name, self._within)
            if found is not None:
                notes = (*self._told(prepared), *found.notes)
                return replace(found, snapshots=(prepared.info(),), notes=notes)
        raise RepositoryError(f"{path} has changed while it was read: ask again")

    @damage_told
    def graph(
        self,
        target: str,
        depth: int = 1,
        edges: Sequence[EdgeType] = EDGE_TYPES,
        direction: Direction = "both",
        hows: Sequence[How] = HOWS,
        at: str | None = None,
        *,
        progress: Progress = no_progress,
    ) -> Neighbourhood:
        """What contains, imports, calls and inherits from a place, and the other way round, within `depth` edges.

        `target` is a file, FILE:LINE, a folder or a symbol. Raises UsageError, UnknownRevision, StoreError, GitError.
        """
        from trackdown.engine.navigation.neighbourhoods import Reach, neighbourhood
        from trackdown.engine.navigation.resolve_target import TargetResolver

        reach = Reach(depth, edges, direction, hows)
        prepared = self._preparer.prepare(at, progress, self.patience)
        graph = prepared.graph()
        finder = TargetResolver(
            graph, prepared.code, self.source.name, self._from_root, self.source.subfolder, confined=self.confined
        )
        found = neighbourhood(graph, target, finder.find(target), reach, within=self._within)
        notes = (*self._told(prepared), *found.notes)
        return replace(found, snapshots=(prepared.info(),), notes=notes, partial=prepared.partial)

    @damage_told
    def index(self, at: str | None = None, *, progress: Progress = no_progress) -> RepositoryStatus:
        """Bring the indexes of a snapshot up to date and say what they hold."""
        prepared = self._preparer.prepare(at, progress)
        prepared.vectors()
        status = self._describe(prepared.snapshot, prepared.code, prepared.history)
        return replace(status, ready=not prepared.partial, notes=self._told(prepared))

    @damage_told
    def rewrite(
        self,
        at: str | None = None,
        times: int = 1,
        limit: int | None = None,
        *,
        pairs: Sequence[CodeExample] = (),
        progress: Progress = no_progress,
    ) -> Rewriting:
        """Let the language model rewrite a snapshot's units, as `search` uses them with `reco`.

        Each text is rewritten `times` times, at most `limit` rewrites now; what has been rewritten is not asked again.
        `pairs` of description and code are shown to the model in place of some of the code's own. Raises UsageError
        without a language model, LlmError for one that is not there, and StoreError; what was made stays.
        """
        from trackdown.engine.llm.configured import WITHOUT_LLM, open_desk
        from trackdown.engine.llm.rewrite_units import rewriting

        desk = open_desk(self.settings, StoreFacts(self._store))
        if desk is None:
            raise UsageError(WITHOUT_LLM)
        prepared = self.prepared(at, progress=progress)
        found = rewriting(prepared, desk, times=times, limit=limit, pairs=pairs, progress=progress)
        return replace(found, notes=(*self._told(prepared), *found.notes))

    @damage_told
    def inventory(self, at: str | None = None, *, progress: Progress = no_progress) -> Inventory:
        """What a snapshot takes in and what it leaves out, with the rule that did it."""
        snapshot = self._preparer.look(at)
        included, excluded = read_inventory(
            self._store,
            snapshot,
            max_bytes=self._preparer.max_bytes,
            workers=self.settings.worker_count,
            progress=progress,
        )
        everything = sorted([*snapshot.excluded, *excluded], key=lambda item: item.path)
        return Inventory(self.source.name, tuple(included), tuple(everything))

    @damage_told
    def status(self) -> RepositoryStatus:
        """What the store holds for the present state, without indexing anything."""
        snapshot = self._preparer.look(None, self.patience if self._preparer.keeper is not None else None)
        code = self._preparer.ready_code(snapshot)
        commits = self._preparer.ready_commits(snapshot)
        history = (commits.index, snapshot.commit) if commits is not None and snapshot.commit is not None else None
        return self._describe(snapshot, code, history)

    @damage_told
    def prepared(self, at: str | None = None, *, progress: Progress = no_progress) -> Prepared:
        """A state of the repository with its indexes, to be ranked several times (`engine.rank`). For evaluation.

        Waits for another process that indexes the same repository: an evaluation has no use for part of an index.
        """
        try:
            return self._preparer.prepare(at, progress, _LONGEST_WAIT, whole=True)
        except StoreBusy:
            message = f"another process has been indexing {self.source.name} for very long: try again later"
            raise StoreError(message) from None

    @damage_told
    def keep(self, *, wait: float = 0.0, progress: Progress = no_progress) -> Prepared:
        """Bring the index of the present state up to date, vectors included; for who does so again and again.

        Raises StoreBusy when another process has been indexing it for `wait` seconds.
        """
        from trackdown.engine.indexing.housekeeping import drop_deltas

        prepared = self._preparer.prepare(None, progress, wait, whole=True)
        prepared.vectors()
        self.looker.whole = prepared.snapshot
        key = self._preparer.key(prepared.snapshot)
        self._trail = [*(old for old in self._trail if old != key), key]
        with suppress(StoreError):  # a full disk, of all things, must not end an update
            drop_deltas(self._store, self._trail[:-_STATES_KEPT])
        self._trail = self._trail[-_STATES_KEPT:]
        return prepared

    @damage_told
    def is_ready(self) -> bool:
        """Whether what is there now is indexed. Looks, and waits for nobody."""
        return self._preparer.is_ready()

    def is_outdated(self) -> bool:
        """Whether its store was cleared or made anew under it: then only opening it again helps."""
        return self._store.database.is_replaced()

    def distrust(self) -> None:
        """Take nothing that is kept in memory for what is in the store."""
        self._preparer.distrust()

    @property
    def _within(self) -> str:
        """The folder that answers do not leave; '' for none."""
        return self.source.subfolder if self.confined else ""

    @property
    def looker(self) -> WorktreeCache:
        """Who looks at what is on disk."""
        return self._preparer.looker

    def store_bytes(self) -> int:
        """The size of the whole store on disk."""
        return self._store.size()

    @damage_told
    def clear(self) -> None:
        """Remove what the store holds for this repository alone."""
        from trackdown.engine.indexing.housekeeping import forget

        forget(self._store, self.source, self._preparer.identity(self.source.head()))
        self._preparer.close()
        self._preparer = Preparer(self.source, self._store, self.settings)

    def _own_fusion(self, prepared: Prepared, level: Level) -> LearnedFusion | None:
        """Weights that were fitted to this repository's past, where they won."""
        from trackdown.engine.repository_weights import fusing_models, repository_fusion

        repository = self._preparer.identity(prepared.snapshot.commit)
        return repository_fusion(self._store, repository, level, fusing_models(prepared.models))

    def _desk(self, options: pipeline.SearchPlan, tell: Callable[[str], None]) -> LlmClient | None:
        """Where stages ask a language model, if one of them may and there is one. One that cannot be opened, and that
        nobody asked for, costs a note.
        """
        if not options.asks_llm:
            return None
        from trackdown.engine.llm.configured import open_desk

        try:
            return open_desk(self.settings, StoreFacts(self._store))
        except (LlmError, UsageError) as error:
            if not options.llm_is_optional:
                raise
            tell(f"{error}; searched without it")
            return None

    @contextmanager
    def _warming(self, wanted: bool) -> Iterator[None]:
        """Models load beside what comes before them. Nothing is still loading afterwards, so that a process may end."""
        loading = Background(self._preparer.models.warm) if wanted else None
        try:
            yield
        finally:
            if loading is not None:
                loading.wait()

    def _told(self, prepared: Prepared) -> tuple[str, ...]:
        """All notes, each once."""
        return tuple(dict.fromkeys([*self._notes, *prepared.notes]))

    def _told_of_models(self, options: pipeline.SearchPlan) -> list[str]:
        """What is wrong with the models; that there are none is only told to whom it matters."""
        models = self._preparer.models
        only_dense = {signal for signal, weight in options.weights if weight} == {dense.SIGNAL}
        in_vain = options.expects_models and models.encoder() is None and models.cross_encoder() is None
        if notes := models.notes():
            return notes
        if in_vain or (only_dense and models.static() is None):
            return ["there is no model for this here, see `trackdown modes`: searched without"]
        return []

    def _results(
        self,
        prepared: Prepared,
        corpus: Callable[[SourceReader], Corpus],
        query: Query,
        options: pipeline.SearchPlan,
        watch: pipeline.Stopwatch,
        *,
        last: bool,
        early: Callable[[tuple[Result, ...]], None] | None = None,
    ) -> tuple[Result, ...] | None:
        """The answer; None when a file it would show changed since the look. At the `last` attempt it is left out."""
        with SourceReader(prepared.snapshot) as snippets:

            def shown(found: Sequence[pipeline.Ranked]) -> tuple[Result, ...]:
                results: list[Result] = []
                for item in found:
                    result = snippets.result(prepared.code, item, len(results) + 1, self.source.name)
                    results += [] if result is None else [result]
                return tuple(results)

            hear = None if early is None else lambda found: early(shown(found))
            found = pipeline.search(corpus(snippets), query, options, watch, early=hear)
            results = shown(found)
        watch.lap("snippets")
        return results if last or len(results) == len(found) else None

    def _describe(
        self, snapshot: Snapshot, code: CodeIndex | None, history: tuple[CommitIndex, str] | None
    ) -> RepositoryStatus:
        from trackdown.engine.indexing.status import describe

        return replace(describe(self._store, snapshot, code, history), notes=tuple(self._notes))

    def _relative(self, location: str) -> str:
        """A location relative to the root, whatever folder it was named from."""
        path, colon, line = location.rpartition(":")
        if not colon or not path or "\0" in path:
            raise UsageError(f"{location!r} is not a location: write FILE:LINE")
        return f"{self._from_root(path)}:{line}"

    def _from_root(self, path: str) -> str:
        """A path relative to the root (`.` is the root itself), whatever folder it was named from."""
        if self._from_root_only:
            return os.path.normpath(path)
        full = os.path.realpath(path)
        root = str(self.source.root)
        inside = self.source.kind != "bare" and os.path.exists(full) and f"{full}/".startswith(f"{root}/")
        return os.path.relpath(full, root) if inside else os.path.normpath(path)


def _hearing(
    early: Callable[[SearchResults], None] | None, answer: SearchResults, watch: pipeline.Stopwatch
) -> Callable[[tuple[Result, ...]], None] | None:
    """What gives early results on as an answer, if anybody wants to hear of them."""
    if early is None:
        return None
    return lambda results: early(replace(answer, results=results, timings_ms=watch.rounded()))


def clear_everything(settings: Settings | None = None) -> tuple[int, int]:
    """Remove the whole store, every repository's part and every format version. Returns its size before and after."""
    store = Store((settings or load_settings()).store)
    before = store.size()
    store.remove_all()
    return before, store.size()


def _check(k: int, level: str) -> None:
    if not 1 <= k <= MAX_RESULTS:
        raise UsageError(f"k must be between 1 and {MAX_RESULTS}, not {k}")
    if level not in LEVELS:
        raise UsageError(f"level must be one of {', '.join(LEVELS)}, not {level!r}")
