"""Whether anything below a folder was touched since the last question, asked of the kernel (inotify on Linux).

The kernel queues an event before the call that caused it returns, so no event means no change. What it cannot see
(other machines on a network file system, writes through mmap) is found by the full look that is due every few
seconds. Where there is no inotify, or not enough watches, every look is a full one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FULL_LOOK_SECONDS = 2.0
_READ_AT_ONCE = 1 << 18


class FolderWatch:
    """Watches folders, each by itself. `quiet` is False whenever it is not certain."""

    def __init__(self) -> None:
        self._inotify: Any = None
        self._looked_at = 0.0
        self._stirred = False
        self._failed = not sys.platform.startswith("linux")

    @property
    def possible(self) -> bool:
        """Whether this system can watch folders, as far as that is known."""
        return not self._failed

    @property
    def stirred(self) -> bool:
        """Whether anything happened since `quiet` was asked, as far as it was drained."""
        return self._stirred

    @property
    def armed(self) -> bool:
        """Whether folders are watched now."""
        return self._inotify is not None

    def fileno(self) -> int:
        """The descriptor that can be read when something happened; -1 when nothing is watched."""
        return int(self._inotify.fileno()) if self._inotify is not None else -1

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
                try:
                    # Also if it is watched already: under its name another folder may stand by now.
                    self._inotify.add_watch(f"{root}/{folder}", changes)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # gone since the last look; the next one will say so
                except PermissionError:
                    continue  # nobody can look into it; its parent tells when that changes
        except (OSError, ImportError):
            self.close()
            self._failed = True

    def quiet(self) -> bool:
        """Whether nothing happened since the last time this was asked, and a full look is not due."""
        return not self.happened() and not self.due()

    def happened(self) -> bool:
        """Whether anything happened since the last time this was asked, or nobody watched. Forgets what it tells."""
        self.drain()
        stirred, self._stirred = self._stirred, False
        return stirred or self._inotify is None

    def due(self) -> bool:
        """Whether it is time for a full look, whatever the kernel says."""
        return time.monotonic() - self._looked_at > _FULL_LOOK_SECONDS

    def renew(self) -> None:
        """Note that a full look is about to be made, while everything is watched as it should be."""
        self._looked_at = time.monotonic()

    def drain(self) -> bool:
        """Take what has happened off the kernel's queue, unread. Returns whether there was anything; `quiet` will know.

        Events are not told apart: in a storm of them, reading them one by one would be most of the work.
        """
        came = False
        try:
            while self._inotify is not None and os.read(self._inotify.fileno(), _READ_AT_ONCE):
                came = True
        except BlockingIOError:
            pass
        except (OSError, ValueError):
            came = True
        self._stirred = self._stirred or came
        return came

    def close(self) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._inotify.close()
        self._inotify = None
        self._stirred = False
