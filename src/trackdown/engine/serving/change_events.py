"""Whether anything happened in a place that is kept indexed: to its files, or to what git says is checked out."""

from __future__ import annotations

import os
import time
from pathlib import Path

from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.repository.mounts import changes_unseen
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.watch import FolderWatch
from trackdown.types import Watching

_POLL_SHARE = 20
_SHORTEST_POLL, _LONGEST_POLL = 1.0, 30.0
_FULL_LOOK = 30.0
TICK = 2.0
"""Seconds between two cheap looks at what git says, where no event tells."""
_GIT_BUSY = 10.0


class ChangeEvents:
    """Asks the kernel where it can, and says how often to look all the same.

    Where there is no inotify, or others change files behind the kernel's back, everything is looked at every second or
    less often: looking takes a twentieth of the time at most.
    """

    def __init__(self, worktree: WorktreeCache) -> None:
        self._worktree = worktree
        self._commit: str | None = None
        self._indexed: Snapshot | None = None
        self._source = worktree.source
        self._refs = FolderWatch()
        self._hidden = changes_unseen(self._source.root)
        self._look_seconds = 0.0

    @property
    def watching(self) -> Watching:
        """How it finds out."""
        bare = self._source.kind == "bare"
        watched = self._refs.armed if bare else self._worktree.watch.armed
        return "inotify" if watched and not self._hidden else "polling"

    def descriptors(self) -> tuple[int, int]:
        """What can be read when something happened; -1 where nothing is watched."""
        return self._worktree.watch.fileno(), self._refs.fileno()

    def looked(self, indexed: Snapshot | None, seconds: float) -> None:
        """Note what was last indexed, and how long a look takes. Watches git's own files from now on."""
        self._commit = indexed.commit if indexed is not None else None
        self._indexed = indexed
        self._look_seconds = seconds
        self._refs.arm(Path("/"), [folder.lstrip("/") for folder in self._git_folders()])

    def interval(self) -> float:
        """Seconds until it is time to look, whether anything stirred or not."""
        if self.watching == "inotify":
            return _FULL_LOOK
        return min(max(_SHORTEST_POLL, _POLL_SHARE * self._look_seconds), _LONGEST_POLL)

    def stirred(self) -> bool:
        """Whether files were touched since the last look, git has something else checked out or in its index, or
        somebody else's look has seen what is not indexed: the events of that are used up.
        """
        came = self._worktree.drain()
        self._refs.drain()
        if came or self._worktree.watch.has_events:
            return True
        last, indexed = self._worktree.last, self._indexed
        if last is not None and indexed is not None and last.key != indexed.key:
            return True
        return self._source.head() != self._commit or not self._worktree.unchanged()

    def goes_on(self) -> bool:
        """Whether anything was touched since this or `stirred` was asked."""
        came, moving = self._worktree.drain(), self._refs.drain()
        return came or moving

    @property
    def unarmed(self) -> bool:
        """Whether files could be watched, but only after another look."""
        watch = self._worktree.watch
        return self._source.kind != "bare" and watch.possible and not watch.armed

    def git_is_busy(self) -> bool:
        """Whether git is just changing the work tree. A lock that a dead git left behind does not count for long."""
        if self._source.git is None:
            return False
        try:
            locked_at = os.stat(self._source.git.git_dir / "index.lock").st_mtime
        except OSError:
            return False
        return -_GIT_BUSY < time.time() - locked_at < _GIT_BUSY

    def close(self) -> None:
        """Stop watching git's files."""
        self._refs.close()

    def _git_folders(self) -> list[str]:
        """The folders in which a commit, a switch or a reset leaves its traces."""
        if self._source.git is None:
            return []
        own, common = self._source.git.git_dir, self._source.common_dir or self._source.git.git_dir
        folders = {own, common, common / "refs" / "heads"}
        try:
            head = (own / "HEAD").read_text("utf-8", "replace").strip()
        except OSError:
            head = ""
        if head.startswith("ref: ") and ".." not in head:
            folders.add((common / head.removeprefix("ref: ")).parent)
        return sorted(map(str, folders))
