"""Where the files of an answer are, seen from the current folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trackdown.engine import Repository, repository_names
from trackdown.types import Result

_ON_DISK = frozenset({"worktree", "folder"})


class AnswerPlaces:
    """The folders of the repositories that were searched; without any for a revision, whose files are not on disk.

    `many` says that paths need the names of their repositories: there are several, or `every` one is named.
    """

    def __init__(self, repositories: Sequence[Repository], at: str | None, *, every: bool = False) -> None:
        names = repository_names(repositories)
        self.roots: dict[str, Path] = {
            names[str(repository.source.root)]: repository.source.root
            for repository in repositories
            if at is None and repository.source.kind in _ON_DISK and repository.source.url is None
        }
        self.many = every or len(set(names.values())) > 1

    def file(self, result: Result) -> Path | None:
        """The file of a result; None if it is not on disk."""
        root = self.roots.get(result.repository)
        return None if root is None else root / result.path

    def shown(self, result: Result) -> str:
        """A path that other programs can open from here: relative below the current folder, else absolute. A file that
        is not on disk is shown as in its repository.
        """
        file = self.file(result)
        if file is None:
            return f"{result.repository}:{result.path}" if self.many else result.path
        try:
            near = os.path.relpath(file)
        except (OSError, ValueError):
            return str(file)
        return str(file) if near == ".." or near.startswith(f"..{os.sep}") else near
