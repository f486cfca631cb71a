"""The store: one folder with a database of facts and records, array files, clones and locks.

The folder's name carries the format version, so programs of two versions never meet in one folder; `clear --all`
removes every version's. Raise FORMAT when old contents cannot be read any more: they are then built anew.
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
from filelock import FileLock, Timeout

from trackdown.errors import StoreCorrupt, StoreError, StoreFull
from trackdown.store.arrays import PART_PREFIX, SUFFIX, Arrays, open_arrays, write_arrays
from trackdown.store.database import COMPANIONS, Database

FORMAT = "v1"


class Store:
    """Opens, and where it must creates or heals, the store below a folder. Raises StoreError when it cannot."""

    def __init__(self, folder: Path) -> None:
        self.top = folder
        self.folder = folder / FORMAT
        self.notes: list[str] = []
        self._make_folders()
        path = self.folder / "facts.sqlite3"
        try:
            self.database = Database(path)
        except StoreCorrupt as error:
            self._put_aside(path)
            self.notes.append(f"{error}: it is rebuilt")
            self.database = Database(path)
        self.read_only = self.database.read_only
        if not self.read_only:
            self._sweep()

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

    def _put_aside(self, path: Path) -> None:
        """Remove a damaged database; what it held is derived."""
        try:
            for suffix in ("", *COMPANIONS):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
        except OSError as error:
            raise self._explained(error) from None

    def _sweep(self) -> None:
        """Remove what a writer that was killed left half-written."""
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
        """Open an array file; None when it is missing or damaged, and then it has to be built again."""
        try:
            return open_arrays(self._array_path(name))
        except FileNotFoundError:
            return None
        except StoreCorrupt as error:
            self.notes.append(f"{error}: it is rebuilt")
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
        """Remove an array file; readers that have it open keep it."""
        self._array_path(name).unlink(missing_ok=True)

    def _array_path(self, name: str) -> Path:
        return self.folder / "arrays" / f"{name}{SUFFIX}"

    # Locks and sizes

    @contextmanager
    def writing(self, repository: str, wait_seconds: float = 0.0) -> Iterator[bool]:
        """Hold the right to build a repository's indexes. Yields False when another process has it."""
        if self.read_only:
            yield True
            return
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
        """Bytes on disk, all format versions together."""
        return sum(_size(Path(folder, name)) for folder, _, names in os.walk(self.top) for name in names)

    def index_size(self) -> int:
        """Bytes of facts and arrays, without clones: what collecting garbage can make smaller."""
        files = [*self.folder.glob("facts.sqlite3*"), *(self.folder / "arrays").glob("*")]
        return sum(map(_size, files))

    def remove_all(self) -> None:
        """Remove every version's contents. Only folders that a store makes are touched."""
        self.close()
        for folder in self.top.glob("v[0-9]*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _explained(self, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return StoreFull(
                f"the store at {self.top} is full: free some space, run `trackdown clear`, "
                "or name another folder in TRACKDOWN_STORE"
            )
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            return StoreError(f"the store at {self.top} cannot be written: name another folder in TRACKDOWN_STORE")
        return StoreError(f"the store at {self.top} cannot be used: {error.strerror or error}")


def _size(path: Path) -> int:
    """The size of a regular file; 0 when another process removed it meanwhile."""
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
