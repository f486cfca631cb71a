"""The ready indexes of one source: found by keys that follow from its content, opened, and kept open.

This is why an answer is never stale: a key says which index belongs to which content, and no other index is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.engine.indexing.worktree_cache import WorktreeCache, folder_is_gone
from trackdown.errors import EmptyRepository
from trackdown.index import (
    CodeIndex,
    CodeUpdate,
    CommitIndex,
    CommitUpdate,
    Corpus,
    RewriteMemory,
    SnapshotRewrites,
    fact_maker,
    imported_into,
    manifest_key,
    may_be_completed,
    no_vectors,
    open_code,
    open_commits,
    repository_id,
)
from trackdown.models import model_shelf
from trackdown.repository import MISSING, Snapshot, Source, commit_snapshot
from trackdown.settings import Settings
from trackdown.store import Store
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.engine.indexing.deep_index import SnapshotDeep
    from trackdown.graph import Graph
    from trackdown.index import DeepSegment, MakeFacts, SegmentVectors, UnitVectors


class OpenIndexes:
    """Opens the ready indexes of one source, and caches the last ones. It builds nothing except vectors.

    `worktree` may be shared with other objects for the same folder. `progress` is the present caller's; objects that
    are kept between searches report to it.
    """

    def __init__(self, source: Source, store: Store, settings: Settings, worktree: WorktreeCache) -> None:
        self.source = source
        self.store = store
        self.settings = settings
        self.worktree = worktree
        self.facts = StoreFacts(store)
        self.models = model_shelf(settings.models, settings.thread_count)
        self.progress: Progress = no_progress
        self._past: Snapshot | None = None
        self._code: tuple[str, CodeIndex] | None = None
        self._commits: CommitUpdate | None = None
        self._identity: tuple[str, str] | None = None
        self._asked: tuple[CommitIndex | None, dict[int, str]] = (None, {})
        self._graph: tuple[CodeIndex, Graph] | None = None
        self._known_vectors: dict[str, SegmentVectors] = {}
        self._known_deep: dict[str, DeepSegment] = {}
        self._rewrite_memory = RewriteMemory()

    def look(self, at: str | None, patience: float | None = None) -> Snapshot:
        """The snapshot that a search would see now. See `WorktreeCache.look` for `patience`."""
        if at is None and self.source.kind != "bare":
            return self.worktree.look(self.store, patience)
        if not self.source.root.exists():
            raise folder_is_gone(self.source)
        if at is None and self.source.head() is None:
            raise EmptyRepository(f"{self.source.name} has no commit yet: there is nothing to search")
        commit = self.source.resolve("HEAD" if at is None else at)
        if self._past is None or self._past.commit != commit:
            self._past = commit_snapshot(self.source, commit, self.settings.max_file_bytes)
        return self._past

    # Which index belongs to a snapshot, and is it ready?

    def identity(self, tip: str | None) -> str:
        """The repository's id in the store."""
        kind = "folder" if tip is None else "history"
        if self._identity is None or self._identity[0] != kind:
            self._identity = (kind, repository_id(self.store, self.source, tip))
        return self._identity[1]

    def set_identity(self, identity: str | None) -> None:
        """Set the repository's id; None means that it is looked up again when it is next needed."""
        self._identity = None if identity is None else ("history", identity)

    def key(self, snapshot: Snapshot) -> str:
        """The key of a snapshot's code index."""
        return manifest_key(snapshot, self.identity(snapshot.commit))

    def code(self, snapshot: Snapshot) -> CodeIndex | None:
        """The code index of a snapshot, if it is ready. One that lacks blobs is not, once they are here."""
        key = self.key(snapshot)
        if self._code is None or self._code[0] != key:
            ready = open_code(self.store, key) or self._imported_code(snapshot)
            if ready is None:
                return None
            self._code = (key, ready.index)
        if may_be_completed(snapshot, self._code[1]):
            self._code = None
            return None
        return self._code[1]

    def commits(self, snapshot: Snapshot) -> CommitUpdate | None:
        """The commit index, if it contains the snapshot's commit."""
        if snapshot.commit is None:
            return None
        if self._commits is None or self._commits.index.position(snapshot.commit) < 0:
            for repository in filter(None, (self.identity(snapshot.commit), self.imported())):
                found = open_commits(self.store, repository)
                if found is not None and found.index.position(snapshot.commit) >= 0:
                    self._commits = found
                    return found
            return None
        return self._commits

    def imported(self) -> str | None:
        """The namespace of what was imported into this clone, if anything. What is computed here comes first."""
        found = imported_into(self.store, self.source)
        return None if found is None else found.namespace

    def _imported_code(self, snapshot: Snapshot) -> CodeUpdate | None:
        namespace = self.imported() if snapshot.commit is not None else None
        return None if namespace is None else open_code(self.store, manifest_key(snapshot, namespace))

    def has_vectors(self, code: CodeIndex) -> bool:
        """Whether the static vectors are ready, or can only be made in memory."""
        table = self.models.static()
        if table is None or self.store.read_only:
            return True
        from trackdown.index import have_vectors

        return have_vectors(self.store, code, table, self._known_vectors)

    def vectors(self, snapshot: Snapshot, code: CodeIndex) -> UnitVectors | None:
        """The static vectors of a snapshot's units; None without a static table."""
        return self._open_vectors(code, self._fact_maker(snapshot))

    def deep(self, snapshot: Snapshot, code: CodeIndex) -> SnapshotDeep:
        """The deep index of a snapshot, as far as it is computed."""
        from trackdown.engine.indexing.deep_index import SnapshotDeep

        return SnapshotDeep(self.store, snapshot, code, self.models, self.facts, self._known_deep, self._report)

    def keep_code(self, snapshot: Snapshot, update: CodeUpdate) -> None:
        """Cache a code index that was just built."""
        if update.repository not in (self.identity(snapshot.commit), self.imported()):
            self.set_identity(update.repository)
        if not update.moved:
            self._code = (self.key(snapshot), update.index)

    def keep_commits(self, update: CommitUpdate) -> None:
        """Cache a commit index that was just built."""
        self._commits = update

    def forget(self) -> None:
        """Drop cached indexes, because the store may have been cleared."""
        self._code = self._commits = self._identity = None
        self._known_deep.clear()

    # What a search gets

    def corpus(
        self,
        snapshot: Snapshot,
        code: CodeIndex,
        commits: CommitUpdate | None,
        *,
        notes: Sequence[str] = (),
        partial_answer: bool = False,
        with_vectors: bool = True,
    ) -> Corpus:
        """A snapshot with its indexes, ready to be searched."""
        all_notes = [*snapshot.notes, *notes]
        missing = code.left_out.get(MISSING, 0)
        if missing:
            all_notes.append(f"files left out because this clone lacks them or they are damaged there: {missing}")
        if unreadable := sum(item.reason == "unreadable" for item in snapshot.excluded):
            all_notes.append(f"files that cannot be read were left out ({unreadable}): `index --dry-run` lists them")
        if commits is not None and commits.incomplete:
            all_notes.append(_incomplete_note(snapshot.source, commits.incomplete))
        if as_text := _files_as_text(code):
            all_notes.append(_as_text_note(as_text))
        index = commits.index if commits is not None else None
        make = self._fact_maker(snapshot)
        return Corpus(
            snapshot,
            code,
            (index, snapshot.commit) if index is not None and snapshot.commit is not None else None,
            graph=partial(self._open_graph, snapshot, code),
            vectors=partial(self._open_vectors, code, make) if with_vectors else no_vectors,
            deep=self.deep(snapshot, code),
            models=self.models,
            messages=partial(self._messages, snapshot.commit, index),
            facts=self.facts,
            rewrites=SnapshotRewrites(self.store, code, self._rewrite_memory, self._report, make),
            progress=self._report,
            notes=tuple(all_notes),
            partial=partial_answer or bool(missing),
        )

    def _fact_maker(self, snapshot: Snapshot) -> MakeFacts:
        return fact_maker(self.store, snapshot, self.settings.worker_count, self._report)

    def _report(self, step: str, done: int, total: int | None) -> None:
        self.progress(step, done, total)

    def _open_graph(self, snapshot: Snapshot, code: CodeIndex) -> Graph:
        """The graph of a snapshot. The last one is cached, with the edges it has resolved."""
        if self._graph is None or self._graph[0] is not code:
            from trackdown.graph import Graph
            from trackdown.index import IndexedProgram

            program = IndexedProgram(
                code,
                snapshot,
                self.store,
                workers=self.settings.worker_count,
                progress=self._report,
            )
            self._graph = (code, Graph(program))
        return self._graph[1]

    def _open_vectors(self, code: CodeIndex, make: MakeFacts) -> UnitVectors | None:
        """The static vectors of a snapshot's units. Vectors of known segments are cached."""
        table = self.models.static()
        if table is None:
            return None
        from trackdown.index import unit_vectors

        return unit_vectors(self.store, code, table, self._known_vectors, self._report, make)

    def _messages(self, commit: str | None, index: CommitIndex | None, positions: Sequence[int]) -> list[str]:
        from trackdown.index import commit_messages

        if index is None:
            return []
        asked = self._asked  # read and written as one value, because another thread may have another index
        if asked[0] is not index:
            asked = self._asked = (index, {})
        return commit_messages(self.store, self.identity(commit), index, positions, self.source.git, asked[1])


def _incomplete_note(source: Source, count: int) -> str:
    what = f"some changes of {count} commit{'' if count == 1 else 's'} are unknown"
    if source.shallow:
        return f"this clone is shallow, so its history ends early and {what}: `git fetch --unshallow` brings the rest"
    return f"this clone is incomplete or damaged: {what}"


def _files_as_text(code: CodeIndex) -> dict[str, str]:
    """Path → why this file was not parsed, for files that were too hard for their grammars."""
    found: dict[str, str] = {}
    for segment, offset in zip(code.segments, code.file_offsets.tolist(), strict=False):
        for number, reason in segment.arrays.meta["as_text"].items():
            if code.file_alive[offset + int(number)]:
                found[segment.paths.text(int(number))] = reason
    return found


def _as_text_note(files: Mapping[str, str]) -> str:
    path, reason = next(iter(files.items()))
    if len(files) == 1:
        return f"{path} is searched as plain text, because {reason}"
    return f"{len(files)} files are too hard to parse and are searched as plain text, such as {path} ({reason})"
