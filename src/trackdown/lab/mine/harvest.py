"""What one repository gives to learn from: documents, and queries with the numbers of those that answer them.

On disk it is two Parquet files, `STEM.documents.parquet` and `STEM.examples.parquet`. Row n of the first is document n
of the second. Their footers say what they were made of, and they belong together if they say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trackdown.lab.mine.bm25_negatives import HardNegatives, bm25_negatives
from trackdown.lab.mine.documents import Document
from trackdown.lab.mine.messages import code_fingerprint
from trackdown.lab.mine.parquet_table import About, TableWriter, is_complete
from trackdown.types import Progress, no_progress

SAME_WORDS = "version with the same words"


@dataclass(frozen=True, slots=True)
class MinedExample:
    """A query with the numbers of the documents that answer it, and of some that stand beside those.

    `kind` is commit, pull_request (a commit whose `rewritten` is the text of one) or docstring. `files` are all paths
    that a commit touched, under their names before it.
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
class HarvestLimits:
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
    examples: list[MinedExample] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    looked_at: int = 0
    _known: dict[tuple[str, str, bytes], int] = field(default_factory=dict)
    _renamed: dict[str, str] = field(default_factory=dict)

    def number(self, document: Document) -> int:
        """The number of a document, which is there once however often it occurs, and in whatever layout."""
        key = (document.path, document.symbol, code_fingerprint(document.code))
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


DOCUMENTS, EXAMPLES = "documents.parquet", "examples.parquet"
DOCUMENT_COLUMNS = {
    "path": "text",
    "symbol": "text",
    "kind": "text",
    "language": "text",
    "code": "text",
    "present_path": "text",
}
EXAMPLE_COLUMNS = {
    "kind": "text",
    "commit": "text",
    "time": "number",
    "subject": "text",
    "message": "text",
    "files": "texts",
    "answers": "numbers",
    "beside": "numbers",
    "rewritten": "text",
}
RANKED_COLUMNS = {"negatives": "numbers", "rank": "number"}


def has_harvest(folder: Path, stem: str, about: About) -> bool:
    """Whether both files are there and were made of the very same."""
    return all(is_complete(folder / f"{stem}.{ending}", about) for ending in (DOCUMENTS, EXAMPLES))


def write_harvest(
    folder: Path, stem: str, found: Harvest, about: About, *, negatives: int = 0, progress: Progress = no_progress
) -> None:
    """Write both files; with `negatives` above 0, examples get that many hard negatives and the rank of their answer.

    Raises UsageError when they cannot be written.
    """
    ranked = _ranked(found, negatives, progress) if negatives else None
    documents = (
        (one.path, one.symbol, one.kind, one.language, one.code, found.present_path(one.path))
        for one in found.documents
    )
    _write(folder / f"{stem}.{DOCUMENTS}", DOCUMENT_COLUMNS, about, documents)
    examples: Iterable[tuple[Any, ...]] = map(_row, found.examples)
    if ranked is None:
        _write(folder / f"{stem}.{EXAMPLES}", EXAMPLE_COLUMNS, about, examples)
        return
    joined = ((*row, *more) for row, *more in zip(examples, ranked.negatives, ranked.ranks, strict=True))
    _write(folder / f"{stem}.{EXAMPLES}", EXAMPLE_COLUMNS | RANKED_COLUMNS, about, joined)


def _ranked(found: Harvest, count: int, progress: Progress) -> HardNegatives:
    return bm25_negatives(
        [example.rewritten or example.message for example in found.examples],
        found.documents,
        [example.answers for example in found.examples],
        count,
        units=[(found.present_path(one.path), one.symbol) for one in found.documents],
        progress=progress,
    )


def _row(example: MinedExample) -> tuple[Any, ...]:
    return tuple(getattr(example, name) for name in EXAMPLE_COLUMNS)


def _write(path: Path, columns: dict[str, str], about: About, rows: Iterable[tuple[Any, ...]]) -> None:
    with TableWriter(path, columns, about) as table:
        for row in rows:
            table.add(row)
