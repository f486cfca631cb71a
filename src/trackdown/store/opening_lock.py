"""Nobody opens a database while another process removes or renames it.

SQLite opens the log and the shared memory beside a database by name. A process that opened the database of one store
and the shared memory of the next would damage both.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = "-opening.lock"


@contextmanager
def opening_lock(database: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold the lock beside a database: with others that open it, or alone to take it away.

    Where the lock cannot be created, as in a store that cannot be written, nothing is locked. Raises FileNotFoundError
    if the store is gone.
    """
    path = f"{database}{_SUFFIX}"
    descriptor = _locked(path, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked(path: str, how: int) -> int | None:
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError:
            raise
        except OSError:
            return None
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, how)
        try:
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except OSError:
            pass
        os.close(descriptor)  # while we waited, the store was taken away
