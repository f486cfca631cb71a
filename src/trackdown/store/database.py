"""Facts and records in SQLite (WAL): many readers beside one writer, every write a transaction.

*Facts* are immutable and keyed by content: (kind, key) → bytes. *Records* say what the store holds at present
(states of work trees, manifests of indexes) and when each was last used. Everything can be computed again, so a
damaged database is put aside and a new one begun: at once when it is opened; when damage shows later, a file beside
it says so to whoever opens it next.
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
"""What may stand beside a database, by the end of its name."""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BATCH = 500
_BUSY_SECONDS = 30.0
T = TypeVar("T")


class Database:
    """One connection, for any thread. Raises StoreError (full, read-only, busy) and StoreCorrupt, no sqlite3 errors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read_only = False
        self.full = False
        self._mark = Path(f"{path}-damaged")
        self._lock = threading.Lock()  # threads share the connection, and with it its transaction
        self._connection = self._open_patiently()
        self._file = self._stamp()

    def is_replaced(self) -> bool:
        """Whether the file that is open is no longer the one of its name: it was cleared, or healed by another."""
        return self._stamp() != self._file

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _open_patiently(self) -> sqlite3.Connection:
        """Open; when several processes make a new store at once, SQLite calls it busy without waiting."""
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
                if version == 0:
                    connection.executescript(
                        f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={DATABASE_VERSION}; COMMIT;"
                    )
                return connection
            connection.close()
        except sqlite3.OperationalError as error:
            self.full = _is_full(error)  # not a block is free, even for the log: what is there can still be read
            if not _is_read_only(error) and not (self.full and self.path.stat().st_size):
                raise self._explained(error) from None
        except sqlite3.DatabaseError as error:
            raise self._explained(error) from None
        return self._open_read_only()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)

    def _open_read_only(self) -> sqlite3.Connection:
        """Read beside whoever may write; where there is no log to read with it, the file as it lies."""
        self.read_only = True
        place = self.path.absolute().as_uri()
        try:
            return self._connect_and_read(f"{place}?mode=ro")
        except sqlite3.Error:
            pass
        try:
            return self._connect_and_read(f"{place}?immutable=1")
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
            return StoreBusy(f"the store at {place} is busy: another process writes to it, try again")
        return StoreCorrupt(f"the store at {place} is damaged ({text})")

    def unwritable(self, full: bool | None = None) -> StoreError:
        """The error for a store that cannot be written, with what to do about it."""
        place = self.path.parent.parent
        if self.full if full is None else full:
            return StoreFull(
                f"the store at {place} is full or cannot be written: free some space, run `trackdown clear --all`, "
                "or name another folder in TRACKDOWN_STORE"
            )
        return StoreError(f"the store at {place} is read-only: name another folder in TRACKDOWN_STORE")

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
            f"the store at {self.path.parent} is damaged ({error}): run the command again, it is then built anew"
        )

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    # Facts

    def known_facts(self, kind: str, keys: Iterable[str]) -> set[str]:
        """Those of the keys that have facts."""
        return {key for key, _ in self._select("SELECT key, 1 FROM facts", kind, keys)}

    def read_facts(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]:
        """The facts of those keys that have any."""
        return dict(self._select("SELECT key, value FROM facts", kind, keys))

    def write_facts(self, kind: str, rows: Iterable[tuple[str, bytes]]) -> None:
        """Add facts in one transaction; those already there stay as they are."""
        self._write("INSERT OR IGNORE INTO facts VALUES (?, ?, ?)", [(kind, key, value) for key, value in rows])

    def fact_keys(self, kind: str, beginning: str = "") -> list[str]:
        """All keys of a kind that begin so."""
        query = "SELECT key FROM facts WHERE kind=? AND key>=? AND key<?"
        bounds = (kind, beginning, f"{beginning}\U0010ffff")
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
        """All records of a kind with the time of their last use, the latest first."""
        statement = "SELECT key, value, used FROM records WHERE kind=? ORDER BY used DESC, key"
        return self._guarded(lambda: self._connection.execute(statement, (kind,)).fetchall())

    def write_record(self, kind: str, key: str, value: bytes) -> None:
        """Set a record, used now."""
        self._write("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", [(kind, key, value, time.time())])

    def touch_record(self, kind: str, key: str) -> None:
        """Note that a record was used, at most once a minute. Where that cannot be written it is no loss."""
        if self.read_only:
            return
        now = time.time()
        statement = "UPDATE records SET used=? WHERE kind=? AND key=? AND used<?"
        try:
            self._write(statement, [(now, kind, key, now - 60)])
        except StoreCorrupt:
            raise
        except StoreError:
            pass  # full or busy: whoever only reads goes on

    def delete_records(self, kind: str, keys: Iterable[str]) -> None:
        """Remove records."""
        self._write("DELETE FROM records WHERE kind=? AND key=?", [(kind, key) for key in keys])

    def compact(self) -> None:
        """Give freed space back to the disk."""
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
