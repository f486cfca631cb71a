"""A harvest as two Parquet files: `STEM.documents.parquet` and `STEM.examples.parquet`.

Row n of the first is document n of the second. Both say in their footers what they were made of, and belong together
when they say the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trackdown.lab.mine.harvest import Example, Harvest
from trackdown.lab.mine.negatives import Ranked, bm25_negatives
from trackdown.lab.mine.table_file import About, TableWriter, is_complete
from trackdown.types import Progress, no_progress

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
    """Write both files; examples with so many hard negatives, and with the rank of their answers, when asked for.

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
    joined = ((*row, *more) for row, *more in zip(examples, ranked.negatives, ranked.ranks.tolist(), strict=True))
    _write(folder / f"{stem}.{EXAMPLES}", EXAMPLE_COLUMNS | RANKED_COLUMNS, about, joined)


def _ranked(found: Harvest, count: int, progress: Progress) -> Ranked:
    return bm25_negatives(
        [example.rewritten or example.message for example in found.examples],
        found.documents,
        [example.answers for example in found.examples],
        count,
        unit_of=lambda document: (found.present_path(document.path), document.symbol),
        progress=progress,
    )


def _row(example: Example) -> tuple[Any, ...]:
    return tuple(getattr(example, name) for name in EXAMPLE_COLUMNS)


def _write(path: Path, columns: dict[str, str], about: About, rows: Iterable[tuple[Any, ...]]) -> None:
    with TableWriter(path, columns, about) as table:
        for row in rows:
            table.add(row)


__all__ = [
    "DOCUMENTS", "DOCUMENT_COLUMNS", "EXAMPLES", "EXAMPLE_COLUMNS", "RANKED_COLUMNS", "has_harvest", "write_harvest",
]  # fmt: skip
