"""An open repository: its source, its store and its indexes, and how the rooms of the engine reach them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from trackdown.engine.indexing.build import IndexBuilder
from trackdown.engine.indexing.open_indexes import OpenIndexes
from trackdown.engine.indexing.read import IndexReader, Keeper
from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.engine.project_settings import project_settings
from trackdown.errors import ModelError
from trackdown.index import Corpus
from trackdown.repository import Source
from trackdown.settings import Settings
from trackdown.store import Store
from trackdown.types import DeepState, Progress, no_progress


class OpenRepository:
    """A repository or folder that is open. Not thread-safe.

    A repository opened at a subfolder is `confined` to it; with `confined` False, only `search` is. Paths in questions
    are resolved from the current folder first, or with `from_root` only from the root. In a server, the repositories of
    one folder share a `worktree`, and a `keeper` indexes the present state for them. They wait `patience` seconds for
    another thread or process, then answer with the index that is ready.
    """

    def __init__(
        self,
        source: Source,
        store: Store,
        settings: Settings,
        notes: Sequence[str] = (),
        *,
        from_root: bool = False,
        worktree: WorktreeCache | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.source = source
        self.store = store
        self.settings = settings
        self.patience = 0.0
        self.confined = True
        self.from_root = from_root
        self.notes = tuple(notes)
        self._owns_worktree = worktree is None
        self.worktree = worktree or WorktreeCache(source, settings.max_file_bytes)
        self.indexes = OpenIndexes(source, store, settings, self.worktree)
        self._builder = IndexBuilder(self.indexes)
        self._reader = IndexReader(self.indexes, keeper) if keeper is not None else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and stop watching. If you don't, the garbage collector does the same later."""
        if self._owns_worktree:
            self.worktree.close()
        self.store.close()

    def deepen(self, corpus: Corpus, *, wait: bool = True, progress: Progress = no_progress) -> DeepState:
        """Compute what the deep index of a corpus lacks. Raises StoreBusy, or waits, if another process does it.

        Raises ModelError without an encoder, and StoreError.
        """
        from trackdown.engine.indexing.deep_reading import read_missing_alone

        deep = self.indexes.deep(corpus.snapshot, corpus.code)
        if not deep.reader or deep.models.encoder() is None:
            why = "; ".join(deep.models.notes()) or "there is no encoder (`trackdown modes` lists the models)"
            raise ModelError(f"{self.source.name}: the deep index cannot be computed: {why}")
        if not deep.state().ready:
            read_missing_alone(deep, self.indexes.identity(corpus.snapshot.commit), progress, wait=wait)
        return deep.state()

    def deepen_present(self, progress: Progress) -> None:
        """Compute what the deep index of the present state lacks, unless that state is not indexed yet.

        Raises StoreBusy if another process does it, and what `deepen` raises.
        """
        try:
            corpus = self.present_or(None, progress)
            if not corpus.partial:
                self.deepen(corpus, wait=False, progress=progress)
        finally:
            self.indexes.progress = no_progress

    def present_or(self, at: str | None, progress: Progress) -> Corpus:
        """The corpus to answer from, up to date: the present state, or a revision."""
        if self._reader is not None and at is None:
            return self._reader.corpus(progress, self.patience)
        return self._builder.corpus(at, progress, self.patience)

    def settings_at(self, at: str | None) -> Settings:
        """The settings for a question about the present state, or about a revision: with those of the repository's own
        file. Raises ProjectFileError and UnknownRevision.
        """
        return project_settings(self.source, self.settings, at)

    @property
    def within(self) -> str:
        """Answers are limited to this folder; '' for no limit."""
        return self.source.subfolder if self.confined else ""

    def notes_of(self, corpus: Corpus) -> tuple[str, ...]:
        """All notes about a corpus, and about damage that was found on the way, without duplicates."""
        return tuple(dict.fromkeys([*self.notes, *corpus.notes, *self.store.take_notes()]))
