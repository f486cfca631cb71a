"""Files that are being written: private, and locked by their writer for as long as it lives.

Whether a writer lives is judged by the lock: a process number means nothing in another container.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from trackdown.plain_files import without_waiting

PART_PREFIX = ".part-"
_ABANDONED_SECONDS = 24 * 3600.0
"""The age from which a file counts as abandoned where files cannot be locked."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to a temporary file beside `path`, which replaces it at the end; after an error, nothing is left."""
    stream, temporary = _create(path.parent)
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def scratch(folder: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A stream to a temporary file in a folder, and its path. The file is removed at the end."""
    stream, temporary = _create(folder)
    try:
        with stream:
            yield stream, temporary
    finally:
        temporary.unlink(missing_ok=True)


def _create(folder: Path) -> tuple[BinaryIO, Path]:
    """A new file with mode 0600, and our lock on it."""
    while True:
        path = folder / f"{PART_PREFIX}{os.urandom(8).hex()}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        stream = os.fdopen(descriptor, "wb")
        os.fchmod(descriptor, 0o600)  # the umask may have taken some of it
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return stream, path
        stream.close()  # another process removed the file before we had locked it


def names_in(folder: Path, start: str = "", end: str = "") -> list[Path]:
    """The files in a folder whose names start and end so; none if it cannot be read, or has just been removed."""
    try:
        return [folder / name for name in sorted(os.listdir(folder)) if name.startswith(start) and name.endswith(end)]
    except OSError:
        return []


def remove_abandoned(folder: Path) -> None:
    """Remove the files that a killed process left half-written."""
    for part in names_in(folder, PART_PREFIX):
        with suppress(OSError), open(part, "rb", opener=without_waiting) as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except OSError:
                if time.time() - os.fstat(stream.fileno()).st_mtime < _ABANDONED_SECONDS:
                    continue
            part.unlink(missing_ok=True)
