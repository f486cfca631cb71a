"""One served folder: a pool of `Repository` objects for it, and the thread that keeps its index up to date."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from trackdown.engine.indexing.worktree_cache import WorktreeCache, folder_is_gone
from trackdown.engine.opening import open
from trackdown.engine.repository import Repository
from trackdown.engine.serving.deep_keeper import DeepTarget
from trackdown.engine.serving.live import LiveIndex
from trackdown.errors import Cancelled, TooBusy, TrackdownError, UsageError
from trackdown.repository import Source
from trackdown.settings import Settings
from trackdown.store import Store

_Inodes = tuple[tuple[int, int], ...]


class ServedRepository:
    """Lends repositories of one folder, each to one thread at a time. They share the worktree cache and the models.

    After `start`, a thread keeps the index up to date, and the lent repositories only read it. A folder that was
    removed and created again is opened again. Answers and errors call it by its `name`, or else by the folder's.
    Raises what opening it raises.
    """

    def __init__(self, where: str, settings: Settings, most_idle: int, name: str = "") -> None:
        self.where = where
        self.name = name
        self._called = name
        self.live: LiveIndex | None = None
        self._deep: DeepTarget | None = None
        self._settings = settings
        self._most_idle = most_idle
        self._lock = threading.Lock()
        self._idle: list[Repository] = []
        self.source, self._worktree = self._open()
        self._inodes = _inodes(self.source)
        if not name:
            self.name = f"{self.source.name}/{self.source.subfolder}" if self.source.subfolder else self.source.name

    def start(self) -> None:
        """Start the thread that keeps the index up to date."""
        if self.live is None:
            self.live = LiveIndex(self._kept)
            self.live.start()

    def deep_target(self) -> DeepTarget:
        """This folder as the deep index's thread sees it. It must have been started."""
        assert self.live is not None
        self._deep = DeepTarget(self.live, partial(self.lent, 0.0))
        return self._deep

    @property
    def deep_problem(self) -> str:
        """Why the deep index could not be completed, as a sentence in one line; empty if nothing is wrong."""
        problem = " ".join(self._deep.problem.split()) if self._deep is not None else ""
        return problem if "deep index" in problem or not problem else f"the deep index is not completed: {problem}"

    def close(self) -> None:
        """Stop the thread and close the idle repositories."""
        if self.live is not None:
            self.live.close()
        self._drop_idle()
        self._worktree.close()

    @contextmanager
    def lent(self, patience: float) -> Iterator[Repository]:
        """Lend a repository to this thread. Raises NoSuchPath while the folder is gone."""
        repository = self._take()
        repository.patience = patience
        try:
            yield repository
        except (UsageError, Cancelled, TooBusy):
            self._give_back(repository)
            raise
        except BaseException:
            repository.close()  # its store may be damaged, which reopening repairs; or its folder is gone
            self._check_presence()
            raise
        else:
            self._give_back(repository)

    def _take(self) -> Repository:
        self._check_presence()
        while True:
            with self._lock:
                repository = self._idle.pop() if self._idle else None
            if repository is None:
                return self._made(self.live)
            if not repository.store.database.is_replaced():
                return repository
            repository.close()

    def _give_back(self, repository: Repository) -> None:
        with self._lock:
            if repository.source is self.source and len(self._idle) < self._most_idle:
                self._idle.append(repository)
                return
        repository.close()

    def _check_presence(self) -> None:
        """Open the folder again if it has been replaced. Raises NoSuchPath while it is gone."""
        found = _inodes(self.source)
        if found == self._inodes:
            return
        self._drop_idle()
        if not found:
            self._inodes = found
            raise folder_is_gone(self.source)
        with self._lock:
            if _inodes(self.source) != self._inodes:
                self._worktree.close()
                self.source, self._worktree = self._open()
                self._inodes = _inodes(self.source)

    def _open(self) -> tuple[Source, WorktreeCache]:
        with open(self.where, settings=self._settings) as opened:
            source = replace(opened.source, name=self._called) if self._called else opened.source
            return source, WorktreeCache(source, self._settings.max_file_bytes)

    def _kept(self, present: Repository | None) -> Repository:
        """The repository for the thread that keeps the index: the `present` one as long as it is valid."""
        self._check_presence()
        if present is not None and present.source is self.source and not present.store.database.is_replaced():
            return present
        return self._made(None)

    def _made(self, keeper: LiveIndex | None) -> Repository:
        store = Store(self._settings.store)
        return Repository(self.source, store, self._settings, from_root=True, worktree=self._worktree, keeper=keeper)

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for repository in idle:
            with suppress(TrackdownError):
                repository.close()


def _inodes(source: Source) -> _Inodes:
    """Identifies a folder, also if another one replaces it; empty if it is gone."""
    folders = [source.root] if source.git is None else [source.root, source.git.git_dir]
    try:
        found = [folder.stat() for folder in folders]
    except OSError:
        return ((0, 0),) if source.root.is_dir() else ()
    return tuple((one.st_dev, one.st_ino) for one in found)
