"""A reader of a fleet: the published state, limited to some groups, and its shards in a bounded local cache.

The cache of a set of groups is its own. What readers of other groups have opened changes nothing here, not even the
time that an answer takes.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from trackdown.engine import import_index
from trackdown.engine import open as open_repository
from trackdown.errors import (
    FleetError,
    GitError,
    ShardError,
    StoreBusy,
    StoreError,
    StoreFull,
    UnknownRepository,
    UsageError,
)
from trackdown.fleet.candidates import RowLimits, rank_repositories
from trackdown.fleet.manifest import (
    FleetManifest,
    PublishedShard,
    read_latest,
    shard_path,
    source_path,
)
from trackdown.fleet.place import Place
from trackdown.fleet.table import GroupTables, engine_errors
from trackdown.models import model_shelf
from trackdown.query import Query
from trackdown.repository import unpack_commit
from trackdown.settings import Settings
from trackdown.store import FLEET_CACHE, file_size
from trackdown.types import Progress, no_progress

_READY = "ready"
_LONGEST_WAIT = 600.0
_NAMED = 20
"""How many groups a message names."""
_ROOM = 0.8
"""How full the cache is after making room."""
_PATIENCE = 1.0
"""How many seconds a call waits for a newer state before it goes on with the one that is known."""


@dataclass(frozen=True, slots=True)
class CachedShard:
    """A repository in the cache: the folder of its bare repository, and the settings to open it with."""

    folder: Path
    settings: Settings


@dataclass(frozen=True, slots=True)
class _State:
    """A manifest, when it was read, and what this reader may see of it."""

    read_at: float
    manifest: FleetManifest
    visible: dict[str, PublishedShard]


class FleetReader:
    """Reads what is published. `groups` None means all of them. For several threads.

    The state is looked up again after `fresh_seconds`; while the place does not answer, the one that was read before
    goes on. The cache takes at most `store_limit_mb` of the settings.
    """

    def __init__(
        self,
        place: Place,
        settings: Settings,
        groups: Sequence[str] | None = None,
        *,
        fresh_seconds: float = 5.0,
    ) -> None:
        self._place = place
        self._settings = settings
        self._groups = None if groups is None else frozenset(groups)
        self._fresh = fresh_seconds
        self._tables = GroupTables(place)
        self._opened: dict[str, tuple[tuple[int, int], Any]] = {}
        self._opening = threading.Lock()
        self._reading = threading.Lock()
        self._state: _State | None = None
        named = "*" if self._groups is None else ",".join(sorted(self._groups))
        about = sha256(f"{place.address.url}\0{place.address.endpoint}\0{named}".encode()).hexdigest()[:24]
        self.cache = settings.store / FLEET_CACHE / about

    def published(self, groups: Sequence[str] = ()) -> dict[str, PublishedShard]:
        """Name → what is published of it, for the repositories that this reader may see: all, or those of some groups.

        Raises FleetError, and UsageError for a group, whether it is unknown or only out of sight.
        """
        visible = self._current()[1]
        seen = sorted({group for one in visible.values() for group in one.groups if self._sees(group)})
        for group in groups:
            if group not in seen:
                there_are = f"it has {', '.join(seen[:_NAMED])}" if seen else "it has none"
                raise UsageError(f"the fleet has no group {group[:100]!r}; {there_are}")
        return {name: one for name, one in visible.items() if not groups or not set(groups).isdisjoint(one.groups)}

    def number(self) -> int:
        """The number of the manifest that is being read."""
        return self._current()[0].number

    def candidates(
        self, query: Query, languages: Sequence[str], names: Sequence[str], groups: Sequence[str] = ()
    ) -> dict[str, float]:
        """Those of some repositories that may answer a query, best first, with their scores: of all that this reader
        sees, or of some `groups`. Raises FleetError, and UsageError as `published`.
        """
        manifest, visible = self._current()[0], self.published(groups)
        asked = groups or {group for one in visible.values() for group in one.groups}
        groups = sorted(group for group in set(asked) if self._sees(group))
        among = [name for name in names if name in visible]
        limits = RowLimits(tuple(languages), tuple(among) if len(among) < len(visible) else ())
        static = model_shelf(self._settings.models, self._settings.thread_count).static()
        with self._opening, engine_errors(self._place):
            tables = [self._table(group, manifest) for group in groups if group in manifest.tables]
        with engine_errors(self._place):
            return rank_repositories(tables, query, among, limits, static)

    def find(self, name: str) -> PublishedShard:
        """What is published under a name. Raises UnknownRepository, whether it is unknown or only out of sight."""
        found = self._current()[1].get(name)
        if found is None:
            raise UnknownRepository(f"there is no repository {name[:100]!r} in this fleet")
        return found

    def cached(self, name: str, progress: Progress = no_progress) -> CachedShard:
        """A repository's shard and source in the cache: downloaded now, if they are not there. Raises FleetError."""
        shard = self.find(name)
        built = shard.built
        folder = self.cache / built.key
        settings = replace(self._settings, store=folder / "store", max_file_kb=built.max_file_kb, deep=False)
        found = CachedShard(folder / "repository.git", settings)
        if not (folder / _READY).exists():
            self.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                with FileLock(self.cache / f"{built.key}.lock", timeout=_LONGEST_WAIT):
                    if not (folder / _READY).exists():
                        self._fetch(name, shard, found, folder, progress)
            except Timeout:
                raise StoreBusy(f"another process is downloading {name}: try again") from None
            self._make_room(built.key)
        with suppress(OSError):  # another process may have made room
            os.utime(folder / _READY)
        return found

    def _fetch(self, name: str, shard: PublishedShard, found: CachedShard, folder: Path, progress: Progress) -> None:
        """Fill a folder of the cache; if the disk is full, once more after others have made room."""
        try:
            self._fill(name, shard, found, folder, progress)
        except StoreFull:
            if not self._make_room(shard.built.key, disk_is_full=True):
                raise
            self._fill(name, shard, found, folder, progress)

    def _fill(self, name: str, shard: PublishedShard, found: CachedShard, folder: Path, progress: Progress) -> None:
        built = shard.built
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(mode=0o700)
            pack, exported = folder / "pack", folder / "shard"
            self._place.download(source_path(built.source_sha256), pack, built.source_sha256)
            self._place.download(shard_path(built.shard_sha256), exported, built.shard_sha256)
            unpack_commit(pack, found.folder, built.commit, built.object_format)
            with open_repository(found.folder, settings=found.settings) as repository:
                import_index(repository, str(exported), digest=built.shard, progress=progress)
            pack.unlink()
            exported.unlink()
            (folder / _READY).touch()
        except GitError as error:
            if os.strerror(errno.ENOSPC) in str(error):
                raise self._full() from None
            raise FleetError(f"the source of {name} cannot be opened: {error}") from None
        except ShardError:
            raise FleetError(f"the index of {name} does not fit this version of Trackdown, or its limits") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._full() from None
            raise StoreError(f"cannot write to the cache {self.cache}: {error.strerror}") from None
        finally:
            if not (folder / _READY).exists():
                shutil.rmtree(folder, ignore_errors=True)

    def _full(self) -> StoreFull:
        return StoreFull(f"the disk of the cache {self.cache} is full: free some space, or set TRACKDOWN_STORE")

    def _make_room(self, kept: str, *, disk_is_full: bool = False) -> bool:
        """Remove the repositories that were used longest ago, if the cache is larger than its limit: half of what it
        has, if the disk is full. Returns whether it was.
        """
        sizes = {folder: _size(folder) for folder in self.cache.iterdir() if (folder / _READY).exists()}
        limit = sum(sizes.values()) // 2 if disk_is_full else self._settings.store_limit_mb << 20
        if sum(sizes.values()) <= limit:
            return False
        for folder in sorted(sizes, key=_used):
            if folder.name == kept:
                continue
            shutil.rmtree(folder, ignore_errors=True)
            sizes[folder] = 0
            if sum(sizes.values()) <= limit * _ROOM:
                break
        return True

    def _current(self) -> tuple[FleetManifest, dict[str, PublishedShard]]:
        """The published state. Raises FleetError if none was read yet and the place fails."""
        state = self._state or self._first()
        if time.monotonic() - state.read_at > self._fresh:
            thread = threading.Thread(target=self._read_again, daemon=True, name="trackdown fleet state")
            thread.start()
            thread.join(_PATIENCE)
            state = self._state or state
        return state.manifest, state.visible

    def _first(self) -> _State:
        """Read the state that everybody waits for."""
        with self._reading:
            if self._state is None:
                self._state = self._read()
            return self._state

    def _read_again(self) -> None:
        """Read the state once more, unless a thread does so; if that fails, the one before counts for a while."""
        if not self._reading.acquire(blocking=False):
            return
        assert self._state is not None
        try:
            self._state = self._read()
        except FleetError:
            self._state = replace(self._state, read_at=time.monotonic())
        finally:
            self._reading.release()

    def _read(self) -> _State:
        manifest = read_latest(self._place)
        visible = {name: one for name, one in manifest.repositories.items() if any(map(self._sees, one.groups))}
        return _State(time.monotonic(), manifest, visible)

    def _sees(self, group: str) -> bool:
        return self._groups is None or group in self._groups

    def _table(self, group: str, manifest: FleetManifest) -> Any:
        """The table of a group, opened once for each manifest: one that was lost begins anew at low versions."""
        state, known = (manifest.number, manifest.tables[group]), self._opened.get(group)
        if known is None or known[0] != state:
            known = self._opened[group] = (state, self._tables.open(group, state[1]))
        return known[1]


def _size(folder: Path) -> int:
    return sum(file_size(Path(parent, name)) for parent, _, names in os.walk(folder) for name in names)


def _used(folder: Path) -> float:
    try:
        return (folder / _READY).stat().st_mtime
    except OSError:
        return 0.0
