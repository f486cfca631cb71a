"""Facts and records in SQLite: many readers beside one writer, every write a transaction, every value checked.

*Facts* are immutable and keyed by content: (kind, key) → bytes. *Records* describe the present state of the store
(worktree states, index manifests), each with the time of its last use. Every value has a checksum over its kind, its
key and itself. A value that fails it is removed and counts as missing, and a note says so; the caller makes it again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trackdown.errors import StoreCorrupt, StoreError
from trackdown.store.checksums import value_checksum
from trackdown.store.connection import Connection

_BATCH = 500
_DELETE = "DELETE FROM {} WHERE kind=? AND key=?"
Row = tuple[Any, ...]


class Database:
    """One connection, shared by all threads. Raises StoreError (full, read-only, busy) and StoreCorrupt only.

    `notes` gets a line for everything that was damaged.
    """

    def __init__(self, path: Path, notes: list[str] | None = None) -> None:
        self.path = path
        self._notes = [] if notes is None else notes
        self._connection = Connection(path, self._notes)

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written now."""
        return self._connection.read_only

    def unwritable(self) -> StoreError:
        """The error for a store that cannot be written. It says what to do."""
        return self._connection.unwritable()

    def is_replaced(self) -> bool:
        """Whether another file has taken our file's name: another process cleared or repaired the store."""
        return self._connection.is_replaced()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # Facts

    def known_facts(self, kind: str, keys: Iterable[str]) -> set[str]:
        """The keys that have facts."""
        return {row[0] for row in self._select("SELECT key FROM facts", kind, keys)}

    def read_facts(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Facts by key, for the keys that have any."""
        rows = self._select("SELECT key, value, checksum FROM facts", kind, keys)
        return {key: value for key, value, *_ in self._intact("facts", kind, rows)}

    def write_facts(self, kind: str, rows: Iterable[tuple[str, bytes]]) -> None:
        """Add facts in one transaction; existing facts stay unchanged."""
        values = [(kind, key, value, value_checksum(kind, key, value)) for key, value in rows]
        self._write("INSERT OR IGNORE INTO facts VALUES (?, ?, ?, ?)", values)

    def fact_keys(self, kind: str, prefix: str = "") -> list[str]:
        """All keys of a kind with this prefix."""
        query = "SELECT key FROM facts WHERE kind=? AND key>=? AND key<?"
        bounds = (kind, prefix, f"{prefix}\U0010ffff")
        return [key for (key,) in self._connection.run(partial(_fetch, query, bounds))]

    def delete_facts(self, kind: str, keys: Iterable[str]) -> None:
        """Remove facts."""
        self._write(_DELETE.format("facts"), [(kind, key) for key in keys])

    # Records

    def read_record(self, kind: str, key: str) -> bytes | None:
        """One record."""
        found = self._intact("records", kind, self._select("SELECT key, value, checksum FROM records", kind, [key]))
        return found[0][1] if found else None

    def records(self, kind: str) -> list[tuple[str, bytes, float]]:
        """All records of a kind with the time of their last use, latest first."""
        query = "SELECT key, value, checksum, used FROM records WHERE kind=?"
        rows = self._connection.run(partial(_fetch, query, (kind,)))
        found = [
            (key, value, float(used) if isinstance(used, float | int) else 0.0)
            for key, value, _, used in self._intact("records", kind, rows)
        ]
        return sorted(found, key=lambda record: (-record[2], record[0]))

    def write_record(self, kind: str, key: str, value: bytes) -> None:
        """Write a record and mark it as used now."""
        row = (kind, key, value, value_checksum(kind, key, value), time.time())
        self._write("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)", [row])

    def touch_record(self, kind: str, key: str) -> None:
        """Mark a record as used, at most once a minute. If that cannot be written, nothing is lost."""
        if self.read_only:
            return
        now = time.time()
        statement = "UPDATE records SET used=? WHERE kind=? AND key=? AND used<?"
        self._write_if_possible(statement, [(now, kind, key, now - 60)])

    def delete_records(self, kind: str, keys: Iterable[str]) -> None:
        """Remove records."""
        self._write(_DELETE.format("records"), [(kind, key) for key in keys])

    def compact(self) -> None:
        """Return freed space to the disk."""
        self._connection.run(lambda connection: connection.execute("VACUUM"))
        self._connection.run(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))

    # Rows

    def _select(self, statement: str, kind: str, keys: Iterable[str]) -> list[Row]:
        wanted = list(keys)
        found: list[Row] = []
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            query = f"{statement} WHERE kind=? AND key IN ({','.join('?' * len(batch))})"
            found += self._connection.run(partial(_fetch, query, (kind, *batch)))
        return found

    def _intact(self, table: str, kind: str, rows: Iterable[Row]) -> list[Row]:
        """The rows (key, value, checksum, …) whose checksum is right. The others are removed."""
        intact: list[Row] = []
        damaged: list[str] = []
        for row in rows:
            key, value, checksum = row[:3]
            if isinstance(value, bytes) and value_checksum(kind, key, value) == checksum:
                intact.append(row)
            else:
                damaged.append(key)
        if damaged:
            note = f"damaged data in the store was removed ({kind}): it is made again when it is needed"
            if note not in self._notes:
                self._notes.append(note)
            if not self.read_only:
                self._write_if_possible(_DELETE.format(table), [(kind, key) for key in damaged])
        return intact

    def _write_if_possible(self, statement: str, rows: Sequence[Row]) -> None:
        """Write something that may as well be written later: a full disk or a busy store does not stop a reader."""
        try:
            self._write(statement, rows)
        except StoreCorrupt:
            raise
        except StoreError:
            pass

    def _write(self, statement: str, rows: Sequence[Row]) -> None:
        if not rows:
            return
        if self.read_only:
            raise self.unwritable()
        self._connection.run(partial(_execute, statement, rows))


def _fetch(query: str, parameters: Sequence[object], connection: sqlite3.Connection) -> list[Row]:
    return connection.execute(query, parameters).fetchall()


def _execute(statement: str, rows: Sequence[Row], connection: sqlite3.Connection) -> None:
    """Execute a statement for all rows in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.executemany(statement, rows)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
