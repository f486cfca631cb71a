"""The store: one folder with a database of facts and records, array files, clones and locks.

The folder's name has the format version, so two versions of the program never share a folder; `clear --all` removes
the folders of all versions. Raise FORMAT when old contents can't be read any more; they are then built again. A folder
that is not a store is neither used nor removed (ownership.py).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy.typing as npt

from trackdown.errors import StoreCorrupt, StoreError, StoreFull
from trackdown.store.arrays import SUFFIX, Arrays, open_arrays, write_arrays
from trackdown.store.clearing import file_size, size_of_stores
from trackdown.store.database import Database
from trackdown.store.ownership import (
    DATABASE,
    adopt_older,
    claim,
    make_private_folder,
    remove_entry,
    remove_unless_file,
)
from trackdown.store.part_files import names_in, remove_abandoned, scratch

FORMAT = "v2"
_ATTEMPTS = 20
"""How often a store is made that another process clears at the same time."""


class Store:
    """The store below a folder, which is created or repaired if necessary. Raises StoreError if that fails.

    `notes` says what was damaged; `take_notes` empties it.
    """

    def __init__(self, folder: Path) -> None:
        self.top = folder
        self.folder = folder / FORMAT
        self.notes: list[str] = []
        self.database = self._open_database()
        if not self.read_only:
            remove_abandoned(self.folder / "arrays")

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written now."""
        return self.database.read_only

    def take_notes(self) -> list[str]:
        """What was damaged since the last call."""
        return [self.notes.pop(0) for _ in range(len(self.notes))]  # another thread may add one meanwhile

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    @property
    def clones(self) -> Path:
        """Where clones of URLs are kept."""
        return self.folder / "clones"

    def _open_database(self) -> Database:
        for _ in range(_ATTEMPTS):
            self._make_folders()
            try:
                return Database(self.folder / DATABASE, self.notes)
            except FileNotFoundError:  # another process has cleared the store
                continue
        raise self._gone()

    def _make_folders(self) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                is_new = claim(self.folder)
                for name in ("arrays", "locks"):
                    make_private_folder(self.folder / name)
                if is_new:
                    adopt_older(self.top)
                return
            except OSError as error:
                if isinstance(error, FileNotFoundError) and attempt < _ATTEMPTS - 1:
                    continue  # another process has just cleared the store
                if not os.path.exists(self.folder / DATABASE):
                    raise self._explained(error) from None

    # Arrays

    def write_arrays(self, name: str, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> int:
        """Write an array file. Returns its size in bytes."""
        if self.read_only:
            raise self.database.unwritable()
        path = self._array_path(name)
        for _ in range(_ATTEMPTS):
            try:
                remove_unless_file(path)
                return write_arrays(path, arrays, meta)
            except FileNotFoundError:  # another process has cleared the store
                self._make_folders()
            except OSError as error:
                raise self._explained(error) from None
        raise self._gone()

    def has_arrays(self, name: str) -> bool:
        """Whether there is such an array file, whole or not."""
        return self._array_path(name).exists()

    def open_arrays(self, name: str) -> Arrays | None:
        """Open an array file; None when it is missing or damaged and has to be built again."""
        try:
            return open_arrays(self._array_path(name))
        except FileNotFoundError:
            return None
        except StoreCorrupt as error:
            self.notes.append(f"{error}: rebuilding it")
            return None
        except OSError as error:
            path = self._array_path(name)
            if path.is_file() and not isinstance(error, PermissionError):
                raise self._explained(error) from None
            with suppress(OSError):  # what is in a folder is not ours to remove
                remove_unless_file(path)
            self.notes.append(f"{path.name} cannot be read: rebuilding it")
            return None

    def array_names(self) -> list[str]:
        """The names of all array files."""
        return [path.name.removesuffix(SUFFIX) for path in names_in(self.folder / "arrays", end=SUFFIX)]

    def array_size(self, name: str) -> int:
        """The size of an array file; 0 when there is none."""
        return file_size(self._array_path(name))

    def delete_arrays(self, name: str) -> None:
        """Remove an array file; readers that have it open can still read it. Raises StoreError."""
        try:
            remove_entry(self._array_path(name))
        except OSError as error:
            raise self._explained(error) from None

    def _array_path(self, name: str) -> Path:
        return self.folder / "arrays" / f"{name}{SUFFIX}"

    @contextmanager
    def scratch(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A stream to a temporary file beside the array files, and its path. The file is removed at the end."""
        self._make_folders()
        with scratch(self.folder / "arrays") as opened:
            yield opened

    # Locks and sizes

    @contextmanager
    def writing(self, repository: str, wait_seconds: float = 0.0) -> Iterator[bool]:
        """Hold the lock for building a repository's indexes. Yields False when another process holds it."""
        if self.read_only:
            yield True
            return
        from filelock import FileLock, Timeout  # a search of what is ready needs no lock

        self._make_folders()  # another process may have cleared the store
        path = self.folder / "locks" / f"{repository}.lock"
        lock = FileLock(path, timeout=wait_seconds, mode=0o600)
        try:
            remove_unless_file(path)
            lock.acquire()
        except Timeout:
            yield False
            return
        except OSError as error:
            raise self._explained(error) from None
        try:
            yield True
        finally:
            lock.release()

    def size(self) -> int:
        """Bytes on disk, over all format versions."""
        return size_of_stores(self.top)

    def index_size(self) -> int:
        """Bytes of facts and arrays, without clones: the part that garbage collection can shrink."""
        files = [*names_in(self.folder, DATABASE), *names_in(self.folder / "arrays")]
        return sum(map(file_size, files))

    def _gone(self) -> StoreError:
        return StoreError(f"the store at {self.top} cannot be used: another process keeps clearing it")

    def _explained(self, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return StoreFull(
                f"the store at {self.top} is full: free some space, run `trackdown clear`, "
                "or set TRACKDOWN_STORE to another folder"
            )
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            return StoreError(
                f"the store at {self.top} cannot be read or written: check its permissions, "
                "or set TRACKDOWN_STORE to another folder"
            )
        return StoreError(f"the store at {self.top} cannot be used: {error.strerror or error}")
