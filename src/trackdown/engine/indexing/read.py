"""For servers: open what the keeper has indexed, and build nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.engine.indexing.partial import gather_partial
from trackdown.errors import EmptyRepository, StoreError, StoreFull, TooBusy
from trackdown.index import CodeIndex, CodeUpdate, CommitUpdate, Corpus, is_known
from trackdown.repository import Snapshot
from trackdown.types import Progress

_SHORTEST_LOOK = 0.25
"""Seconds that a search waits at least for another thread that is scanning the disk."""


class Keeper(Protocol):
    """Keeps the indexes of a folder up to date, so that other threads of this process only read."""

    def bring_up_to_date(self, seconds: float, progress: Progress) -> bool:
        """Request an update and wait for it, at most `seconds`. Returns whether it succeeded in time."""
        ...

    def problem(self) -> str:
        """Why the last update failed; empty if it did not."""
        ...

    def out_of_room(self) -> bool:
        """Whether the last update failed because the disk is full."""
        ...

    def take_notes(self) -> list[str]:
        """What was found damaged, and built again, since the last call."""
        ...


class OutOfDate(TooBusy):
    """The present state is not indexed yet, and the caller can wait for the keeper."""


class IndexReader:
    """Opens the index of the present state, for one thread of a server."""

    def __init__(self, indexes: OpenIndexes, keeper: Keeper) -> None:
        self._indexes = indexes
        self._source = indexes.source
        self._keeper = keeper

    def corpus(self, progress: Progress, patience: float) -> Corpus:
        """The present state, if it is indexed. Scans the disk once.

        If it is not indexed, raises OutOfDate while there is `patience`. Without patience, returns the previous state,
        or the ready part of a first index, marked partial. Raises TooBusy if nothing is indexed yet, EmptyRepository if
        there is nothing to search, and StoreError if indexing has failed.
        """
        self._indexes.progress = progress
        snapshot, late = self._look(patience)
        indexed = self._indexed(snapshot)
        complete = _is_complete(indexed, snapshot)
        if not complete and patience > 0:
            raise self._out_of_date()
        if not complete:
            self._keeper.bring_up_to_date(0.0, progress)  # the scan has consumed the event that would have woken it
        corpus = self._complete(snapshot, indexed, late) if complete else self._next_best(snapshot, indexed)
        if not corpus.partial and not corpus.code.file_count:
            raise EmptyRepository(f"{self._source.name} has no searchable files")
        return corpus

    def require_current(self, patience: float) -> None:
        """Raise OutOfDate if the present state is not indexed and there is `patience` to wait for the keeper."""
        if patience > 0:
            snapshot, _ = self._look(patience)
            if not _is_complete(self._indexed(snapshot), snapshot):
                raise self._out_of_date()

    def _out_of_date(self) -> OutOfDate:
        return OutOfDate(f"{self._source.name} has changed and is being indexed: try again in a moment")

    def _look(self, patience: float) -> tuple[Snapshot, bool]:
        """The present snapshot and False; or the last one and True, if another thread's scan takes too long."""
        try:
            return self._indexes.look(None, max(_SHORTEST_LOOK, patience)), False
        except TooBusy:
            last = self._indexes.worktree.last
            if last is None:
                raise
            return last, True

    def _indexed(self, snapshot: Snapshot) -> _Indexed | None:
        """The ready indexes of a snapshot; None if the store does not know this clone yet."""
        if snapshot.commit is not None:
            if not is_known(self._indexes.store, self._source):
                return None
            self._indexes.set_identity(None)  # it changes if the keeper finds that the clone is incomplete
        code = self._indexes.code(snapshot)
        return _Indexed(code, self._indexes.commits(snapshot), code is not None and self._indexes.has_vectors(code))

    def _complete(self, snapshot: Snapshot, indexed: _Indexed | None, late: bool) -> Corpus:
        assert indexed is not None and indexed.code is not None
        notes = [*self._keeper.take_notes(), *([self._why_behind()] if late else [])]
        return self._indexes.corpus(snapshot, indexed.code, indexed.commits, notes=notes, partial_answer=late)

    def _next_best(self, snapshot: Snapshot, indexed: _Indexed | None) -> Corpus:
        """The state that was indexed last, or the ready part of this one."""
        if indexed is None:
            raise TooBusy(f"{self._source.name} is being indexed for the first time: try again in a moment")
        before = self._indexes.worktree.whole
        earlier = self._indexed(before) if before is not None else None
        if before is not None and _is_complete(earlier, before):
            return self._complete(before, earlier, late=True)
        update = CodeUpdate(indexed.code) if indexed.code is not None else gather_partial(self._indexes, snapshot)
        missing_history = snapshot.commit is not None and indexed.commits is None
        note = "the vectors are not ready yet: searched without them"
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
        """A note. Raises StoreError if there is nothing to search and waiting will not help."""
        problem = self._keeper.problem()
        if problem and not update.index.file_count:
            kind = StoreFull if self._keeper.out_of_room() else StoreError
            raise kind(f"{self._source.name} cannot be indexed: {problem}")
        reason = f"the index cannot be updated ({problem})" if problem else "the index is being built"
        return f"{reason}: {total - update.pending} of {total} files are searchable so far"

    def _why_behind(self) -> str:
        problem = self._keeper.problem()
        reason = f"cannot be updated ({problem})" if problem else "is being updated"
        return f"the index {reason}: this answer does not include the latest changes"


@dataclass(frozen=True, slots=True)
class _Indexed:
    """The ready indexes of a snapshot."""

    code: CodeIndex | None
    commits: CommitUpdate | None
    has_vectors: bool


def _is_complete(indexed: _Indexed | None, snapshot: Snapshot) -> bool:
    if indexed is None or indexed.code is None or not indexed.has_vectors:
        return False
    return snapshot.commit is None or indexed.commits is not None
