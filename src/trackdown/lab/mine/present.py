"""The present state of a repository: docstrings ask for their functions, other functions are only there."""

from __future__ import annotations

import random
import time

from trackdown.lab.mine.docstrings import without_docstring
from trackdown.lab.mine.documents import Document, document, is_own_code, read_units
from trackdown.lab.mine.harvest import Example, Harvest, Limits
from trackdown.lab.mine.likeness import Once, likeness_of_code, likeness_of_query
from trackdown.repository.blobs import BlobReader
from trackdown.repository.snapshot import commit_snapshot
from trackdown.repository.source import Source
from trackdown.types import FUNCTION_KINDS, Progress, no_progress

LIKE_ANOTHER_DOCSTRING = "docstring like another"
LIKE_OTHER_CODE = "function like another"


class PresentState:
    """Takes functions of a commit's snapshot, files in random order, up to the limits."""

    def __init__(self, blobs: BlobReader, found: Harvest, limits: Limits) -> None:
        self._blobs, self._found, self._limits = blobs, found, limits
        self._asked = self._others = 0
        self._said, self._done = Once(), Once()

    def take_all(self, source: Source, head: str, progress: Progress = no_progress) -> None:
        """Go through the files until there is enough, or half the time for commits has passed."""
        files = [file for file in commit_snapshot(source, head).files if is_own_code(file.path)]
        random.Random(self._limits.seed).shuffle(files)
        deadline = time.monotonic() + self._limits.seconds / 2
        for number, file in enumerate(files):
            enough = self._asked >= self._limits.docstrings and self._others >= self._limits.others
            if enough or time.monotonic() > deadline:
                return
            self._take(file.path, file.oid, head)
            progress("docstrings", number + 1, len(files))

    def _take(self, path: str, oid: str, head: str) -> None:
        units, lines = read_units(self._blobs, path, oid)
        for unit in units:
            if unit.kind not in FUNCTION_KINDS:
                continue
            whole = document(path, unit, lines)
            query, code = without_docstring(whole.code, whole.language)
            if not self._done.is_new(likeness_of_code(code)):
                self._found.dropped[LIKE_OTHER_CODE] += 1
            elif query and self._asked < self._limits.docstrings and self._is_said_first(query):
                number = self._found.number(Document(whole.path, whole.symbol, whole.kind, whole.language, code))
                self._found.examples.append(Example("docstring", head, 0, query, query, (path,), (number,), ()))
                self._asked += 1
            elif self._others < self._limits.others:
                self._found.number(whole)
                self._others += 1

    def _is_said_first(self, query: str) -> bool:
        if self._said.is_new(likeness_of_query(query)):
            return True
        self._found.dropped[LIKE_ANOTHER_DOCSTRING] += 1
        return False


__all__ = ["LIKE_ANOTHER_DOCSTRING", "LIKE_OTHER_CODE", "PresentState"]
