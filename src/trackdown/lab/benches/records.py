"""What the adapters share: reading JSON and Parquet leniently, and skipping cases that cannot be scored.

Skipped cases are named and counted, or refused in strict mode. JSON comes as lines (.jsonl) or as a list (.json),
either may be compressed (.gz). A record that cannot be read is replaced by a text that says why. A compressed
file that was cut short gives what it holds up to there.
"""

from __future__ import annotations

import ast
import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.lab import Skipped

Record = dict[str, Any]


def read_parquet(path: Path, columns: Sequence[str]) -> list[Record]:
    """The rows of a Parquet file. Raises UsageError when it cannot be read, or lacks one of the columns."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise UsageError(f"reading Parquet needs pyarrow: {install_hint('lab')}") from None
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
        raise ValueError("is not a list of strings")
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


Numbered = tuple[int, Record | str]


def read_records(path: Path) -> Iterator[Numbered]:
    """(number from 1, object or what is wrong with it) of a file of lines, or of a file with one list.

    The file's name decides, not its content: `.json` and `.txt` hold one value, anything else lines. Raises UsageError
    for a file that cannot be read at all.
    """
    stem = path.name.lower().removesuffix(".gz")
    return read_items(path) if stem.endswith((".json", ".txt")) else read_lines(path)


def read_lines(path: Path) -> Iterator[Numbered]:
    """(line, object or what is wrong with it) for every line that is not blank."""
    data, ending = _read(path)
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, _object(line)
    if ending:
        yield data.count(b"\n") + 2, ending


def read_items(path: Path) -> Iterator[Numbered]:
    """(number from 1, object or what is wrong with it) for every item of the list that a file holds."""
    try:
        values = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON ({_told(error)})") from None
    if not isinstance(values, list):
        raise UsageError(f"{path} does not hold a list")
    for number, value in enumerate(values, 1):
        yield number, value if isinstance(value, dict) else "not an object"


def read_object(path: Path) -> Record:
    """The one object that a file holds. Raises UsageError."""
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON ({_told(error)})") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path} does not hold an object")
    return value


def _object(line: bytes) -> Record | str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({_told(error)})"
    return value if isinstance(value, dict) else "not an object"


def _told(error: BaseException) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or too large"


def _text(path: Path) -> str:
    data, ending = _read(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}){f', and {ending}' if ending else ''}"
        ) from None


def _read(path: Path) -> tuple[bytes, str]:
    """(the bytes of a file, unpacked; what is wrong with its end)."""
    try:
        if path.suffix.lower() != ".gz":
            return path.read_bytes(), ""
        with gzip.open(path) as stream:
            return _unpack(stream)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def _unpack(stream: gzip.GzipFile) -> tuple[bytes, str]:
    parts: list[bytes] = []
    try:
        while part := stream.read1(1 << 20):
            parts.append(part)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        if not parts:
            raise OSError(f"not a whole gzip file ({error})") from None
        return b"".join(parts), "the compressed file is cut short"
    return b"".join(parts), ""
