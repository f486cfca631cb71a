"""One place of a server: its repository as many times as threads use it, and the thread that keeps its index."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.engine.opening import open
from trackdown.engine.repository import Repository
from trackdown.engine.serving.live import LiveIndex
from trackdown.errors import Cancelled, NoSuchPath, TooBusy, TrackdownError, UsageError
from trackdown.repository.source import Source
from trackdown.settings import Settings
from trackdown.store.store import Store

_Inodes = tuple[tuple[int, int], ...]


class ServedRepository:
    """Lends repositories of one place, each to one thread at a time. They share the look at the disk, and models.

    After `start`, a thread keeps the index, and what is lent only reads it. A place that went and came back is opened
    anew. Raises what opening it raises.
    """

    def __init__(self, where: str, settings: Settings, most_idle: int) -> None:
        self.where = where
        self.name = ""
        self.live: LiveIndex | None = None
        self._settings = settings
        self._most_idle = most_idle
        self._lock = threading.Lock()
        self._idle: list[Repository] = []
        self.source, self._worktree = self._open()
        self._inodes = _inodes(self.source)
        self.name = f"{self.source.name}/{self.source.subfolder}" if self.source.subfolder else self.source.name

    def start(self) -> None:
        """Keep the index in the background from now on."""
        if self.live is None:
            self.live = LiveIndex(self._kept)
            self.live.start()

    def close(self) -> None:
        """Stop the thread and close what is not lent."""
        if self.live is not None:
            self.live.close()
        self._drop_idle()
        self._worktree.close()

    @contextmanager
    def lent(self, patience: float) -> Iterator[Repository]:
        """A repository for this thread alone. Raises NoSuchPath while the place is gone."""
        repository = self._take()
        repository.patience = patience
        try:
            yield repository
        except (UsageError, Cancelled, TooBusy):
            self._give_back(repository)
            raise
        except BaseException:
            repository.close()  # its store may be damaged, which opening it again heals; or its folder is gone
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
        """Open the place anew if something else stands there by now. Raises NoSuchPath while nothing does."""
        found = _inodes(self.source)
        if found == self._inodes:
            return
        self._drop_idle()
        if not found:
            self._inodes = found
            raise NoSuchPath(f"{self.source.name} is gone: there is no folder {self.source.root} any more")
        with self._lock:
            if _inodes(self.source) != self._inodes:
                self._worktree.close()
                self.source, self._worktree = self._open()
                self._inodes = _inodes(self.source)

    def _open(self) -> tuple[Source, WorktreeCache]:
        with open(self.where, settings=self._settings) as opened:
            return opened.source, WorktreeCache(opened.source, self._settings.max_file_bytes)

    def _kept(self, present: Repository | None) -> Repository:
        """The repository of the thread that keeps the index."""
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
    """What tells a folder from another one of its name; nothing when it is gone."""
    folders = [source.root] if source.git is None else [source.root, source.git.git_dir]
    try:
        found = [folder.stat() for folder in folders]
    except OSError:
        return ((0, 0),) if source.root.is_dir() else ()
    return tuple((one.st_dev, one.st_ino) for one in found)
