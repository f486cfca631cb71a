"""In a server: open what the keeper has indexed, and leave all building to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.engine.indexing.partial import gather_partial
from trackdown.errors import EmptyRepository, StoreError, StoreFull, TooBusy
from trackdown.index.code import CodeIndex
from trackdown.index.corpus import Corpus
from trackdown.index.repository_id import is_known
from trackdown.index.update_code import CodeUpdate
from trackdown.index.update_commits import CommitUpdate
from trackdown.repository.snapshot import Snapshot
from trackdown.types import Progress

_SHORTEST_LOOK = 0.25
"""How long a search waits at least for another thread that is looking at the disk."""


class Keeper(Protocol):
    """Keeps the indexes of a folder up to date, so that others in this process neither build nor write."""

    def bring_up_to_date(self, seconds: float, progress: Progress) -> bool:
        """Have it done, and wait at most `seconds`. False when it is not done by then, or failed."""
        ...

    def problem(self) -> str:
        """Why it failed the last time, or nothing."""
        ...

    def out_of_room(self) -> bool:
        """Whether it failed because the disk is full."""
        ...


class OutOfDate(TooBusy):
    """What is on disk now is not indexed yet, and the caller would rather wait for the keeper."""


class IndexReader:
    """Opens the index of what is on disk now, for one thread of a server."""

    def __init__(self, indexes: OpenIndexes, keeper: Keeper) -> None:
        self._indexes = indexes
        self._source = indexes.source
        self._keeper = keeper

    def corpus(self, progress: Progress, patience: float) -> Corpus:
        """The present state, if it is indexed. Looks at the disk once.

        If it is not, raises OutOfDate while there is `patience`. Without patience, the answer is the state before, or
        what is ready of a first index, marked partial. Raises TooBusy when nothing at all is known yet, EmptyRepository
        when there is nothing to search, and StoreError when indexing has failed.
        """
        self._indexes.progress = progress
        snapshot, late = self._look(patience)
        indexed = self._indexed(snapshot)
        complete = _is_complete(indexed, snapshot)
        if not complete and patience > 0:
            raise self._out_of_date()
        if not complete:
            self._keeper.bring_up_to_date(0.0, progress)  # the look has used up the event that would have told it
        corpus = self._complete(snapshot, indexed, late) if complete else self._next_best(snapshot, indexed)
        if not corpus.partial and not corpus.code.file_count:
            raise EmptyRepository(f"{self._source.name} has no file that can be searched")
        return corpus

    def require_current(self, patience: float) -> None:
        """Raise OutOfDate if what is on disk now is not indexed and there is `patience` to wait for the keeper."""
        if patience > 0:
            snapshot, _ = self._look(patience)
            if not _is_complete(self._indexed(snapshot), snapshot):
                raise self._out_of_date()

    def _out_of_date(self) -> OutOfDate:
        return OutOfDate(f"{self._source.name} has changed and is being indexed: ask again in a moment")

    def _look(self, patience: float) -> tuple[Snapshot, bool]:
        """What is there; and True for what was there a moment ago, if another thread takes long to look."""
        try:
            return self._indexes.look(None, max(_SHORTEST_LOOK, patience)), False
        except TooBusy:
            last = self._indexes.worktree.last
            if last is None:
                raise
            return last, True

    def _indexed(self, snapshot: Snapshot) -> _Indexed | None:
        """What is ready of a snapshot; None while the store has not met this clone."""
        if snapshot.commit is not None:
            if not is_known(self._indexes.store, self._source):
                return None
            self._indexes.set_identity(None)  # the keeper may have found out that the clone is incomplete
        code = self._indexes.code(snapshot)
        return _Indexed(code, self._indexes.commits(snapshot), code is not None and self._indexes.has_vectors(code))

    def _complete(self, snapshot: Snapshot, indexed: _Indexed | None, late: bool) -> Corpus:
        assert indexed is not None and indexed.code is not None
        notes = [self._why_behind()] if late else []
        return self._indexes.corpus(snapshot, indexed.code, indexed.commits, notes=notes, partial_answer=late)

    def _next_best(self, snapshot: Snapshot, indexed: _Indexed | None) -> Corpus:
        """The state that was indexed last, or what is ready of this one."""
        if indexed is None:
            raise TooBusy(f"{self._source.name} is being indexed for the first time: ask again in a moment")
        before = self._indexes.worktree.whole
        earlier = self._indexed(before) if before is not None else None
        if before is not None and _is_complete(earlier, before):
            return self._complete(before, earlier, late=True)
        update = CodeUpdate(indexed.code) if indexed.code is not None else gather_partial(self._indexes, snapshot)
        missing_history = snapshot.commit is not None and indexed.commits is None
        note = "the index's vectors are being made: searched without them"
        if update.pending or missing_history:
            note = self._why_partial(len(snapshot.files), update)
        return self._indexes.corpus(
            snapshot,
            update.index,
            indexed.commits,
            notes=[note],
            partial_answer=True,
            with_vectors=indexed.code is None or indexed.has_vectors,
        )

    def _why_partial(self, total: int, update: CodeUpdate) -> str:
        """A note. Raises StoreError when there is nothing to search and waiting will not change that."""
        problem = self._keeper.problem()
        if problem and not update.index.file_count:
            kind = StoreFull if self._keeper.out_of_room() else StoreError
            raise kind(f"{self._source.name} cannot be indexed: {problem}")
        reason = f"the index cannot be brought up to date ({problem})" if problem else "the index is being made"
        return f"{reason}: {total - update.pending} of {total} files are searchable so far"

    def _why_behind(self) -> str:
        problem = self._keeper.problem()
        reason = f"cannot be brought up to date ({problem})" if problem else "is being brought up to date"
        return f"the index {reason}: this answer does not include the latest changes"


@dataclass(frozen=True, slots=True)
class _Indexed:
    """What is ready of a snapshot."""

    code: CodeIndex | None
    commits: CommitUpdate | None
    has_vectors: bool


def _is_complete(indexed: _Indexed | None, snapshot: Snapshot) -> bool:
    if indexed is None or indexed.code is None or not indexed.has_vectors:
        return False
    return snapshot.commit is None or indexed.commits is not None
