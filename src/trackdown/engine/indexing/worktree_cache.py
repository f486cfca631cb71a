"""The present state of a folder: scanned by one thread at a time, and cached for the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress

from trackdown.errors import NoSuchPath, StoreError, TooBusy
from trackdown.index import CodeUpdate
from trackdown.repository import (
    FolderWatch,
    Snapshot,
    Source,
    WorktreeState,
    decode_state,
    encode_state,
    listing_inputs_unchanged,
    scan_worktree,
)
from trackdown.store import Store

_STATES = "worktree"
_PARTIAL_SECONDS = 1.0
_PARTIAL_REST = 4.0


def folder_is_gone(source: Source) -> NoSuchPath:
    """The error for a folder that has been removed since it was opened."""
    return NoSuchPath(f"{source.name} is gone: the folder {source.root} no longer exists")


class WorktreeCache:
    """Scans a work tree or folder. The repositories of one folder in one process may share it.

    `watch` is armed after two scans without a new folder; from then on a look is cheap while nothing happens. `last` is
    the last state seen, `whole` the last state with a complete index.
    """

    def __init__(self, source: Source, max_bytes: int) -> None:
        self.source = source
        self.max_bytes = max_bytes
        self.watch = FolderWatch()
        self._lock = threading.Lock()
        self._state: WorktreeState | None = None
        self._snapshot: Snapshot | None = None
        self.last: Snapshot | None = None
        self.whole: Snapshot | None = None
        self._partial: tuple[str, float, CodeUpdate] | None = None

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            self.watch.close()

    def look(self, store: Store, patience: float | None = None) -> Snapshot:
        """The snapshot that a search would see now. `store` keeps the state of the scan for other processes.

        Raises TooBusy if another thread has been scanning for `patience` seconds (None: no limit), NoSuchPath if the
        folder is gone, and GitError.
        """
        if not self._lock.acquire(timeout=-1 if patience is None else max(patience, 0.0)):
            raise TooBusy(f"the files of {self.source.name} are being listed: try again in a moment")
        try:
            self.last = self._look(store)
            return self.last
        except BaseException:
            self._snapshot = None
            self.watch.close()  # a folder of the same name may be another folder
            raise
        finally:
            self._lock.release()

    def drain(self) -> bool:
        """Read events from the kernel's queue. Returns whether there were any; True while another thread scans."""
        if not self._lock.acquire(blocking=False):
            return True
        try:
            return self.watch.drain()
        finally:
            self._lock.release()

    def unchanged(self) -> bool:
        """Whether HEAD, git's index and the ignore files are unchanged. Cheap; does not look at other files."""
        state, last = self._state, self.last
        return state is None or last is None or (self.source.head() == last.commit and listing_inputs_unchanged(state))

    @property
    def withdrawn(self) -> Mapping[str, str]:
        """Files that were searchable and are ignored now → the ids of their contents."""
        return {} if self._state is None else self._state.withdrawn

    def forget_withdrawn(self, store: Store) -> None:
        """Note that what was withdrawn has left the store."""
        with self._lock:
            if self._state is not None:
                self._state.withdrawn = {}
                self._keep_state(store, self._state)

    def _look(self, store: Store) -> Snapshot:
        last, state = self._snapshot, self._state
        armed: set[str] = set()
        if last is not None and state is not None:
            happened = self.watch.happened()
            if (
                not happened
                and not self.watch.due()
                and self.source.head() == last.commit
                and listing_inputs_unchanged(state)
            ):
                return last
            self._snapshot = None  # until the scan has succeeded: the watch reports an event only once
            armed = set(state.folders)
            if happened:
                self.watch.arm(self.source.root, armed)
            else:
                self.watch.renew()
        if not self.source.root.is_dir():
            raise folder_is_gone(self.source)
        if state is None:
            record = store.database.read_record(_STATES, self._place)
            state = decode_state(record) if record is not None else None
        seen = scan_worktree(self.source, state, self.max_bytes, last)
        if not self.source.root.is_dir():  # it went while it was scanned
            raise folder_is_gone(self.source)
        if seen.changed:
            self._keep_state(store, seen.state)
        if not armed.issuperset(seen.state.folders):
            self.watch.close()  # events in new folders were missed: watch them, then scan again
        self._state, self._snapshot = seen.state, seen.snapshot
        return seen.snapshot

    @property
    def _place(self) -> str:
        return str(self.source.root).encode("utf-8", "replace").decode()

    def _keep_state(self, store: Store, state: WorktreeState) -> None:
        """Store a state for the next scan. It only makes that faster: a full disk must not end a search."""
        if not store.read_only and self._place == str(self.source.root):  # or two folders could share a state
            with suppress(StoreError):
                store.database.write_record(_STATES, self._place, encode_state(state))

    # The searchable part of a first index that is still being built

    def known_part(self, key: str) -> CodeUpdate | None:
        """The part of an index that was gathered a moment ago: doing so for every call would slow down the build."""
        part = self._partial
        return part[2] if part is not None and part[0] == key and time.monotonic() < part[1] else None

    def keep_part(self, key: str, seconds: float, part: CodeUpdate) -> None:
        """Cache part of an index: the longer, the more `seconds` it took to gather."""
        self._partial = (key, time.monotonic() + max(_PARTIAL_SECONDS, _PARTIAL_REST * seconds), part)
