"""Detects changes in a folder that is kept indexed: to its files, or to what git has checked out."""

from __future__ import annotations

import os
import time
from pathlib import Path

from trackdown.engine.indexing.worktree_cache import WorktreeCache
from trackdown.repository import FolderWatch, Snapshot, changes_unseen
from trackdown.types import Watching

_POLL_SHARE = 20
_SHORTEST_POLL, _LONGEST_POLL = 1.0, 30.0
_FULL_LOOK = 30.0
TICK = 2.0
"""Seconds between two cheap checks of git's files, for changes without an event."""
_GIT_BUSY = 10.0


class ChangeEvents:
    """Uses inotify where it can, and says how often to scan anyway.

    Without inotify, or on a file system where other machines change files, the folder is scanned every second or less
    often, so that scanning takes at most a twentieth of the time.
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
        """How changes are detected."""
        bare = self._source.kind == "bare"
        watched = self._refs.armed if bare else self._worktree.watch.armed
        return "inotify" if watched and not self._hidden else "polling"

    def descriptors(self) -> tuple[int, int]:
        """Descriptors that become readable on an event; -1 if nothing is watched."""
        return self._worktree.watch.fileno(), self._refs.fileno()

    def looked(self, indexed: Snapshot | None, seconds: float) -> None:
        """Record what was indexed and how long the scan took. Watches git's files from now on."""
        self._commit = indexed.commit if indexed is not None else None
        self._indexed = indexed
        self._look_seconds = seconds
        self._refs.arm(Path("/"), [folder.lstrip("/") for folder in self._git_folders()])

    def interval(self) -> float:
        """Seconds until the next scan, even without an event."""
        if self.watching == "inotify":
            return _FULL_LOOK
        return min(max(_SHORTEST_POLL, _POLL_SHARE * self._look_seconds), _LONGEST_POLL)

    def stirred(self) -> bool:
        """Whether files were touched since the last scan, git has another commit checked out or another index, or
        another thread's scan has seen a state that is not indexed: that scan has consumed the events.
        """
        touched = self._worktree.drain()
        self._refs.drain()
        if touched or self._worktree.watch.has_events:
            return True
        last, indexed = self._worktree.last, self._indexed
        if last is not None and indexed is not None and last.key != indexed.key:
            return True
        return self._source.head() != self._commit or not self._worktree.unchanged()

    def goes_on(self) -> bool:
        """Whether anything was touched since the last call of this method or of `stirred`."""
        touched, refs_touched = self._worktree.drain(), self._refs.drain()
        return touched or refs_touched

    @property
    def unarmed(self) -> bool:
        """Whether files can be watched, but only after another scan."""
        watch = self._worktree.watch
        return self._source.kind != "bare" and watch.possible and not watch.armed

    def git_is_busy(self) -> bool:
        """Whether git is changing the work tree. A lock left behind by a crashed git is ignored after a while."""
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
        """The folders that a commit, a switch or a reset changes."""
        if self._source.git is None:
            return []
        git_dir = self._source.git.git_dir
        common = self._source.common_dir or git_dir
        folders = {git_dir, common, common / "refs" / "heads"}
        try:
            head = (git_dir / "HEAD").read_text("utf-8", "replace").strip()
        except OSError:
            head = ""
        if head.startswith("ref: ") and ".." not in head:
            folders.add((common / head.removeprefix("ref: ")).parent)
        return sorted(map(str, folders))
