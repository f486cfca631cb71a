"""Ask the kernel (inotify on Linux) whether anything below a folder changed since the last question.

The kernel queues an event before the call that caused it returns, so no event means no change. Some changes cause no
event: those made by other machines on a network file system, and writes through mmap. A full scan every few seconds
finds them. Without inotify, or without enough watches, every scan is a full one.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_FULL_SCAN_SECONDS = 2.0
_READ_AT_ONCE = 1 << 18


class FolderWatch:
    """Watches single folders, not what is below them. When in doubt it says that something happened."""

    def __init__(self) -> None:
        self._inotify: Any = None
        self._scanned_at = 0.0
        self._has_events = False
        self._failed = not sys.platform.startswith("linux")

    @property
    def possible(self) -> bool:
        """Whether this system can watch folders, as far as we know."""
        return not self._failed

    @property
    def has_events(self) -> bool:
        """Whether `drain` took events off the queue that `happened` has not reported yet."""
        return self._has_events

    @property
    def armed(self) -> bool:
        """Whether folders are watched now."""
        return self._inotify is not None

    def fileno(self) -> int:
        """The descriptor that becomes readable when something happens; -1 when nothing is watched."""
        return int(self._inotify.fileno()) if self._inotify is not None else -1

    def arm(self, root: Path, folders: Iterable[str]) -> None:
        """Watch these folders from now on. Call it before a full scan, so that no change falls between the two."""
        self.renew()
        if self._failed:
            return
        try:
            from inotify_simple import INotify, flags

            if self._inotify is None:
                self._inotify = INotify(nonblocking=True)
            changes = (
                flags.MODIFY
                | flags.ATTRIB
                | flags.CREATE
                | flags.DELETE
                | flags.MOVED_FROM
                | flags.MOVED_TO
                | flags.CLOSE_WRITE
                | flags.DELETE_SELF
                | flags.MOVE_SELF
                | flags.DONT_FOLLOW
            )
            for folder in folders:
                try:
                    # Watched folders are added again: another folder may have taken the name.
                    self._inotify.add_watch(f"{root}/{folder}", changes)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # gone since the last scan; the next one notices
                except PermissionError:
                    continue  # nobody can read it; its parent reports when that changes
                except OSError as error:
                    if error.errno != errno.ENAMETOOLONG:  # nobody can list what is nested too deeply either
                        raise
        except (OSError, ImportError):
            self.close()
            self._failed = True

    def happened(self) -> bool:
        """Whether anything happened since the last call, or nothing was watched. Each event is reported once."""
        self.drain()
        had_events, self._has_events = self._has_events, False
        return had_events or self._inotify is None

    def due(self) -> bool:
        """Whether it is time for a full scan, whatever the kernel says."""
        return time.monotonic() - self._scanned_at > _FULL_SCAN_SECONDS

    def renew(self) -> None:
        """Note that a full scan is about to begin."""
        self._scanned_at = time.monotonic()

    def drain(self) -> bool:
        """Empty the kernel's queue and return whether it held anything; `happened` still reports it.

        Events are not decoded: in a burst, decoding would be most of the work.
        """
        came = False
        try:
            while self._inotify is not None and os.read(self._inotify.fileno(), _READ_AT_ONCE):
                came = True
        except BlockingIOError:
            pass
        except (OSError, ValueError):
            came = True
        self._has_events = self._has_events or came
        return came

    def close(self) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._inotify.close()
        self._inotify = None
        self._has_events = False
