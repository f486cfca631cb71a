"""What one repository gives to learn from: documents, and queries with the numbers of those that answer them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trackdown.lab.mine.documents import Document
from trackdown.lab.mine.likeness import likeness_of_code

SAME_WORDS = "version with the same words"


@dataclass(frozen=True, slots=True)
class Example:
    """A query with the numbers of the documents that answer it, and of some that stand beside those.

    `kind` is commit or docstring. `files` are all paths that a commit touched, under their names before it.
    `rewritten` is the commit's message as an issue, where somebody wrote one.
    """

    kind: str
    commit: str
    time: int
    subject: str
    message: str
    files: tuple[str, ...]
    answers: tuple[int, ...]
    beside: tuple[int, ...]
    rewritten: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much to take from one repository. `seconds` bounds the time spent on its commits.

    A message must have `words` words: long ones read like issues.
    """

    cases: int = 3000
    files: int = 10
    docstrings: int = 2500
    others: int = 2500
    seconds: float = 60.0
    seed: int = 0
    words: int = 0


@dataclass(slots=True)
class Harvest:
    """All that one repository gives. Examples of commits come newest first; `dropped` counts by rule."""

    repository: str
    documents: list[Document] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    looked_at: int = 0
    _known: dict[tuple[str, str, bytes], int] = field(default_factory=dict)
    _renamed: dict[str, str] = field(default_factory=dict)

    def number(self, document: Document) -> int:
        """The number of a document, which is there once however often it occurs, and in whatever layout."""
        key = (document.path, document.symbol, likeness_of_code(document.code))
        number = self._known.setdefault(key, len(self.documents))
        if number == len(self.documents):
            self.documents.append(document)
        elif self.documents[number].code != document.code:
            self.dropped[SAME_WORDS] += 1
        return number

    def rename(self, old: str, new: str) -> None:
        """Remember that a file had another name before; told newest first."""
        if old != new:
            self._renamed[old] = self.present_path(new)

    def present_path(self, path: str) -> str:
        """The newest name of a file that once had this one."""
        return self._renamed.get(path, path)


__all__ = ["SAME_WORDS", "Example", "Harvest", "Limits"]
