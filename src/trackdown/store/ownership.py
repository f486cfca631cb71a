"""Whose folder is it? A store carries a mark; folders without it are neither used nor removed.

Others must not read a store, because it holds the contents of private files: folders have mode 0700, files 0600. The
folder of a store alone keeps others out of everything below it, so opening a store checks only that folder.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing, suppress
from pathlib import Path

from trackdown.errors import StoreError

MARK = "trackdown-store"
"""The name of the file that says that a folder is a store."""
DATABASE = "facts.sqlite3"
_TEXT = b"This folder is a store of Trackdown. Everything in it can be rebuilt; `trackdown clear --all` removes it.\n"
_TABLES = {"facts", "records"}
_FOLDERS = {"arrays": re.compile(r"\.part-.*|.*\.arrays"), "locks": re.compile(r".*\.lock")}
"""The folders of a store, and the names of the files in them."""
_OTHERS = 0o077


def claim(folder: Path) -> bool:
    """Create a store's folder, or check that it is ours. Returns whether it carries the mark only since now.

    Raises StoreError if the folder is not ours, and OSError.
    """
    found = _lstat(folder)
    if found is None:
        if not folder.parent.exists():
            folder.parent.parent.mkdir(parents=True, exist_ok=True)
            make_private_folder(folder.parent)
        make_private_folder(folder)
        found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _not_ours(folder)
    if found.st_mode & _OTHERS:
        tighten(folder)
    if _is_marked(folder):
        return False
    if not _is_recognised(folder) and not _holds_only_ours(folder):
        raise _not_ours(folder)
    _write_mark(folder)
    return True


def stores_in(top: Path) -> list[Path]:
    """The stores of all versions in a folder: those that carry the mark, and those of versions that had none."""
    return [folder for folder in sorted(top.glob("v[0-9]*")) if _is_store(folder)]


def holds_others(top: Path) -> bool:
    """Whether a folder holds anything that is neither a store nor one that a process is just creating or removing."""
    return not top.is_dir() or not all(_is_store(entry) or _is_half_made(entry) for entry in top.iterdir())


def adopt_older(top: Path) -> None:
    """Mark the stores of earlier versions, and close them to others."""
    for folder in stores_in(top):
        with suppress(OSError):
            if not _is_marked(folder):
                _write_mark(folder)
                for place, folders, files in os.walk(folder):
                    for name in (".", *folders, *files):
                        tighten(Path(place, name))


def tighten(path: Path) -> None:
    """Take all rights to a file or folder from others. Does nothing to a link, or if it is not our own."""
    found = _lstat(path)
    if found is not None and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)


def make_private_folder(folder: Path) -> None:
    """Create a folder that only we can enter, whatever the umask, unless it exists."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)


def create_private_file(path: Path) -> None:
    """Create an empty file that only we can read, whatever the umask, unless it exists."""
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)


def remove_entry(path: Path) -> None:
    """Remove whatever has a name, if anything has. Raises OSError for a folder with something in it: it is not ours."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


def remove_unless_file(path: Path) -> None:
    """Remove what has the name of a file of ours and is not a regular file. Raises OSError like `remove_entry`."""
    found = _lstat(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        remove_entry(path)


def not_a_store(folder: Path) -> StoreError:
    """The error for a folder that was to be cleared and is not a store."""
    return StoreError(f"{folder} is not a store of Trackdown: nothing was removed (TRACKDOWN_STORE names the store)")


def _not_ours(folder: Path) -> StoreError:
    return StoreError(f"{folder} exists and is not a store of Trackdown: set TRACKDOWN_STORE to another folder")


def _is_store(folder: Path) -> bool:
    found = _lstat(folder)
    return found is not None and stat.S_ISDIR(found.st_mode) and (_is_marked(folder) or _is_recognised(folder))


def _is_marked(folder: Path) -> bool:
    found = _lstat(folder / MARK)
    return found is not None and stat.S_ISREG(found.st_mode)


def _write_mark(folder: Path) -> None:
    path = folder / MARK
    remove_unless_file(path)  # a pipe would be waited for, and a link would be followed
    create_private_file(path)
    path.write_bytes(_TEXT)


def _is_recognised(folder: Path) -> bool:
    """Whether a folder without a mark has a database with our tables."""
    path = folder / DATABASE
    found = _lstat(path)
    if found is None or not stat.S_ISREG(found.st_mode) or not found.st_size:
        return False
    return any(_tables(f"{path.absolute().as_uri()}?{how}") == _TABLES for how in ("immutable=1", "mode=ro"))


def _tables(address: str) -> set[str]:
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    except (sqlite3.Error, UnicodeDecodeError):  # a message that quotes damaged bytes cannot be decoded
        return set()


def _is_half_made(folder: Path) -> bool:
    """Whether a folder is named like a store and holds only what a store holds before its database. True if it has just
    vanished.
    """
    found = _lstat(folder)
    if found is None:
        return True
    try:
        named = re.fullmatch(r"v[0-9]+(\.removed-.*)?", folder.name) is not None
        begun = stat.S_ISDIR(found.st_mode) and _lstat(folder / DATABASE) is None
        return named and begun and _holds_only_ours(folder)
    except FileNotFoundError:
        return True


def _holds_only_ours(folder: Path) -> bool:
    """Whether everything in a folder is named as in a store: another process is just creating or clearing it."""
    for entry in folder.iterdir():
        if entry.is_symlink():
            return False
        if entry.name in _FOLDERS and entry.is_dir():
            if not all(_FOLDERS[entry.name].fullmatch(path.name) and path.is_file() for path in entry.iterdir()):
                return False
        elif not entry.name.startswith((DATABASE, MARK)) or not entry.is_file():
            return False
    return True


def _lstat(path: Path) -> os.stat_result | None:
    """What is at a path; None if there is nothing that we may see."""
    try:
        return path.lstat()
    except OSError:
        return None
