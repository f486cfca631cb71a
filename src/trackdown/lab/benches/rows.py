"""What adapters share: reading Parquet and lists of texts, and leaving out cases that cannot be scored.

Those are named and counted, or refused when the user is strict.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError
from trackdown.lab.tasks import Skipped

Record = dict[str, Any]


def read_parquet(path: Path, columns: Sequence[str]) -> list[Record]:
    """The rows of a Parquet file. Raises UsageError when it cannot be read, or lacks one of the columns."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError("reading Parquet needs pyarrow: pip install 'trackdown[lab]'") from None
    try:
        table = pyarrow.parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        told = getattr(error, "strerror", None) or (str(error).splitlines() or ["it cannot be read"])[0]
        raise UsageError(f"cannot read {path}: {told}") from None
    missing = [column for column in columns if column not in table.column_names]
    if missing:
        raise UsageError(f"{path} has no column {', '.join(missing)}; it has {', '.join(table.column_names)}")
    rows: list[Record] = table.to_pylist()
    return rows


def texts(value: object) -> list[str]:
    """A list of texts that may have been written as a Python literal or as JSON. Raises ValueError."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            try:
                value = ast.literal_eval(value)  # type: ignore[arg-type]
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                raise ValueError("is not a list") from None
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("is not a list of texts")
    return list(value)


class Refusals:
    """Collects cases that cannot be scored. Strict: the first one is an error. Every case has an id of its own."""

    def __init__(self, path: Path, *, strict: bool) -> None:
        self._path = path
        self._strict = strict
        self._ids: set[str] = set()
        self.skipped: list[Skipped] = []

    def skip(self, id_: str, reason: str, detail: str = "", repository: str = "") -> None:
        """Leave a case out. Where another has its id already, it gets one that tells them apart."""
        unique = id_
        while unique in self._ids:
            unique += "'"
        self._ids.add(unique)
        self._leave_out(id_, unique, reason, detail, repository)

    def is_new(self, id_: str, repository: str = "") -> bool:
        """Whether an id comes for the first time; a second one is left out."""
        if id_ in self._ids:
            self.skip(id_, "duplicate id", repository=repository)
            return False
        self._ids.add(id_)
        return True

    def withdraw(self, id_: str, reason: str, detail: str = "", repository: str = "") -> None:
        """Leave out a case whose id was new, and keeps it."""
        self._leave_out(id_, id_, reason, detail, repository)

    def _leave_out(self, given: str, unique: str, reason: str, detail: str, repository: str) -> None:
        if self._strict:
            raise UsageError(f"{self._path}: case {given!r}: {reason}{f' ({detail})' if detail else ''}")
        self.skipped.append(Skipped(unique, reason, detail, repository))
