"""Open a file where something else may be: a named pipe would keep us waiting, and a device may never end."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path


def open_plain(path: Path) -> BufferedReader:
    """Open a regular file for reading, without waiting. Raises OSError, also if there is something else."""
    stream = open(path, "rb", opener=without_waiting)  # noqa: SIM115 - the caller closes it
    found = os.fstat(stream.fileno())
    if stat.S_ISREG(found.st_mode) or found.st_rdev == os.stat(os.devnull).st_rdev:  # as good as an empty file
        return stream
    stream.close()
    raise OSError(errno.EINVAL, "Not a regular file", str(path))


def read_plain(path: Path) -> bytes:
    """The content of a regular file. Raises OSError, also if there is something else."""
    with open_plain(path) as stream:
        return stream.read()


def without_waiting(path: str, flags: int) -> int:
    """An opener for `open`: a pipe is opened at once, and reads like an empty file."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
