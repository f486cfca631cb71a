"""What is on disk now: looked at by one thread at a time, and kept for those that ask next."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

from trackdown.errors import NoSuchPath, StoreError, TooBusy
from trackdown.index.update_code import CodeUpdate
from trackdown.repository.snapshot import Snapshot
from trackdown.repository.source import Source
from trackdown.repository.watch import FolderWatch
from trackdown.repository.worktree import (
    WorktreeState,
    decode_state,
    encode_state,
    listing_inputs_unchanged,
    scan_worktree,
)
from trackdown.store.store import Store

_STATES = "worktree"
_PARTIAL_SECONDS = 1.0
_PARTIAL_REST = 4.0


class WorktreeCache:
    """Looks at a work tree or folder. Repositories of one place in one process may share it.

    `watch` is armed after two looks in which no folder came; from then on a look costs little while nothing happens.
    `last` is what was seen last, `whole` what was last found to be indexed.
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
        """The snapshot that a search would see now. `store` keeps the state of the look for other processes.

        Raises TooBusy when another thread has been looking for `patience` seconds (None: wait as long as it takes),
        NoSuchPath when the folder is gone, GitError.
        """
        if not self._lock.acquire(timeout=-1 if patience is None else max(patience, 0.0)):
            raise TooBusy(f"the files of {self.source.name} are being listed: ask again in a moment")
        try:
            self.last = self._look(store)
            return self.last
        except BaseException:
            self._snapshot = None
            self.watch.close()  # what comes back under its old name is another folder
            raise
        finally:
            self._lock.release()

    def drain(self) -> bool:
        """Take events off the kernel's queue. Whether there were any; also while somebody is looking."""
        if not self._lock.acquire(blocking=False):
            return True
        try:
            return self.watch.drain()
        finally:
            self._lock.release()

    def unchanged(self) -> bool:
        """Whether, as far as git's own files tell, nothing has changed. Cheap; says nothing about the rest."""
        state, last = self._state, self.last
        return state is None or last is None or (self.source.head() == last.commit and listing_inputs_unchanged(state))

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
            self._snapshot = None  # until the look has succeeded: what the watch told us, it tells once
            armed = set(state.folders)
            if happened:
                self.watch.arm(self.source.root, armed)
            else:
                self.watch.renew()
        if not self.source.root.is_dir():
            raise NoSuchPath(f"{self.source.name} is gone: there is no folder {self.source.root} any more")
        place = str(self.source.root).encode("utf-8", "replace").decode()
        if state is None:
            record = store.database.read_record(_STATES, place)
            state = decode_state(record) if record is not None else None
        seen = scan_worktree(self.source, state, self.max_bytes, last)
        if seen.changed and not store.read_only and (data := encode_state(seen.state)):
            with suppress(StoreError):  # it only spares the next look some work: a full disk must not end a search
                store.database.write_record(_STATES, place, data)
        if not armed.issuperset(seen.state.folders):
            self.watch.close()  # what happened in folders that came is not known: watch them, then look again
        self._state, self._snapshot = seen.state, seen.snapshot
        return seen.snapshot

    # What is searchable of a first index that is still being made

    def known_part(self, key: str) -> CodeUpdate | None:
        """Part of an index that was gathered a moment ago; gathering it for every question would slow its making."""
        part = self._partial
        return part[2] if part is not None and part[0] == key and time.monotonic() < part[1] else None

    def keep_part(self, key: str, seconds: float, part: CodeUpdate) -> None:
        """Keep part of an index for a while: the longer, the more `seconds` it took to gather."""
        self._partial = (key, time.monotonic() + max(_PARTIAL_SECONDS, _PARTIAL_REST * seconds), part)
