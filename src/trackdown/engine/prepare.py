"""Before every search: look at what is there, and bring its indexes up to date.

This is why an answer is never stale: keys say which index belongs to what is on disk now, and nothing else is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.background import Background, Stoppable
from trackdown.engine.fact_cache import StoreFacts
from trackdown.engine.models import ModelShelf, model_shelf
from trackdown.engine.rewrites import RewriteMemory, SnapshotRewrites
from trackdown.errors import EmptyRepository, StoreError
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.index.repository_id import is_known, repository_id
from trackdown.index.update_code import CodeUpdate, manifest_key, open_code, partial_code, update_code
from trackdown.index.update_commits import CommitUpdate, open_commits, update_commits
from trackdown.repository.history import Listed, list_commits
from trackdown.repository.snapshot import Snapshot, commit_snapshot
from trackdown.repository.source import Source
from trackdown.repository.watch import Watch
from trackdown.repository.worktree import WorktreeState, decode_state, encode_state, look, steering_holds
from trackdown.settings import Settings
from trackdown.store.store import Store
from trackdown.types import FactCache, Progress, SnapshotInfo

if TYPE_CHECKING:
    from trackdown.graph.graph import Graph
    from trackdown.index.vectors import SegmentVectors, UnitVectors

_STATES = "worktree"
_ROUNDS = 3
_SECONDS_TO_STOP = 0.5


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


class Preparer:
    """Keeps one source's snapshot and indexes between searches."""

    def __init__(self, source: Source, store: Store, settings: Settings) -> None:
        self.source = source
        self.store = store
        self.settings = settings
        self.models = model_shelf(settings.models, settings.thread_count)
        self._watch = Watch()
        self._looks = 0
        self._state: WorktreeState | None = None
        self._snapshot: Snapshot | None = None
        self._code: tuple[str, CodeIndex] | None = None
        self._last_graph: tuple[CodeIndex, Graph] | None = None
        self._known_vectors: dict[str, SegmentVectors] = {}
        self._rewrite_memory = RewriteMemory()
        self._commits: CommitUpdate | None = None
        self._identity: tuple[str, str] | None = None
        self._early: Background[None] | None = None
        self._listed: tuple[str, list[Listed]] | None = None

    @property
    def max_bytes(self) -> int:
        """The size beyond which a file is left out."""
        return self.settings.max_file_kb * 1024

    def close(self) -> None:
        """Stop watching the folder."""
        self._watch.close()

    def look(self, at: str | None) -> Snapshot:
        """The snapshot that a search would see now."""
        if at is not None or self.source.kind == "bare":
            return self._look_at_commit(at)
        last = self._snapshot if self._snapshot is not None and self._snapshot.on_disk else None
        if last is not None and self._state is not None:
            if self._watch.quiet() and self.source.head() == last.commit and steering_holds(self._state):
                return last
            self._snapshot = None  # until the look has succeeded: what the watch told us, it tells once
            self._watch.arm(self.source.root, self._state.folders)
        place = str(self.source.root).encode("utf-8", "replace").decode()
        if self._state is None:
            record = self.store.database.read_record(_STATES, place)
            self._state = decode_state(record) if record is not None else None
        seen = look(self.source, self._state, self.max_bytes, last)
        if seen.changed and not self.store.read_only and (data := encode_state(seen.state)):
            with suppress(StoreError):  # it only spares the next look some work: a full disk must not end a search
                self.store.database.write_record(_STATES, place, data)
        if self._state is None or seen.state.folders != self._state.folders:
            self._watch.close()  # folders may have come, or gone and come back under their names: watch anew
        self._state, self._snapshot = seen.state, seen.snapshot
        return seen.snapshot

    def _look_at_commit(self, at: str | None) -> Snapshot:
        if at is None and self.source.head() is None:
            raise EmptyRepository(f"{self.source.name} has no commit yet: there is nothing to search")
        commit = self.source.resolve("HEAD" if at is None else at)
        if self._snapshot is None or self._snapshot.on_disk or self._snapshot.commit != commit:
            self._snapshot = commit_snapshot(self.source, commit)
        return self._snapshot

    def prepare(self, at: str | None, progress: Progress, wait_seconds: float = 0.0) -> Prepared:
        """Look, update and open. Raises EmptyRepository when there is nothing to search.

        While another process indexes this repository, wait for it as long as `wait_seconds`, then take what is ready.
        """
        self._start_listing()
        for last in range(_ROUNDS):
            prepared, moved = self._prepare(self.look(at), progress, wait_seconds)
            if not moved:
                break
            if last == _ROUNDS - 1:
                prepared.notes.append(f"{len(moved)} files kept changing while they were read and are left out")
        if not prepared.partial and not prepared.code.file_count:
            raise EmptyRepository(f"{self.source.name} holds no file that can be searched")
        return prepared

    def _prepare(self, snapshot: Snapshot, progress: Progress, wait_seconds: float) -> tuple[Prepared, tuple[str, ...]]:
        code = self.ready_code(snapshot)
        commits = self.ready_commits(snapshot)
        update = CodeUpdate(code) if code is not None else None
        if update is None or (snapshot.commit is not None and commits is None):
            update, commits = self._update(snapshot, update, commits, progress, wait_seconds)
        history = (commits.index, snapshot.commit) if commits is not None and snapshot.commit is not None else None
        prepared = Prepared(
            snapshot,
            update.index,
            history,
            partial(self._graph, snapshot, update.index, progress),
            partial(self._vectors, update.index, progress),
            partial(self._messages, snapshot.commit, commits.index if commits is not None else None),
            self.models,
            StoreFacts(self.store),
            SnapshotRewrites(self.store, update.index, self._rewrite_memory, progress),
            list(self.store.notes),
        )
        if update.pending or (snapshot.commit is not None and commits is None):
            prepared.partial = True
            total = len(snapshot.files)
            prepared.notes.append(
                f"another process is indexing: {total - update.pending} of {total} files are searchable so far"
            )
        if commits is not None and commits.incomplete:
            prepared.notes.append(
                f"this clone is not complete: {commits.incomplete} commits are known without all changes or renames"
            )
        return prepared, update.moved

    def _graph(self, snapshot: Snapshot, code: CodeIndex, progress: Progress) -> Graph:
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
                progress=progress,
            )
            self._last_graph = (code, Graph(program))
        return self._last_graph[1]

    def _vectors(self, code: CodeIndex, progress: Progress) -> UnitVectors | None:
        """The static vectors of a snapshot's units; those of segments that it shares with the last one are at hand."""
        table = self.models.static()
        if table is None:
            return None
        from trackdown.index.vectors import unit_vectors

        return unit_vectors(self.store, code, table, self._known_vectors, progress)

    def _messages(self, commit: str | None, index: CommitIndex | None, positions: Sequence[int]) -> list[str]:
        """Whole messages of commits of the history."""
        from trackdown.index.messages import commit_messages

        return commit_messages(self.store, self.identity(commit), index, positions) if index is not None else []

    def ready_code(self, snapshot: Snapshot) -> CodeIndex | None:
        """The code index of a snapshot, if it needs no work."""
        key = manifest_key(snapshot, self.identity(snapshot.commit))
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
        progress: Progress,
        wait_seconds: float,
    ) -> tuple[CodeUpdate, CommitUpdate | None]:
        """Build what is missing, code and history side by side. Without the lock, take what is ready."""
        repository = self.identity(snapshot.commit)
        with self.store.writing(repository, wait_seconds) as held:
            if not held:
                return code or partial_code(self.store, snapshot, repository), commits
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
            from trackdown.engine.housekeeping import collect_beyond_limit

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
