"""What a store holds, so that two stores can be compared."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

Holdings = dict[str, str]


def holdings(store: Path) -> Holdings:
    """A hash of every fact, manifest and array file. States of work trees hold times and are left out."""
    found: Holdings = {}
    with sqlite3.connect(database_of(store)) as database:
        for kind, key, value in database.execute("SELECT kind, key, value FROM facts"):
            found[f"fact {kind} {key}"] = _hash(value)
        for kind, key, value in database.execute("SELECT kind, key, value FROM records WHERE kind != 'worktree'"):
            found[f"record {kind} {key}"] = _hash(value)
    for path in arrays_of(store):
        found[f"file {path.name}"] = _hash(path.read_bytes())
    return found


def database_of(store: Path) -> Path:
    """The database of a store."""
    (found,) = store.glob("v*/facts.sqlite3")
    return found


def arrays_of(store: Path) -> list[Path]:
    """The array files of a store, half-written ones included."""
    return sorted(store.glob("v*/arrays/*"))


def facts_in(store: Path) -> int:
    """How many facts an index that is being built has written so far."""
    try:
        with sqlite3.connect(f"file:{database_of(store)}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM facts").fetchone()[0])
    except (sqlite3.Error, ValueError):  # there is no database yet, or no table in it
        return 0


def _hash(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()
