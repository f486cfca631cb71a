"""What may be where a program expects a file, and is not one."""

from __future__ import annotations

import os
import stat
from pathlib import Path

KINDS = ("pipe", "socket", "folder", "loop", "zero")


def put_odd(path: Path, kind: str) -> None:
    """Put a pipe that nobody writes to, a socket, a folder, or a link to itself or to /dev/zero at a path."""
    path.unlink(missing_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            os.mknod(path, stat.S_IFSOCK | 0o600)
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case _:
            path.symlink_to("/dev/zero")
