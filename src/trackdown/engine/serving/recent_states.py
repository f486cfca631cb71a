"""The recent states of a live index: each edit makes one, and only the last few stay in the store."""

from __future__ import annotations

from contextlib import suppress

from trackdown.engine.indexing.housekeeping import drop_deltas
from trackdown.engine.repository import Repository
from trackdown.errors import StoreError
from trackdown.index import Corpus
from trackdown.types import Progress

_KEPT = 8


class RecentStates:
    """Builds the present state, and drops the indexes of old states."""

    def __init__(self) -> None:
        self._keys: list[str] = []

    def build(self, repository: Repository, wait: float, progress: Progress) -> Corpus:
        """Bring the index of the present state up to date, vectors included.

        Raises StoreBusy when another process has been indexing it for `wait` seconds.
        """
        corpus = repository.corpus(wait=wait, progress=progress)
        corpus.vectors()
        repository.worktree.whole = corpus.snapshot
        key = corpus.code.segments[-1].key
        self._keys = [*(old for old in self._keys if old != key), key]
        with suppress(StoreError):  # a full disk must not end an update
            drop_deltas(repository.store, self._keys[:-_KEPT])
        self._keys = self._keys[-_KEPT:]
        return corpus
