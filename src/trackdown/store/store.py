"""The store: one folder with a database of facts and records, array files, clones and locks.

The folder's name has the format version, so two versions of the program never share a folder; `clear --all` removes
the folders of all versions. Raise FORMAT when old contents can't be read any more; they are then built again.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy.typing as npt

from trackdown.errors import StoreCorrupt, StoreError, StoreFull
from trackdown.store.arrays import PART_PREFIX, SUFFIX, Arrays, open_arrays, write_arrays
from trackdown.store.database import COMPANIONS, Database

FORMAT = "v1"


class Store:
    """The store below a folder, which is created or repaired if necessary. Raises StoreError if that fails."""

    def __init__(self, folder: Path) -> None:
        self.top = folder
        self.folder = folder / FORMAT
        self.notes: list[str] = []
        self._make_folders()
        path = self.folder / "facts.sqlite3"
        try:
            self.database = Database(path)
        except StoreCorrupt as error:
            self._remove_damaged(path)
            self.notes.append(f"{error}: rebuilding it")
            self.database = Database(path)
        self.read_only = self.database.read_only
        if not self.read_only:
            self._remove_partial_files()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    @property
    def clones(self) -> Path:
        """Where clones of URLs are kept."""
        return self.folder / "clones"

    def _make_folders(self) -> None:
        try:
            for name in ("arrays", "locks"):
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if not (self.folder / "facts.sqlite3").exists():
                raise self._explained(error) from None

    def _remove_damaged(self, path: Path) -> None:
        """Remove a damaged database; everything in it is derived."""
        try:
            for suffix in ("", *COMPANIONS):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        except OSError as error:
            raise self._explained(error) from None

    def _remove_partial_files(self) -> None:
        """Remove files that a killed process left half-written."""
        for part in (self.folder / "arrays").glob(f"{PART_PREFIX}*"):
            writer = part.name.removeprefix(PART_PREFIX).split("-", 1)[0]
            if not writer.isdigit() or not _is_alive(int(writer)):
                part.unlink(missing_ok=True)

    # Arrays

    def write_arrays(self, name: str, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> int:
        """Write an array file. Returns its size in bytes."""
        if self.read_only:
            raise self.database.unwritable()
        try:
            return write_arrays(self._array_path(name), arrays, meta)
        except OSError as error:
            raise self._explained(error) from None

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
            raise self._explained(error) from None

    def array_names(self) -> list[str]:
        """The names of all array files."""
        return sorted(path.name.removesuffix(SUFFIX) for path in (self.folder / "arrays").glob(f"*{SUFFIX}"))

    def array_size(self, name: str) -> int:
        """The size of an array file; 0 when there is none."""
        return _size(self._array_path(name))

    def delete_arrays(self, name: str) -> None:
        """Remove an array file; readers that have it open can still read it."""
        self._array_path(name).unlink(missing_ok=True)

    def _array_path(self, name: str) -> Path:
        return self.folder / "arrays" / f"{name}{SUFFIX}"

    # Locks and sizes

    @contextmanager
    def writing(self, repository: str, wait_seconds: float = 0.0) -> Iterator[bool]:
        """Hold the lock for building a repository's indexes. Yields False when another process holds it."""
        if self.read_only:
            yield True
            return
        from filelock import FileLock, Timeout  # a search of what is ready needs no lock

        lock = FileLock(self.folder / "locks" / f"{repository}.lock", timeout=wait_seconds)
        try:
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
        return sum(_size(Path(folder, name)) for folder, _, names in os.walk(self.top) for name in names)

    def index_size(self) -> int:
        """Bytes of facts and arrays, without clones: the part that garbage collection can shrink."""
        files = [*self.folder.glob("facts.sqlite3*"), *(self.folder / "arrays").glob("*")]
        return sum(map(_size, files))

    def remove_all(self) -> None:
        """Remove the contents of all versions, and nothing but folders that a store creates."""
        self.close()
        for folder in self.top.glob("v[0-9]*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _explained(self, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return StoreFull(
                f"the store at {self.top} is full: free some space, run `trackdown clear`, "
                "or set TRACKDOWN_STORE to another folder"
            )
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            return StoreError(f"the store at {self.top} cannot be written: set TRACKDOWN_STORE to another folder")
        return StoreError(f"the store at {self.top} cannot be used: {error.strerror or error}")


def _size(path: Path) -> int:
    """The size of a regular file; 0 if another process has removed it."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
