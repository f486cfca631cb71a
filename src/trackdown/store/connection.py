"""A connection to the store's SQLite file (WAL), shared by threads. A damaged file is replaced by an empty one.

Everything in the file can be computed again, so damage that SQLite notices ends no command: the file is replaced, the
statement runs again, and a note says so. A file that could not be written is opened for writing once it can be.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from trackdown.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull
from trackdown.store.opening_lock import opening_lock
from trackdown.store.ownership import create_private_file, remove_entry, remove_unless_file

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE IF NOT EXISTS records (
    kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, checksum BLOB NOT NULL, used REAL NOT NULL,
    PRIMARY KEY (kind, key));
"""
DATABASE_VERSION = 2
_COMPANIONS = ("-wal", "-shm")
_DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_TOOBIG,
    sqlite3.SQLITE_MISMATCH,
)
_BUSY_SECONDS = 30.0
_RETRY_SECONDS = 1.0
T = TypeVar("T")


class Connection:
    """A connection to the file at a path. Raises StoreError (full, read-only, busy) and StoreCorrupt only.

    `notes` gets a line when the file was damaged. Raises FileNotFoundError if the store is gone when it is opened.
    """

    def __init__(self, path: Path, notes: list[str]) -> None:
        self.path = path
        self.full = False
        self._notes = notes
        self._read_only = False
        self._next_try = 0.0
        self._lock = threading.Lock()  # threads share the connection, and with it its transaction
        self._file: tuple[int, int] | None = None
        self._connection = self._open_or_replace()

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns. If the file turns out to be damaged, it is replaced, and `work` is called again."""
        with self._lock:
            try:
                with _errors_as_text():
                    return work(self._connection)
            except sqlite3.Error as error:
                if not _is_damage(error):
                    raise self._explained(error) from None
                self._replace(self._explained(error))
            try:
                with _errors_as_text():
                    return work(self._connection)
            except sqlite3.Error as error:
                raise self._explained(error) from None

    def close(self) -> None:
        """Close the connection.

        The last one to close removes the log by name. If the store were taken away in that very moment, it would remove
        the log of the store that follows.
        """
        try:
            with opening_lock(self.path):
                self._connection.close()
        except FileNotFoundError:
            self._connection.close()

    def is_replaced(self) -> bool:
        """Whether another file has taken our file's name: another process cleared or repaired the store."""
        return self._stamp() != self._file

    @property
    def read_only(self) -> bool:
        """Whether the file cannot be written. It is opened again when that may have changed."""
        if self._read_only and time.monotonic() >= self._next_try and self._may_write():
            self._next_try = time.monotonic() + _RETRY_SECONDS
            with self._lock, suppress(StoreError, FileNotFoundError):
                opened = self._open()
                self.close()
                self._connection = opened
        return self._read_only

    def unwritable(self, full: bool | None = None) -> StoreError:
        """The error for a store that cannot be written. It says what to do."""
        place = self.path.parent.parent
        if self.full if full is None else full:
            return StoreFull(
                f"the store at {place} is full or cannot be written: free some space, run `trackdown clear --all`, "
                "or set TRACKDOWN_STORE to another folder"
            )
        return StoreError(
            f"the store at {place} is read-only: make it writable, or set TRACKDOWN_STORE to another folder"
        )

    # Opening

    def _open_or_replace(self) -> sqlite3.Connection:
        """Open, with retries: when several processes create a store at once, SQLite reports busy without waiting."""
        until = time.monotonic() + min(_BUSY_SECONDS, 10)
        while True:
            try:
                return self._open()
            except StoreBusy:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
            except StoreCorrupt as error:
                self._remove(error)
                return self._open()

    def _open(self) -> sqlite3.Connection:
        with opening_lock(self.path):
            self._file = self._stamp()
            self._read_only = self.full = False
            if self.path.exists() and not self.path.is_file():  # SQLite would take it for one that cannot be written
                raise StoreCorrupt(f"{self.path} is not a file")
            try:
                if self._may_write():
                    with _errors_as_text():
                        connection = self._open_for_writing()
                    self._file = self._stamp()
                    return connection
            except sqlite3.OperationalError as error:
                self.full = _is_full(error)  # no room even for the log, but the content can be read
                if not _is_read_only(error) and not (self.full and self._size()):
                    raise self._explained(error) from None
            except sqlite3.DatabaseError as error:
                raise self._explained(error) from None
            except FileNotFoundError:
                raise
            except OSError as error:
                self.full = _is_full(error)
                if not self._size():
                    raise self.unwritable() from None
            try:
                return self._open_read_only()
            except StoreCorrupt:
                if self.full:  # the disk filled up before there was anything in the file
                    raise self.unwritable() from None
                raise

    def _may_write(self) -> bool:
        writable = not self.path.exists() or os.access(self.path, os.R_OK | os.W_OK)
        return writable and os.access(self.path.parent, os.W_OK | os.X_OK)

    def _open_for_writing(self) -> sqlite3.Connection:
        create_private_file(self.path)  # SQLite gives the files beside it the same mode
        for path in (Path(f"{self.path}{suffix}") for suffix in _COMPANIONS):
            remove_unless_file(path)
            if path.exists() and not os.access(path, os.W_OK):  # a reader made it when the file was read-only
                with suppress(FileNotFoundError):  # another process has just closed the database
                    path.chmod(0o600)
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.text_factory = _text
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, DATABASE_VERSION):
                raise StoreCorrupt(f"{self.path} is of another format")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA secure_delete=ON")  # what was withdrawn must not stay on free pages
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version={DATABASE_VERSION}; COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_read_only(self) -> sqlite3.Connection:
        """Read beside a writer; if there is no log that we can read, read the file alone."""
        self._read_only = True
        uri = self.path.absolute().as_uri()
        try:
            return _connect_and_read(f"{uri}?mode=ro")
        except sqlite3.Error:
            pass
        try:
            return _connect_and_read(f"{uri}?immutable=1")
        except sqlite3.Error as error:
            if os.access(self.path, os.R_OK):
                raise self._explained(error) from None
            raise StoreError(
                f"the store at {self.path.parent.parent} cannot be read: check its permissions, "
                "or set TRACKDOWN_STORE to another folder"
            ) from None

    # Replacing a damaged file

    def _replace(self, error: StoreError) -> None:
        """Continue with an empty file. The caller holds the lock."""
        if self._read_only:
            raise error
        self.close()
        try:
            self._remove(error)
            self._connection = self._open_or_replace()
        except FileNotFoundError:
            raise StoreError(f"the store at {self.path.parent} is gone: run the command again") from None

    def _remove(self, error: StoreError) -> None:
        """Remove the damaged file, unless another process has just replaced it."""
        if self._size() and not os.access(self.path.parent, os.W_OK | os.X_OK):
            raise StoreError(f"{error}, and cannot be written: set TRACKDOWN_STORE to another folder")
        with opening_lock(self.path, alone=True):
            self._notes.append(f"{error}: rebuilding it")
            if self.is_replaced():
                return
            try:
                for suffix in ("", *_COMPANIONS):
                    remove_entry(Path(f"{self.path}{suffix}"))
            except OSError as failed:
                raise StoreError(f"{error} and cannot be removed: {failed.strerror}") from None

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _explained(self, error: sqlite3.Error) -> StoreError:
        text = str(error)
        place = self.path.parent
        if _is_full(error) or _is_read_only(error):
            return self.unwritable(_is_full(error))
        if "locked" in text or "busy" in text:
            return StoreBusy(f"the store at {place} is busy: another process is writing to it, try again")
        return StoreCorrupt(f"the store at {place} is damaged ({text})")


def _connect_and_read(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    connection.text_factory = _text
    with _errors_as_text():
        connection.execute("SELECT 1 FROM records LIMIT 1").fetchone()
    return connection


@contextmanager
def _errors_as_text() -> Iterator[None]:
    """SQLite's messages quote what is damaged, and Python fails to decode those that are no UTF-8."""
    try:
        yield
    except UnicodeDecodeError:
        raise sqlite3.DatabaseError("malformed: a message quotes bytes that are not text") from None


def _text(data: bytes) -> str:
    """Text as SQLite has it, even if it is damaged."""
    return data.decode("utf-8", "replace")


def _is_damage(error: sqlite3.Error) -> bool:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE:
        return True
    # Our statements are correct, so a table that does not fit them is damaged.
    return "no such" in str(error) or "column" in str(error) or "malformed" in str(error)


def _is_full(error: Exception) -> bool:
    return "full" in str(error) or "disk I/O" in str(error) or "No space" in str(error)


def _is_read_only(error: sqlite3.Error) -> bool:
    return "readonly" in str(error) or "unable to open" in str(error)
