"""Why git does not come to an end in a work tree. Asked only when a command takes long.

Git waits forever at a named pipe with the name of an ignore file or in a nested repository, and it tries all ways to
spread several `**` of a pattern over the folders of a path.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from trackdown.errors import GitError
from trackdown.repository.folders import walk_folders
from trackdown.repository.git_files import check_file, check_git_files, check_pipe
from trackdown.repository.listing_inputs import user_inputs

_READ_BY_GIT = (".gitignore", ".gitattributes")
_LONGEST_LOOK = 5.0
"""Seconds to look around: in a large work tree git is slow for no bad reason."""
_MOST_BYTES = 1 << 20
_MOST_STARS = 5


def find_obstacle(root: Path | None) -> str:
    """What keeps git busy or waiting, in the user's own files or in a work tree, and what to do; empty if nothing is
    found.
    """
    try:
        for path in user_inputs():
            check_file(path)
        return "" if root is None else _find_in(root)
    except GitError as error:
        return str(error)


def _find_in(root: Path) -> str:
    """What is found in a work tree. Raises GitError for a pipe in a git directory."""
    end = time.monotonic() + _LONGEST_LOOK
    for folder, names, leaves in walk_folders(root, "", []):
        if time.monotonic() > end:
            break
        if ".git" in names:
            names.remove(".git")
            check_git_files(os.path.join(root, folder, ".git"))
        for name in set(leaves).intersection(_READ_BY_GIT):
            path = os.path.join(root, folder, name)
            check_pipe(path)
            if name == ".gitignore" and (line := _exploding_line(path)):
                return f"git takes too long with a pattern in {path}: write {line[:60]!r} with fewer `**`"
    return ""


def _exploding_line(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            lines = stream.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return next((line for line in lines if line.count("**/") > _MOST_STARS and line[0] != "#"), "")
