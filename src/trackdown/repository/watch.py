"""Whether anything below a folder was touched since the last question, asked of the kernel (inotify on Linux).

The kernel queues an event before the call that caused it returns, so no event means no change. What it cannot see
(other machines on a network file system, writes through mmap) is found by the full look that is due every few
seconds. Where there is no inotify, or not enough watches, every look is a full one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FULL_LOOK_SECONDS = 2.0


class Watch:
    """Watches folders, each by itself. `quiet` is False whenever it is not certain."""

    def __init__(self) -> None:
        self._inotify: Any = None
        self._watched: set[Path] = set()
        self._looked_at = 0.0
        self._failed = not sys.platform.startswith("linux")

    def arm(self, root: Path, folders: Iterable[str]) -> None:
        """Watch these folders from now on. Call it before the full look whose result is to be kept."""
        self._looked_at = time.monotonic()
        if self._failed:
            return
        try:
            from inotify_simple import INotify, flags

            if self._inotify is None:
                self._inotify = INotify(nonblocking=True)
            changes = (
                flags.MODIFY | flags.ATTRIB | flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO
                | flags.CLOSE_WRITE | flags.DELETE_SELF | flags.MOVE_SELF | flags.DONT_FOLLOW
            )  # fmt: skip
            for folder in folders:
                path = root / folder
                if path not in self._watched:
                    try:
                        self._inotify.add_watch(path, changes)
                    except (FileNotFoundError, NotADirectoryError):
                        continue  # gone since the last look; the next one will say so
                    self._watched.add(path)
        except (OSError, ImportError):
            self.close()
            self._failed = True

    def quiet(self) -> bool:
        """Whether nothing happened since the last time this was asked, and a full look is not due."""
        if self._failed or self._inotify is None or time.monotonic() - self._looked_at > _FULL_LOOK_SECONDS:
            return False
        try:
            return not self._inotify.read(timeout=0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._inotify.close()
        self._inotify = None
        self._watched = set()
