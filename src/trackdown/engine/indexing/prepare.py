"""Before every search: look at what is there, and bring its indexes up to date.

This is why an answer is never stale: keys say which index belongs to what is on disk now, and nothing else is opened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from trackdown.engine.indexing.background import Background, Stoppable
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.errors import EmptyRepository, NoSuchPath, StoreBusy, StoreError, StoreFull, TooBusy
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.index.repository_id import is_known, repository_id
from trackdown.index.snapshot_rewrites import RewriteMemory, SnapshotRewrites
from trackdown.index.update_code import CodeUpdate, manifest_key, open_code, partial_code, update_code
from trackdown.index.update_commits import CommitUpdate, open_commits, update_commits
from trackdown.models.shelf import ModelShelf, model_shelf
from trackdown.repository.history import CommitRef, list_commits
from trackdown.repository.snapshot import Snapshot, commit_snapshot
from trackdown.repository.source import Source
from trackdown.settings import Settings
from trackdown.store.store import Store
from trackdown.types import FactCache, Progress, SnapshotInfo, no_progress

if TYPE_CHECKING:
    from trackdown.graph.graph import Graph
    from trackdown.index.vectors import SegmentVectors, UnitVectors

_ROUNDS = 3
_SECONDS_TO_STOP = 0.5
_SHORTEST_LOOK = 0.25
"""How long a search waits for another thread's look at the least: less than that is no wait to speak of."""


@dataclass(slots=True)
class Prepared:
    """A snapshot with its indexes, ready to be searched. `history` is an index and the commit to look from.

    `graph` gives the snapshot's graph and `vectors` its units' static vectors, made at the first call; `vectors` gives
    None where there is no model. `messages` reads whole messages of commits, `facts` keeps what models compute, and
    `rewrites` knows which units a language model has rewritten.
    """

    snapshot: Snapshot
    code: CodeIndex
    history: tuple[CommitIndex, str] | None
    graph: Callable[[], Graph]
    vectors: Callable[[], UnitVectors | None]
    messages: Callable[[Sequence[int]], list[str]]
    models: ModelShelf
    facts: FactCache
    rewrites: SnapshotRewrites
    notes: list[str] = field(default_factory=list)
    partial: bool = False

    def info(self) -> SnapshotInfo:
        """Which state of which repository this is."""
        return SnapshotInfo(self.snapshot.source.name, self.snapshot.commit, self.snapshot.dirty)


def _no_vectors() -> None:
    """The vectors of an index that has none yet."""


class Keeper(Protocol):
    """Who keeps the indexes of a place up to date, so that others in this process need not and do not write."""

    def bring_up_to_date(self, seconds: float, progress: Progress) -> bool:
        """Have it done, and wait at most so long. False when it is not done by then, or failed."""
        ...

    def problem(self) -> str:
        """Why it failed the last time, or nothing."""
        ...

    def out_of_room(self) -> bool:
        """Whether it failed for want of room on the disk."""
        ...


