"""What state a store is in. Looks, and changes nothing: damage is repaired when the store is used."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import StoreCorrupt
from trackdown.store.arrays import SUFFIX, open_arrays
from trackdown.store.clearing import size_of_stores
from trackdown.store.connection import DATABASE_VERSION
from trackdown.store.opening_lock import opening_lock
from trackdown.store.ownership import DATABASE, holds_others, stores_in
from trackdown.store.part_files import names_in
from trackdown.store.store import FORMAT

_STEPS = 10_000
"""How many steps SQLite takes between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class StoreInspection:
    """The state of the store in a folder. `bytes` are those of all versions, `free` what the disk has left.

    `older` are the versions that this program does not use. `checked` of `files` were read before the time was up;
    `damaged` says what is wrong with them, one line each.
    """

    folder: Path
    exists: bool
    is_ours: bool
    is_private: bool
    is_writable: bool
    bytes: int
    free: int
    older: tuple[str, ...] = ()
    files: int = 0
    checked: int = 0
    damaged: tuple[str, ...] = ()


def inspect_store(top: Path, seconds: float) -> StoreInspection:
    """Look at the store in a folder, for about so long. Never raises for what it finds there."""
    folder = top / FORMAT
    above = next(place for place in (top.absolute(), *top.absolute().parents) if os.path.exists(place))
    try:
        free = shutil.disk_usage(above).free
    except OSError:
        free = 0
    found = [store.name for store in stores_in(top)]
    exists = FORMAT in found
    try:
        is_ours = bool(found) or not top.exists() or not holds_others(top)
    except OSError:
        is_ours = False
    deadline = time.monotonic() + seconds
    paths = [folder / DATABASE, *names_in(folder / "arrays", end=SUFFIX)] if exists else []
    states = list(_states(paths, deadline))
    return StoreInspection(
        folder,
        exists,
        is_ours,
        not exists or not folder.stat().st_mode & 0o077,
        os.access(folder if exists else above, os.W_OK | os.X_OK) and (exists or stat.S_ISDIR(above.stat().st_mode)),
        size_of_stores(top),
        free,
        tuple(name for name in found if name != FORMAT),
        len(paths),
        len(states),
        tuple(filter(None, states)),
    )


def _states(paths: list[Path], deadline: float) -> Iterator[str]:
    """What is wrong with each file ('' for nothing), until the time is up."""
    for path in paths:
        if time.monotonic() >= deadline:
            return
        yield _database_state(path, deadline) if path.name == DATABASE else _arrays_state(path)


def _arrays_state(path: Path) -> str:
    try:
        open_arrays(path)
    except FileNotFoundError:
        return ""  # removed meanwhile
    except StoreCorrupt as error:
        return str(error)
    except OSError as error:
        return f"{path.name} cannot be read ({error.strerror})"
    return ""


def _database_state(path: Path, deadline: float) -> str:
    if not path.exists():
        return ""
    if not path.is_file():  # SQLite would wait at a pipe
        return f"{path.name} is not a file"
    try:
        with (
            opening_lock(path),
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1)) as connection,
        ):
            connection.set_progress_handler(lambda: time.monotonic() >= deadline, _STEPS)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, DATABASE_VERSION):
                return f"{path.name} has another format ({version})"
            said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            return "" if said == "ok" else f"{path.name} is damaged ({said.splitlines()[-1]})"
    except sqlite3.OperationalError as error:
        busy = "interrupted" in str(error) or "locked" in str(error)
        return "" if busy else f"{path.name} cannot be read ({error})"
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        return f"{path.name} is damaged ({error})"
