"""Tables in Parquet files that are complete or not there: written aside in row groups, and then renamed.

Each file says in its footer what it was made of (`about`): the state of the repository and the limits. A run that finds
a file with the same words passes it over, and makes any other anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from trackdown.errors import UsageError
from trackdown.installation import install_hint

_ABOUT = b"trackdown"
_ROWS, _BYTES = 5000, 32 << 20
_KINDS = ("text", "number", "truth", "texts", "numbers")

About = Mapping[str, Any]


def check_pyarrow() -> None:
    """Raise UsageError, with what to install, where pyarrow is missing."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise UsageError(f"reading and writing Parquet needs pyarrow: {install_hint('lab')}") from None


def clean_text(text: str) -> str:
    """A text that UTF-8 can hold: bytes of a path that are not text are spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class TableWriter:
    """Writes rows, given in the order of the columns, and renames the file into place when all went well.

    `columns` maps a name to text, number, truth, texts or numbers; a text may be None. A context manager: left by an
    exception, it leaves nothing behind. Raises UsageError when the file cannot be written.
    """

    def __init__(self, path: Path, columns: Mapping[str, str], about: About) -> None:
        check_pyarrow()
        import pyarrow

        kinds = dict(
            zip(
                _KINDS,
                (
                    pyarrow.string(),
                    pyarrow.int64(),
                    pyarrow.bool_(),
                    pyarrow.list_(pyarrow.string()),
                    pyarrow.list_(pyarrow.int64()),
                ),
                strict=True,
            )
        )
        self.rows = 0
        self._path = path
        self._aside = path.with_name(f".{path.name}.{os.getpid()}.part")
        fields = [pyarrow.field(name, kinds[kind]) for name, kind in columns.items()]
        self._schema = pyarrow.schema(fields, metadata={_ABOUT: _encoded(about)})
        self._columns: list[list[Any]] = [[] for _ in columns]
        self._size = 0
        self._writer: Any = None

    def __enter__(self) -> TableWriter:
        import pyarrow.parquet

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pyarrow.parquet.ParquetWriter(self._aside, self._schema, compression="zstd")
        except OSError as error:
            raise self._cannot(error) from None
        return self

    def add(self, row: Sequence[Any]) -> None:
        """Add a row; what was gathered goes to disk when it is a row group's worth."""
        for column, value in zip(self._columns, row, strict=True):
            cleaned = _clean(value)
            column.append(cleaned)
            if isinstance(cleaned, str):
                self._size += len(cleaned)
        self.rows += 1
        if len(self._columns[0]) >= _ROWS or self._size >= _BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow

        if self._columns[0]:
            filled = zip(self._columns, self._schema, strict=True)
            arrays = [pyarrow.array(values, field.type) for values, field in filled]
            try:
                self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=self._schema))
            except OSError as error:
                raise self._cannot(error) from None
        self._columns = [[] for _ in self._columns]
        self._size = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
            self._writer.close()
            if kind is None:
                self._aside.replace(self._path)
        except OSError as problem:
            if kind is None:
                raise self._cannot(problem) from None
        finally:
            with suppress(OSError):
                self._aside.unlink(missing_ok=True)

    def _cannot(self, error: OSError) -> UsageError:
        return UsageError(f"cannot write {self._path}: {error.strerror or error}")


def is_complete(path: Path, about: About) -> bool:
    """Whether a file is there that was made of the very same."""
    check_pyarrow()
    import pyarrow.parquet

    try:
        found = pyarrow.parquet.read_schema(path).metadata or {}
    except (OSError, pyarrow.ArrowException):
        return False
    return found.get(_ABOUT) == _encoded(about)


def read_about(path: Path) -> dict[str, Any]:
    """What a file says that it was made of; empty for a file of another program. Raises UsageError."""
    check_pyarrow()
    import pyarrow.parquet

    try:
        found = (pyarrow.parquet.read_schema(path).metadata or {}).get(_ABOUT, b"{}")
        value = json.loads(found)
    except (OSError, pyarrow.ArrowException, ValueError) as error:
        raise UsageError(f"cannot read {path}: {(str(error).splitlines() or ['damaged'])[0]}") from None
    return value if isinstance(value, dict) else {}


def sweep(folder: Path, stem: str) -> None:
    """Remove the partial files of a repository that a dead process left."""
    for part in folder.glob(f".{_escaped(stem)}.*.part"):
        number = part.name.rsplit(".", 2)[-2]
        if number.isdigit() and not _is_alive(int(number)):
            with suppress(OSError):
                part.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _escaped(stem: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in stem)


def _encoded(about: About) -> bytes:
    return json.dumps(about, sort_keys=True).encode("ascii")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, tuple | list):
        return [_clean(item) for item in value]
    return value