class Preparer:
    """Keeps one source's snapshot and indexes between searches.

    With a `keeper`, what is missing for the present state is left to it; a past state is built here as ever. `looker`
    is shared with other preparers of the place.
    """

    def __init__(self, source: Source, store: Store, settings: Settings, looker: WorktreeCache | None = None) -> None:
        self.source = source
        self.store = store
        self.settings = settings
        self.models = model_shelf(settings.models, settings.thread_count)
        self.keeper: Keeper | None = None
        self.looker = looker or WorktreeCache(source, self.max_bytes)
        self._owns_looker = looker is None
        self._past: Snapshot | None = None
        self._late = False
        self._report: Progress = no_progress
        self._code: tuple[str, CodeIndex] | None = None
        self._last_graph: tuple[CodeIndex, Graph] | None = None
        self._known_vectors: dict[str, SegmentVectors] = {}
        self._rewrite_memory = RewriteMemory()
        self._commits: CommitUpdate | None = None
        self._identity: tuple[str, str] | None = None
        self._early: Background[None] | None = None
        self._listed: tuple[str, list[CommitRef]] | None = None

    @property
    def max_bytes(self) -> int:
        """The size beyond which a file is left out."""
        return self.settings.max_file_kb * 1024

    def close(self) -> None:
        """Stop watching the folder, unless others watch it too."""
        if self._owns_looker:
            self.looker.close()

    def distrust(self) -> None:
        """Forget which indexes were ready: somebody may have cleared the store."""
        self._code = self._commits = self._identity = None

    def look(self, at: str | None, patience: float | None = None) -> Snapshot:
        """The snapshot that a search would see now. See `WorktreeCache.look` for `patience`."""
        if at is not None or self.source.kind == "bare":
            return self._look_at_commit(at)
        return self.looker.look(self.store, patience)

    def _look_at_commit(self, at: str | None) -> Snapshot:
        if not self.source.root.exists():
            raise NoSuchPath(f"{self.source.name} is gone: there is no folder {self.source.root} any more")
        if at is None and self.source.head() is None:
            raise EmptyRepository(f"{self.source.name} has no commit yet: there is nothing to search")
        commit = self.source.resolve("HEAD" if at is None else at)
        if self._past is None or self._past.commit != commit:
            self._past = commit_snapshot(self.source, commit)
        return self._past

    def prepare(
        self, at: str | None, progress: Progress, wait_seconds: float = 0.0, *, whole: bool = False
    ) -> Prepared:
        """Look, update and open. Raises EmptyRepository when there is nothing to search.

        While another process, or the keeper, indexes this repository, wait for it as long as `wait_seconds`, then take
        what is ready; or raise StoreBusy if only a `whole` index will do. Raises TooBusy when not even the files of the
        place are known yet.
        """
        self._report = progress
        kept = self.keeper is not None and at is None
        if not kept:
            self._start_listing()
        patience = self._leave_to_keeper(wait_seconds) if kept else None
        for last in range(_ROUNDS):
            prepared, moved = self._prepare(self._seen(at, patience), kept, wait_seconds, whole)
            if not moved:
                break
            if last == _ROUNDS - 1:
                prepared.notes.append(f"{len(moved)} files kept changing while they were read and are left out")
        if not prepared.partial and not prepared.code.file_count:
            raise EmptyRepository(f"{self.source.name} holds no file that can be searched")
        return prepared

    def _forward(self, step: str, done: int, total: int | None) -> None:
        """Report to whoever asked last: what is kept from question to question must not report to the first."""
        self._report(step, done, total)

    def _leave_to_keeper(self, seconds: float) -> float:
        """Give the keeper so long to bring the index up to date. Returns how many seconds are left for a look."""
        assert self.keeper is not None
        until = time.monotonic() + seconds
        while not self.is_ready(until - time.monotonic()):
            left = until - time.monotonic()
            # Also without time to wait: the look has used up the event that would have told the keeper.
            if not self.keeper.bring_up_to_date(max(left, 0.0), self._forward) or left <= 0:
                break
        return max(_SHORTEST_LOOK, until - time.monotonic())

    def is_ready(self, patience: float = 0.0) -> bool:
        """Whether what is there now needs no work. Knows nothing before the keeper does."""
        try:
            snapshot = self.look(None, max(_SHORTEST_LOOK, patience))
        except TooBusy:
            return False
        self._identity = None  # the keeper may have found out that this clone lacks objects
        if snapshot.commit is not None and not is_known(self.store, self.source):
            return False
        return self._is_whole(snapshot)

    def _is_whole(self, snapshot: Snapshot) -> bool:
        """Whether the indexes of a snapshot are ready, vectors included."""
        code = self.ready_code(snapshot)
        if code is None or not self._has_vectors(code):
            return False
        return snapshot.commit is None or self.ready_commits(snapshot) is not None

    def _has_vectors(self, code: CodeIndex) -> bool:
        """Whether vectors need no work, or nobody but whoever searches can do it."""
        table = self.models.static()
        if table is None or self.store.read_only:
            return True
        from trackdown.index.vectors import have_vectors

        return have_vectors(self.store, code, table, self._known_vectors)

    def _seen(self, at: str | None, patience: float | None) -> Snapshot:
        """What is there; what was there a moment ago while another thread takes long to look."""
        self._late = False
        try:
            return self.look(at, patience)
        except TooBusy:
            if self.looker.last is None:
                raise
            self._late = True
            return self.looker.last

    def _prepare(
        self, snapshot: Snapshot, kept: bool, wait_seconds: float, whole: bool
    ) -> tuple[Prepared, tuple[str, ...]]:
        if kept and snapshot.commit is not None and not is_known(self.store, self.source):
            raise TooBusy(f"{self.source.name} is being indexed for the first time: ask again in a moment")
        code = self.ready_code(snapshot)
        commits = self.ready_commits(snapshot)
        update = CodeUpdate(code) if code is not None else None
        behind = without_vectors = False
        if kept and update is not None:
            without_vectors = not self._has_vectors(update.index)
        if update is None or without_vectors or (snapshot.commit is not None and commits is None):
            if not kept:
                update, commits = self._update(snapshot, update, commits, wait_seconds, whole)
            elif (before := self._before()) is not None:
                without_vectors = False
                snapshot, code, commits, behind = before, self.ready_code(before), self.ready_commits(before), True
                assert code is not None
                update = CodeUpdate(code)
            else:
                update = update or self._part(snapshot, self.identity(snapshot.commit))
        history = (commits.index, snapshot.commit) if commits is not None and snapshot.commit is not None else None
        prepared = Prepared(
            snapshot,
            update.index,
            history,
            partial(self._graph, snapshot, update.index),
            _no_vectors if without_vectors else partial(self._vectors, update.index),
            partial(self._messages, snapshot.commit, commits.index if commits is not None else None),
            self.models,
            StoreFacts(self.store),
            SnapshotRewrites(self.store, update.index, self._rewrite_memory, self._report),
            list(self.store.notes),
        )
        if update.pending or (snapshot.commit is not None and commits is None):
            prepared.partial = True
            prepared.notes.append(self._why_partial(len(snapshot.files), update))
        elif self._late or behind:
            prepared.partial = True
            prepared.notes.append(self._why_late())
        elif without_vectors:
            prepared.partial = True
            prepared.notes.append("the vectors of the index are being made: searched without them")
        if commits is not None and commits.incomplete:
            prepared.notes.append(
                f"this clone is not complete: {commits.incomplete} commits are known without all changes or renames"
            )
        return prepared, update.moved

    def _why_partial(self, total: int, update: CodeUpdate) -> str:
        """A note. Raises StoreError when there is nothing to search, and will not be by itself."""
        problem = self.keeper.problem() if self.keeper is not None else ""
        if problem and not update.index.file_count:
            full = self.keeper is not None and self.keeper.out_of_room()
            raise (StoreFull if full else StoreError)(f"{self.source.name} cannot be indexed: {problem}")
        reason = f"the index cannot be brought up to date ({problem})" if problem else "the index is being made"
        ready = f"{total - update.pending} of {total} files are searchable so far"
        return f"{'another process is indexing' if self.keeper is None else reason}: {ready}"

    def _why_late(self) -> str:
        problem = self.keeper.problem() if self.keeper is not None else ""
        reason = f"cannot be brought up to date ({problem})" if problem else "is being brought up to date"
        return f"the index {reason}: this answer is of the state before the latest changes"

    def _before(self) -> Snapshot | None:
        """The state that was indexed last, if its index is still there: a better answer than part of a new one."""
        before = self.looker.whole
        return before if before is not None and self._is_whole(before) else None

    def _part(self, snapshot: Snapshot, repository: str) -> CodeUpdate:
        """What is searchable of a snapshot that somebody else is indexing."""
        key = manifest_key(snapshot, repository)
        part = self.looker.known_part(key)
        if part is None:
            started = time.monotonic()
            part = partial_code(self.store, snapshot, repository)
            self.looker.keep_part(key, time.monotonic() - started, part)
        return part

    def _graph(self, snapshot: Snapshot, code: CodeIndex) -> Graph:
        """The graph of a snapshot; the last one is kept with what it has resolved."""
        if self._last_graph is None or self._last_graph[0] is not code:
            from trackdown.graph.graph import Graph
            from trackdown.index.program import IndexedProgram

            program = IndexedProgram(
                code,
                snapshot,
                self.store,
                max_bytes=self.max_bytes,
                workers=self.settings.worker_count,
                progress=self._forward,
            )
            self._last_graph = (code, Graph(program))
        return self._last_graph[1]

    def _vectors(self, code: CodeIndex) -> UnitVectors | None:
        """The static vectors of a snapshot's units; those of segments that it shares with the last one are at hand."""
        table = self.models.static()
        if table is None:
            return None
        from trackdown.index.vectors import unit_vectors

        return unit_vectors(self.store, code, table, self._known_vectors, self._forward)

    def _messages(self, commit: str | None, index: CommitIndex | None, positions: Sequence[int]) -> list[str]:
        """Whole messages of commits of the history."""
        from trackdown.index.messages import commit_messages

        return commit_messages(self.store, self.identity(commit), index, positions) if index is not None else []

    def key(self, snapshot: Snapshot) -> str:
        """The key of a snapshot's code index."""
        return manifest_key(snapshot, self.identity(snapshot.commit))

    def ready_code(self, snapshot: Snapshot) -> CodeIndex | None:
        """The code index of a snapshot, if it needs no work."""
        key = self.key(snapshot)
        if self._code is None or self._code[0] != key:
            ready = open_code(self.store, key)
            if ready is None:
                return None
            self._code = (key, ready.index)
        return self._code[1]

    def ready_commits(self, snapshot: Snapshot) -> CommitUpdate | None:
        """The commit index, if it knows the snapshot's commit."""
        if snapshot.commit is None:
            return None
        for found in (self._commits, open_commits(self.store, self.identity(snapshot.commit))):
            if found is not None and found.index.position(snapshot.commit) >= 0:
                self._commits = found
                return found
        return None

    def commits(self, commit: str, progress: Progress) -> CommitIndex:
        """The commit index, brought up to date for a commit."""
        if self._commits is None or self._commits.index.position(commit) < 0:
            with self.store.writing(self.identity(commit), wait_seconds=60) as held:
                if not held:
                    raise StoreError("another process is indexing this repository: try again when it is done")
                self._commits = self._update_history(commit, self.identity(commit), progress)
        return self._commits.index

    def identity(self, tip: str | None) -> str:
        """The repository's id in the store."""
        kind = "folder" if tip is None else "history"
        if self._early is not None:
            early, self._early = self._early, None
            early.wait()
        if self._identity is None or self._identity[0] != kind:
            self._identity = (kind, repository_id(self.store, self.source, tip))
        return self._identity[1]

    def _start_listing(self) -> None:
        """In a clone that the store does not know, let git list all commits while we look at the files."""
        tip = self.source.head() if self._identity is None else None
        git = self.source.git
        if tip is None or git is None or is_known(self.store, self.source):
            return

        def find() -> None:
            listed = list_commits(git, tip)
            self._identity = ("history", repository_id(self.store, self.source, tip, listed))
            self._listed = (tip, listed)

        self._early = Background(find)

    def _update(
        self,
        snapshot: Snapshot,
        code: CodeUpdate | None,
        commits: CommitUpdate | None,
        wait_seconds: float,
        whole: bool,
    ) -> tuple[CodeUpdate, CommitUpdate | None]:
        """Build what is missing, code and history side by side. Without the lock, take what is ready."""
        repository = self.identity(snapshot.commit)
        progress = self._report
        with self.store.writing(repository, wait_seconds) as held:
            if not held:
                if whole:
                    raise StoreBusy(f"another process is indexing {self.source.name}")
                return code or self._part(snapshot, repository), commits
            if wait_seconds:  # whoever had the lock may have built the very same
                ready = self.ready_code(snapshot)
                code, commits = code or (CodeUpdate(ready) if ready else None), self.ready_commits(snapshot)
            if self.store.read_only:
                raise StoreError(f"{self.source.name} is not indexed, and {self.store.database.unwritable()}")
            side = Stoppable(progress)
            history = None
            if snapshot.commit is not None and commits is None:
                history = Background(partial(self._update_history, snapshot.commit, repository, side))
            try:
                if code is None:
                    code = self._update_code(snapshot, repository, progress)
                if history is not None:
                    history.wait()
                    commits = self._commits = history.result()
            except BaseException as error:
                side.stop = True
                if history is not None:
                    history.wait(None if isinstance(error, Exception) else _SECONDS_TO_STOP)
                raise
            from trackdown.engine.indexing.housekeeping import collect_beyond_limit

            collect_beyond_limit(self.store, self.settings.store_limit_mb << 20)
        return code, commits

    def _update_code(self, snapshot: Snapshot, repository: str, progress: Progress) -> CodeUpdate:
        update = update_code(
            self.store,
            snapshot,
            repository,
            max_bytes=self.max_bytes,
            workers=self.settings.worker_count,
            progress=progress,
        )
        if update.repository != repository:
            self._identity = ("history", update.repository)
        if not update.moved:
            self._code = (manifest_key(snapshot, update.repository), update.index)
        return update

    def _update_history(self, tip: str, repository: str, progress: Progress) -> CommitUpdate:
        """Runs beside the parser, with a connection of its own."""
        store = Store(self.settings.store)
        try:
            present = open_commits(store, repository)
            if present is not None and present.index.position(tip) >= 0:
                return present
            listed = self._listed[1] if self._listed is not None and self._listed[0] == tip else None
            self._listed = None
            update, identity = update_commits(store, self.source, repository, tip, present, progress, listed)
            self._identity = ("history", identity)
            return update
        finally:
            store.close()
