"""Clear stores: remove those of all versions, and nothing that is not ours."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from trackdown.errors import StoreError
from trackdown.store.opening_lock import opening_lock
from trackdown.store.ownership import DATABASE, MARK, holds_others, not_a_store, remove_entry, stores_in

_ATTEMPTS = 3
FLEET_CACHE = "fleet"
"""The folder beside the stores in which readers of fleets keep what they have downloaded, a folder for each place."""
_CACHE = re.compile("[0-9a-f]{24}")


def clear_stores(top: Path) -> tuple[int, int]:
    """Remove the stores of all versions in a folder, and what fleets cached there. Returns the size before and after.

    Raises StoreError if there is something else but no store, or if a store cannot be removed.
    """
    stores = stores_in(top)
    try:
        if not stores and not _caches(top) and top.exists() and holds_others(top):
            raise not_a_store(top)
    except OSError as error:
        raise StoreError(f"the store at {top} cannot be read ({error.strerror}): check its permissions") from None
    before = size_of_stores(top)
    for folder in stores:
        _remove(_moved_aside(folder))
    for folder in _caches(top):
        _remove(folder)
    with suppress(OSError):
        (top / FLEET_CACHE).rmdir()  # unless there is something that is not ours
    return before, size_of_stores(top)


def size_of_stores(top: Path) -> int:
    """Bytes on disk of the stores of all versions, and of what fleets cached."""
    return sum(
        file_size(Path(folder, name))
        for store in (*stores_in(top), *_caches(top))
        for folder, _, names in os.walk(store)
        for name in names
    )


def _caches(top: Path) -> list[Path]:
    """The caches of fleets, by the form of their names; nothing else, and no links."""
    try:
        found = sorted((top / FLEET_CACHE).iterdir())
    except OSError:
        return []
    return [path for path in found if _CACHE.fullmatch(path.name) and path.is_dir() and not path.is_symlink()]


def file_size(path: Path) -> int:
    """The size of a regular file; 0 if another process has removed it."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _moved_aside(folder: Path) -> Path:
    """Rename a store, so that other processes never see half of it."""
    aside = folder.with_name(f"{folder.name}.removed-{os.urandom(6).hex()}")
    try:
        with opening_lock(folder / DATABASE, alone=True):
            return folder.rename(aside)
    except OSError:  # we may write in the store only, or another process was faster
        return folder


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False


def _remove(folder: Path) -> None:
    """Remove a store, its mark last: if we are interrupted, the rest is still known as ours."""
    import shutil  # here, because it would slow down the start of every search

    for _ in range(_ATTEMPTS):  # a process that still uses it may write once more
        with suppress(OSError):
            for path in [path for path in folder.iterdir() if path.name != MARK]:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
            if {path.name for path in folder.iterdir()} <= {MARK}:
                remove_entry(folder / MARK)
                folder.rmdir()
                return
    if os.path.lexists(folder) and not _is_empty(folder):
        raise StoreError(f"the store at {folder} cannot be removed: check its permissions, then try again")
