"""Walk down folders of any depth."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path


def walk_folders(root: Path, top: str, too_deep: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, names of folders in it, names of all else), from the top down; the caller may remove folders.

    Links are not followed. Folders whose paths are longer than the system can open are added to `too_deep`. os.walk
    would do much the same, but Python 3.11's is recursive and ends a thousand folders down.
    """
    to_do = [top]
    while to_do:
        folder = to_do.pop()
        names: list[str] = []
        leaves: list[str] = []
        links: set[str] = set()
        try:
            with os.scandir(f"{root}/{folder}" if folder else root) as entries:
                for entry in entries:
                    (names if _is_folder(entry) else leaves).append(entry.name)
                    if entry.is_symlink():
                        links.add(entry.name)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                too_deep.append(folder)
            continue
        yield folder, names, leaves
        prefix = f"{folder}/" if folder else ""
        to_do += [f"{prefix}{name}" for name in reversed(names) if name not in links]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that cannot be followed
        return False
