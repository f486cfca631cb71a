"""The engine's front door: one repository and everything you can ask it.

repo = trackdown.open(".")
for result in repo.search("where is the session cookie signed?"):
    print(result.path, result.start_line, result.symbol, result.reason)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from trackdown.engine.indexing.damage import reports_damage
from trackdown.engine.open_repository import OpenRepository
from trackdown.engine.past.past_commits import HistoryLimits, HistoryRequest, search_history
from trackdown.engine.searching.search import run_search
from trackdown.graph import EDGE_TYPES, HOWS, WALK_SECONDS, Direction, EdgeType, How
from trackdown.index import Corpus
from trackdown.request import SearchRequest, request_of
from trackdown.types import (
    HistoryResults,
    Inventory,
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
    from trackdown.engine.issues.fetch_issue import IssueText
    from trackdown.engine.llm.few_shot import CodeExample
    from trackdown.engine.llm.rewrite_units import RewriteReport
    from trackdown.engine.navigation.examples import Example
    from trackdown.engine.navigation.neighbourhoods import Neighbourhood
    from trackdown.engine.navigation.related import Related
    from trackdown.engine.past.blame import Blame
    from trackdown.engine.past.commit_report import CommitReport

_LONGEST_WAIT = 1800.0


class Repository(OpenRepository):
    """A repository or folder to search. Not thread-safe."""

    @reports_damage
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

        `options` are fields of `SearchRequest`, by name. `early` gets the results before reranking, if models
        rerank them; the search stops when `cancelled` returns True. Raises QueryError, UsageError, UnknownRevision,
        StoreError, GitError, Cancelled, and LlmError if the requested language model is not available.
        """
        return run_search(self, request_of(query, options), early, cancelled, progress)

    @reports_damage
    def history(
        self,
        query: str | HistoryRequest = "",
        k: int = 10,
        at: str | None = None,
        exclude: Sequence[str] = (),
        *,
        progress: Progress = no_progress,
        **limits: Unpack[HistoryLimits],
    ) -> HistoryResults:
        """Past commits similar to a query, with the files they touched under their present names; first those that it
        refers to. Without a query, the latest commits.

        Files that match a pattern to `exclude` don't count, nor do commits without others. `limits` are `author` and
        `path`, one or several of each, `since` and `until`. Raises UsageError and QueryError.
        """
        request = HistoryRequest(query, k, at, exclude, **limits) if isinstance(query, str) else query
        return search_history(self, request, progress)

    @reports_damage
    def show(
        self,
        revision: str,
        lines: int = 500,
        path: Sequence[str] = (),
        at: str | None = None,
        *,
        progress: Progress = no_progress,
    ) -> CommitReport:
        """A commit with its message and at most `lines` lines of its diff, of all files or of those that match a
        pattern; the units it changed, the issues it names, what usually changes with its files, and similar commits.

        Raises UnknownRevision for a commit that is not there or not the only one of that name, and UsageError.
        """
        from trackdown.engine.past.commit_report import describe_past_commit

        return describe_past_commit(self, revision, lines, path, at, progress)

    @reports_damage
    def blame(self, target: str, at: str | None = None, *, progress: Progress = no_progress) -> Blame:
        """Who last changed the lines of FILE, FILE:LINE, FILE:FIRST-LAST, FILE:SYMBOL or SYMBOL, when, in which commit,
        and the issues that it names. Raises UsageError.
        """
        from trackdown.engine.past.blame import find_blame

        return find_blame(self, target, at, progress)

    def issue(self, name: str, *, comments: bool = False) -> IssueText:
        """Fetch an issue by name, to search for its text: `5049`, `!12`, `owner/repo#5049` or its address.

        Tokens come from the usual variables of the environment, or from gh. Raises UsageError, TrackerError and, if
        there is no network and no earlier copy, TrackerUnavailable.
        """
        from trackdown.engine.issues.fetch_issue import fetch_issue

        return fetch_issue([self.source], self.store, name, comments=comments)

    @reports_damage
    def related(
        self,
        target: str,
        k: int = 10,
        at: str | None = None,
        exclude: Sequence[str] = (),
        *,
        progress: Progress = no_progress,
    ) -> Related:
        """Callers and callees of a class or function, its siblings, base classes and subclasses, similar code, and the
        files that changed together with its file; of a file, its imports and importers, too. At most `k` of each, none
        in files that match a pattern to `exclude`. `target` is a symbol, a file or FILE:LINE. Raises UsageError.
        """
        from trackdown.engine.navigation.questions import find_related

        return find_related(self, target, k, at, exclude, progress)

    @reports_damage
    def impact(
        self,
        change: Change | None = None,
        k: int = 10,
        level: Level = "file",
        at: str | None = None,
        exclude: Sequence[str] = (),
        *,
        progress: Progress = no_progress,
    ) -> SearchResults:
        """What may have to change with a diff: by default, with the uncommitted changes.

        `change` names another diff: `Change(patch=text)`, `Change(revisions="main..HEAD")`, `Change(staged=True)`. What
        it has changed already is not in the answer. `at` is the state that a patch is for. Raises UsageError for a diff
        that is empty or cannot be read, UnknownRevision.
        """
        from trackdown.engine.impact.impact import Change, find_impact

        return find_impact(self, change or Change(), k, level, at, exclude, progress)

    @reports_damage
    def unit(
        self,
        path: str,
        symbol: str | None = None,
        lines: tuple[int, int] | None = None,
        at: str | None = None,
        *,
        progress: Progress = no_progress,
    ) -> UnitSource:
        """The source of an indexed file (its path from the root), of a class or function in it, or of a range of lines.

        Returns the content that was indexed; never follows links or reads outside the snapshot. Raises UsageError.
        """
        from trackdown.engine.navigation.questions import find_source

        return find_source(self, path, symbol, lines, at, progress)

    @reports_damage
    def examples(self, *, progress: Progress = no_progress) -> tuple[Example, ...]:
        """Queries worth trying here, made from the repository's own names, messages and past commits."""
        from trackdown.engine.navigation.examples import find_examples

        return find_examples(self, progress)

    @reports_damage
    def graph(
        self,
        target: str,
        depth: int = 1,
        edges: Sequence[EdgeType] = EDGE_TYPES,
        direction: Direction = "both",
        hows: Sequence[How] = HOWS,
        at: str | None = None,
        *,
        seconds: float | None = WALK_SECONDS,
        progress: Progress = no_progress,
    ) -> Neighbourhood:
        """The graph around a target, within `depth` edges: containment, imports, calls and inheritance.

        `target` is a file, FILE:LINE, a folder or a symbol. After some `seconds` (None: however long it takes) the
        answer is what was found so far, and `partial`. Raises UsageError, UnknownRevision, StoreError, GitError.
        """
        from trackdown.engine.navigation.questions import walk_graph

        return walk_graph(self, target, depth, edges, direction, hows, at, seconds, progress)

    @reports_damage
    def index(self, at: str | None = None, *, deep: bool = False, progress: Progress = no_progress) -> RepositoryStatus:
        """Bring the indexes of a snapshot up to date, with `deep` the deep index, too, and describe them.

        Raises ModelError if the deep index needs an encoder and there is none. What is computed of it is kept if
        `progress` raises.
        """
        from trackdown.engine.indexing.status import describe

        corpus = self._builder.corpus(at, progress, _LONGEST_WAIT if deep else 0.0, complete=deep)
        corpus.vectors()
        if deep:
            self.deepen(corpus, progress=progress)
        status = describe(self.indexes, corpus.snapshot, corpus.code, corpus.history)
        return replace(status, ready=not corpus.partial, notes=self.notes_of(corpus))

    @reports_damage
    def rewrite(
        self,
        at: str | None = None,
        times: int = 1,
        limit: int | None = None,
        *,
        pairs: Sequence[CodeExample] = (),
        progress: Progress = no_progress,
    ) -> RewriteReport:
        """Let the language model rewrite a snapshot's units, for searches with `reco`.

        Each text is rewritten `times` times, at most `limit` rewrites now; existing ones are not made again.
        `pairs` of description and code are shown to the model in place of the repository's own. Raises UsageError
        without a language model, LlmError if it is not available, and StoreError; finished rewrites are kept.
        """
        from trackdown.engine.llm.rewrite_units import rewrite_repository

        return rewrite_repository(self, at, times, limit, pairs, progress)

    @reports_damage
    def inventory(self, at: str | None = None, *, progress: Progress = no_progress) -> Inventory:
        """The files that a snapshot includes, and those it leaves out with the rule that excluded them."""
        from trackdown.engine.indexing.status import take_inventory

        return take_inventory(self.indexes, at, progress)

    @reports_damage
    def status(self) -> RepositoryStatus:
        """Describe the indexes of the present state. Indexes nothing."""
        from trackdown.engine.indexing.status import present_status

        if self._reader is not None:
            self._reader.require_current(self.patience)
        found = present_status(self.indexes, None if self._reader is None else self.patience)
        return replace(found, notes=(*self.notes, *self.store.take_notes()))

    @reports_damage
    def corpus(self, at: str | None = None, *, wait: float = _LONGEST_WAIT, progress: Progress = no_progress) -> Corpus:
        """A state of the repository with complete indexes, for evaluations that rank it many times.

        If another process is indexing the repository, waits up to `wait` seconds for it, then raises StoreBusy.
        """
        return self._builder.corpus(at, progress, wait, complete=True)

    @reports_damage
    def clear(self, *, only_imported: bool = False) -> None:
        """Remove this repository, or only what was imported into it, from the store; data shared with others stays."""
        from trackdown.engine.indexing.housekeeping import forget, forget_import
        from trackdown.engine.issues.fetch_issue import forget_issues

        if only_imported:
            forget_import(self.store, self.source)
        else:
            forget_issues(self.store, self.source)
            forget(self.store, self.source, self.indexes.identity(self.source.head()))
        self.indexes.forget()
