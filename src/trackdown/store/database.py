"""Facts and records in SQLite (WAL): many readers beside one writer, every write a transaction.

*Facts* are immutable and keyed by content: (kind, key) → bytes. *Records* describe the present state of the store
(worktree states, index manifests), each with the time of its last use. Everything can be computed again, so a damaged
database is replaced by a new one: at once if the damage shows when it is opened; if it shows later, a marker file tells
the next process that opens it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from trackdown.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS records (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, used REAL NOT NULL, PRIMARY KEY (kind, key));
"""
DATABASE_VERSION = 1
COMPANIONS = ("-wal", "-shm", "-damaged")
"""Suffixes of the files that may be beside a database."""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BATCH = 500
_BUSY_SECONDS = 30.0
T = TypeVar("T")


class Database:
    """One connection, shared by all threads. Raises StoreError (full, read-only, busy) and StoreCorrupt only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only = False
        self.full = False
        self._mark = Path(f"{path}-damaged")
        self._lock = threading.Lock()  # threads share the connection, and with it its transaction
        self._connection = self._open_with_retries()
        self._file = self._stamp()

    def is_replaced(self) -> bool:
        """Whether another file has taken our file's name: another process cleared or repaired the store."""
        return self._stamp() != self._file

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _open_with_retries(self) -> sqlite3.Connection:
        """Open, with retries: when several processes create a store at once, SQLite reports busy without waiting."""
        until = time.monotonic() + min(_BUSY_SECONDS, 10)
        while True:
            try:
                return self._open()
            except StoreBusy:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def _open(self) -> sqlite3.Connection:
        if self._mark.exists():
            raise StoreCorrupt(f"the store at {self.path.parent} is damaged")
        try:
            connection = self._connect()
            if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version not in (0, DATABASE_VERSION):
                    connection.close()
                    raise StoreCorrupt(f"{self.path} is of another format")
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("PRAGMA secure_delete=ON")  # what was withdrawn must not stay on free pages
                if version == 0:
                    connection.executescript(
                        f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={DATABASE_VERSION}; COMMIT;"
                    )
                return connection
            connection.close()
        except sqlite3.OperationalError as error:
            self.full = _is_full(error)  # no room even for the log, but the content can be read
            if not _is_read_only(error) and not (self.full and self.path.stat().st_size):
                raise self._explained(error) from None
        except sqlite3.DatabaseError as error:
            raise self._explained(error) from None
        return self._open_read_only()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)

    def _open_read_only(self) -> sqlite3.Connection:
        """Read beside a writer; if there is no log that we can read, read the file alone."""
        self.read_only = True
        uri = self.path.absolute().as_uri()
        try:
            return self._connect_and_read(f"{uri}?mode=ro")
        except sqlite3.Error:
            pass
        try:
            return self._connect_and_read(f"{uri}?immutable=1")
        except sqlite3.Error as error:
            raise self._explained(error) from None

    def _connect_and_read(self, address: str) -> sqlite3.Connection:
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        connection.execute("SELECT 1 FROM records LIMIT 1").fetchone()
        return connection

    def _explained(self, error: sqlite3.Error) -> StoreError:
        text = str(error)
        place = self.path.parent
        if _is_full(error) or _is_read_only(error):
            return self.unwritable(_is_full(error))
        if "locked" in text or "busy" in text:
            return StoreBusy(f"the store at {place} is busy: another process is writing to it, try again")
        return StoreCorrupt(f"the store at {place} is damaged ({text})")

    def unwritable(self, full: bool | None = None) -> StoreError:
        """The error for a store that cannot be written. It says what to do."""
        place = self.path.parent.parent
        if self.full if full is None else full:
            return StoreFull(
                f"the store at {place} is full or cannot be written: free some space, run `trackdown clear --all`, "
                "or set TRACKDOWN_STORE to another folder"
            )
        return StoreError(f"the store at {place} is read-only: set TRACKDOWN_STORE to another folder")

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            with self._lock:
                return work()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
                raise self._found_damaged(error) from None
            raise self._explained(error) from None

    def _found_damaged(self, error: sqlite3.Error) -> StoreCorrupt:
        try:
            self._mark.touch()
        except OSError:
            pass
        return StoreCorrupt(
            f"the store at {self.path.parent} is damaged ({error}): run the command again to rebuild it"
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # Facts

    def known_facts(self, kind: str, keys: Iterable[str]) -> set[str]:
        """The keys that have facts."""
        return {key for key, _ in self._select("SELECT key, 1 FROM facts", kind, keys)}

    def read_facts(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Facts by key, for the keys that have any."""
        return dict(self._select("SELECT key, value FROM facts", kind, keys))

    def write_facts(self, kind: str, rows: Iterable[tuple[str, bytes]]) -> None:
        """Add facts in one transaction; existing facts stay unchanged."""
        self._write("INSERT OR IGNORE INTO facts VALUES (?, ?, ?)", [(kind, key, value) for key, value in rows])

    def fact_keys(self, kind: str, prefix: str = "") -> list[str]:
        """All keys of a kind with this prefix."""
        query = "SELECT key FROM facts WHERE kind=? AND key>=? AND key<?"
        bounds = (kind, prefix, f"{prefix}\U0010ffff")
        rows = self._guarded(lambda: self._connection.execute(query, bounds).fetchall())
        return [key for (key,) in rows]

    def delete_facts(self, kind: str, keys: Iterable[str]) -> None:
        """Remove facts."""
        self._write("DELETE FROM facts WHERE kind=? AND key=?", [(kind, key) for key in keys])

    # Records

    def read_record(self, kind: str, key: str) -> bytes | None:
        """One record."""
        row = self._guarded(
            lambda: self._connection.execute("SELECT value FROM records WHERE kind=? AND key=?", (kind, key)).fetchone()
        )
        return None if row is None else bytes(row[0])

    def records(self, kind: str) -> list[tuple[str, bytes, float]]:
        """All records of a kind with the time of their last use, latest first."""
        statement = "SELECT key, value, used FROM records WHERE kind=? ORDER BY used DESC, key"
        return self._guarded(lambda: self._connection.execute(statement, (kind,)).fetchall())

    def write_record(self, kind: str, key: str, value: bytes) -> None:
        """Write a record and mark it as used now."""
        self._write("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", [(kind, key, value, time.time())])

    def touch_record(self, kind: str, key: str) -> None:
        """Mark a record as used, at most once a minute. If that cannot be written, nothing is lost."""
        if self.read_only:
            return
        now = time.time()
        statement = "UPDATE records SET used=? WHERE kind=? AND key=? AND used<?"
        try:
            self._write(statement, [(now, kind, key, now - 60)])
        except StoreCorrupt:
            raise
        except StoreError:
            pass  # full or busy: a reader can continue

    def delete_records(self, kind: str, keys: Iterable[str]) -> None:
        """Remove records."""
        self._write("DELETE FROM records WHERE kind=? AND key=?", [(kind, key) for key in keys])

    def compact(self) -> None:
        """Return freed space to the disk."""
        self._guarded(lambda: self._connection.execute("VACUUM"))
        self._guarded(lambda: self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)"))

    def _select(self, statement: str, kind: str, keys: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        wanted = list(keys)
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            query = f"{statement} WHERE kind=? AND key IN ({marks})"
            yield from self._guarded(lambda q=query, b=batch: self._connection.execute(q, (kind, *b)).fetchall())  # type: ignore[misc]

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        if not rows:
            return
        if self.read_only:
            raise self.unwritable()

        def work() -> None:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany(statement, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

        self._guarded(work)


def _is_full(error: sqlite3.Error) -> bool:
    return "full" in str(error) or "disk I/O" in str(error)


def _is_read_only(error: sqlite3.Error) -> bool:
    return "readonly" in str(error) or "unable to open" in str(error)
