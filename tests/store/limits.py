"""A disk that is full, and a user who may not write, for as long as a `with` block."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file of this process may grow beyond a size: writing further fails as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def nothing_writable(folder: Path) -> Iterator[None]:
    """Nothing at or below a folder can be written. Root may write everywhere, so root is someone else meanwhile."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    above = {path: path.stat() for path in folder.parents}
    reachable = {
        path: found.st_mode
        for path, found in above.items()
        if found.st_uid == os.getuid() and found.st_mode | 0o055 != found.st_mode
    }
    for path, mode in reachable.items():
        path.chmod(mode | 0o055)
    for path, mode in modes.items():
        path.chmod(mode & 0o7555 | 0o444 | (0o111 if path.is_dir() else 0))
    root = os.getuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        for path, mode in (modes | reachable).items():
            if path.exists():
                path.chmod(mode)
