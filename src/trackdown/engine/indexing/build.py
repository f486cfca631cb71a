"""Before a search: scan the source, build what the indexes lack, and open them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from trackdown.engine.indexing.background import Background, Stoppable
from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.engine.indexing.partial import gather_partial
from trackdown.errors import EmptyRepository, StoreBusy, StoreError, StoreFull
from trackdown.index import (
    CodeUpdate,
    CommitUpdate,
    Corpus,
    is_known,
    open_commits,
    repository_id,
    update_code,
    update_commits,
)
from trackdown.repository import CommitRef, Snapshot, list_commits
from trackdown.store import Store
from trackdown.types import Progress

_ROUNDS = 3
_SECONDS_TO_STOP = 0.5


class IndexBuilder:
    """Brings the indexes of a source up to date, one process at a time."""

    def __init__(self, indexes: OpenIndexes) -> None:
        self._indexes = indexes
        self._source = indexes.source
        self._store = indexes.store
        self._settings = indexes.settings
        self._listed: tuple[str, list[CommitRef]] | None = None

    def corpus(
        self, at: str | None, progress: Progress, wait_seconds: float = 0.0, *, complete: bool = False
    ) -> Corpus:
        """Scan, build and open. Raises EmptyRepository if there is nothing to search.

        If another process is indexing this repository, wait up to `wait_seconds` for it, then use the part that is
        ready, or raise StoreBusy if the caller needs a `complete` index.
        """
        self._indexes.progress = progress
        listing = self._start_listing()
        for attempt in range(_ROUNDS):
            snapshot = self._indexes.look(at)
            if listing is not None:
                listing.wait()
            if self._indexes.worktree.withdrawn and not self._store.read_only:
                self._withdraw(snapshot, wait_seconds)
            corpus, moved = self._build(snapshot, wait_seconds, complete, last=attempt == _ROUNDS - 1)
            if not moved:
                break
        if not corpus.partial and not corpus.code.file_count:
            raise EmptyRepository(f"{self._source.name} has no searchable files")
        return corpus

    def _withdraw(self, snapshot: Snapshot, wait_seconds: float) -> None:
        """Remove from the store what has become ignored. If that fails now, the next search tries again."""
        from trackdown.engine.indexing.withdrawal import withdraw

        worktree = self._indexes.worktree
        repository = self._indexes.identity(snapshot.commit)
        paths = worktree.withdrawn.keys() - {file.path for file in snapshot.files}
        with suppress(StoreBusy, StoreFull), self._store.writing(repository, wait_seconds) as held:
            if held:
                present = {file.oid for file in snapshot.files}
                repositories = [name for name in (repository, self._indexes.imported()) if name is not None]
                withdraw(self._store, repositories, paths, worktree.withdrawn.values(), present)
                worktree.forget_withdrawn(self._store)
                self._indexes.forget()

    def _build(self, snapshot: Snapshot, wait_seconds: float, complete: bool, *, last: bool) -> tuple[Corpus, bool]:
        """The corpus of a snapshot, and whether files changed while they were read."""
        code, commits = self._indexes.code(snapshot), self._indexes.commits(snapshot)
        update = CodeUpdate(code) if code is not None else None
        if update is None or (snapshot.commit is not None and commits is None):
            update, commits = self._update(snapshot, update, commits, wait_seconds, complete)
        in_memory = not all(segment.name for segment in update.index.segments)  # so it has no vectors either
        incomplete = bool(update.pending) or in_memory or (snapshot.commit is not None and commits is None)
        notes = []
        if incomplete:
            ready = f"{len(snapshot.files) - update.pending} of {len(snapshot.files)} files are searchable so far"
            notes.append(f"another process is indexing: {ready}")
        if update.moved and last:
            notes.append(f"{len(update.moved)} files changed while they were being read and were left out")
        corpus = self._indexes.corpus(snapshot, update.index, commits, notes=notes, partial_answer=incomplete)
        return corpus, bool(update.moved)

    def _start_listing(self) -> Background[None] | None:
        """For a clone that the store does not know, list all commits while the files are scanned."""
        git = self._source.git
        if git is None or is_known(self._store, self._source) or (tip := self._source.head()) is None:
            return None

        def find() -> None:
            listed = list_commits(git, tip)
            self._indexes.set_identity(repository_id(self._store, self._source, tip, listed))
            self._listed = (tip, listed)

        return Background(find)

    def _update(
        self,
        snapshot: Snapshot,
        code: CodeUpdate | None,
        commits: CommitUpdate | None,
        wait_seconds: float,
        complete: bool,
    ) -> tuple[CodeUpdate, CommitUpdate | None]:
        """Build what is missing, code and history in parallel. Without the lock, use the part that is ready."""
        repository = self._indexes.identity(snapshot.commit)
        with self._store.writing(repository, wait_seconds) as held:
            if not held:
                if complete:
                    raise StoreBusy(f"another process is indexing {self._source.name}")
                return code or gather_partial(self._indexes, snapshot), commits
            if wait_seconds:  # the process that held the lock may have built the same
                ready = self._indexes.code(snapshot)
                code = code or (CodeUpdate(ready) if ready else None)
                commits = self._indexes.commits(snapshot)
            if self._store.read_only:
                raise StoreError(f"{self._source.name} is not indexed, and {self._store.database.unwritable()}")
            code, commits = self._side_by_side(snapshot, code, commits, repository)
            from trackdown.engine.indexing.housekeeping import collect_beyond_limit

            collect_beyond_limit(self._store, self._settings.store_limit_mb << 20)
        return code, commits

    def _side_by_side(
        self, snapshot: Snapshot, code: CodeUpdate | None, commits: CommitUpdate | None, repository: str
    ) -> tuple[CodeUpdate, CommitUpdate | None]:
        progress = self._indexes.progress
        side = Stoppable(progress)
        history = None
        if snapshot.commit is not None and commits is None:
            history = Background(partial(self._update_history, snapshot.commit, repository, side))
        try:
            if code is None:
                code = update_code(
                    self._store,
                    snapshot,
                    repository,
                    workers=self._settings.worker_count,
                    progress=progress,
                    imported=self._indexes.imported() if snapshot.commit is not None else None,
                )
                self._indexes.keep_code(snapshot, code)
            if history is not None:
                history.wait()
                commits = history.result()
                self._indexes.keep_commits(commits)
        except BaseException as error:
            side.stop = True
            if history is not None:
                history.wait(None if isinstance(error, Exception) else _SECONDS_TO_STOP)
            raise
        return code, commits

    def _update_history(self, tip: str, repository: str, progress: Progress) -> CommitUpdate:
        """Runs in the background, with its own connection to the store."""
        store = Store(self._settings.store)
        try:
            present, imported = open_commits(store, repository), None
            if present is None and (imported := self._indexes.imported()) is not None:
                present = open_commits(store, imported)
            if present is not None and present.index.position(tip) >= 0:
                return present
            listed = self._listed[1] if self._listed is not None and self._listed[0] == tip else None
            self._listed = None
            update, identity = update_commits(
                store, self._source, repository, tip, present, progress, listed, imported if present else None
            )
            self._indexes.set_identity(identity)
            return update
        finally:
            self._store.notes += store.take_notes()
            store.close()
