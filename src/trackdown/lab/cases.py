"""Cases: a query, its gold, and the state of the repository that it asks about; and files of them.

JSONL, one case per line: {"query", "relevant_files", "relevant_symbols", "id", "source"} and, for mined cases, "commit"
and "protocol". Only `query` and one of the lists are required; symbols are `path:Class.method` or bare names. Reading
is lenient: blank lines, lines that start with `#` and unknown fields are fine, a single file or symbol needs no list,
and an id may be missing. A bad line is reported with its number.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from trackdown.errors import UsageError

Protocol = Literal["head", "past"]


@dataclass(frozen=True, slots=True)
class CodeLocation:
    """A file, or with a symbol a function or class in it. A bare name has no path and is found in any file."""

    path: str
    symbol: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its truth. `commit` is the one whose changes are the truth; hand-written cases have none."""

    id: str
    query: str
    files: tuple[str, ...] = ()
    symbols: tuple[CodeLocation, ...] = ()
    source: str = ""
    commit: str = ""
    protocol: Protocol = "head"


_SHOWN_PROBLEMS = 3


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that gave no case. Lines count from 1."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class CaseFile:
    """What a file held."""

    cases: list[Case] = field(default_factory=list)
    problems: list[BadLine] = field(default_factory=list)


def write_cases(path: str | os.PathLike[str], cases: Iterable[Case]) -> None:
    """Write a case file, aside and then into place. Raises UsageError when it cannot be written."""
    target = Path(path)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside.write_text("".join(f"{encode_case(case)}\n" for case in cases), encoding="utf-8")
        aside.replace(target)
    except OSError as error:
        with suppress(OSError):
            aside.unlink()
        raise UsageError(f"cannot write the case file {target}: {error.strerror}") from None


def read_cases(path: str | os.PathLike[str], *, strict: bool = False) -> CaseFile:
    """The cases of a file and what is wrong with its other lines. Of two cases with one id the first counts.

    Raises UsageError when the file cannot be read or, if `strict`, when a line has a problem.
    """
    try:
        lines = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise UsageError(f"cannot read the case file {os.fspath(path)}: {error.strerror}") from None
    found = CaseFile()
    line_of: dict[str, int] = {}
    for number, data in enumerate(lines, 1):
        if not data.strip() or data.lstrip().startswith(b"#"):
            continue
        try:
            case = decode_case(_text(data), default_id=str(number))
            first = line_of.setdefault(case.id, number)
            if first != number:
                raise ValueError(f"the id {case.id!r} is that of line {first}")
            found.cases.append(case)
        except ValueError as error:
            found.problems.append(BadLine(number, str(error)))
    if strict and found.problems:
        raise UsageError(_summary(os.fspath(path), found.problems))
    return found


def encode_case(case: Case) -> str:
    """A case as one line of JSON, without the line's end."""
    value: dict[str, Any] = {
        "query": case.query,
        "relevant_files": list(case.files),
        "relevant_symbols": [_encode_place(place, case.files) for place in case.symbols],
        "id": case.id,
        "source": case.source,
    }
    if case.commit:
        value |= {"commit": case.commit, "protocol": case.protocol}
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # a path whose bytes are no text
        return json.dumps(value)
    return text


def decode_case(line: str, *, default_id: str = "") -> Case:
    """A line → a case. Raises ValueError with the reason for a line that is not a case."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg}, column {error.colno})") from None
    except RecursionError:
        raise ValueError("not JSON that can be read (nested too deep)") from None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    query, source, commit = (_string(value, name) for name in ("query", "source", "commit"))
    if not query.strip():
        raise ValueError("'query' is missing or empty")
    files = tuple(dict.fromkeys(_file(item) for item in _items(value, "relevant_files")))
    symbols = tuple(dict.fromkeys(_place(item, files) for item in _items(value, "relevant_symbols")))
    if not files and not symbols:
        raise ValueError("names no relevant file and no relevant symbol")
    return Case(_id(value, default_id), query, files, symbols, source, commit, _protocol(value, commit))


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _string(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    if found is not None and not isinstance(found, str):
        raise ValueError(f"{name!r} is not a string")
    return found or ""


def _id(value: dict[str, Any], default: str) -> str:
    found = value.get("id")
    if isinstance(found, bool) or not isinstance(found, str | int | None):
        raise ValueError("'id' is neither a string nor a whole number")
    return default if found in (None, "") else str(found)


def _protocol(value: dict[str, Any], commit: str) -> Protocol:
    found = _string(value, "protocol") or "head"
    if found == "past":
        if not commit:
            raise ValueError("protocol 'past' needs a 'commit'")
        return "past"
    if found != "head":
        raise ValueError(f"'protocol' is {found!r}, neither 'head' nor 'past'")
    return "head"


def _items(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    if found is None or found == "":
        return []
    if isinstance(found, str | dict):
        return [found]
    if not isinstance(found, list):
        raise ValueError(f"{name!r} is not a list")
    return found


def _file(item: object) -> str:
    if not isinstance(item, str) or not item.strip():
        raise ValueError("an item of 'relevant_files' is not a path")
    if item.startswith("/"):
        raise ValueError(f"{item!r} is not relative to the repository's root")
    return item.removeprefix("./")


def _place(item: object, files: Sequence[str]) -> CodeLocation:
    """A symbol as `path:Class.method`, as a bare name, or as an object with both parts."""
    if isinstance(item, dict):
        path, symbol = _string(item, "path"), _string(item, "symbol")
    elif isinstance(item, str):
        # A colon may be part of a path, which the files then tell, or of a symbol.
        named = max((file for file in files if item.startswith(f"{file}:")), key=len, default=None)
        path, colon, symbol = item.partition(":") if named is None else (named, ":", item[len(named) + 1 :])
        if not colon:
            path, symbol = "", item
    else:
        raise ValueError("an item of 'relevant_symbols' is not a string")
    if not symbol.strip():
        raise ValueError(f"{item!r} in 'relevant_symbols' names no symbol")
    return CodeLocation(path.removeprefix("./"), symbol)


def _encode_place(place: CodeLocation, files: Sequence[str]) -> object:
    text = str(place) if place.path else place.symbol
    with suppress(ValueError):
        if place.symbol and _place(text, files) == place:
            return text
    return {"path": place.path, "symbol": place.symbol}


def _summary(path: str, problems: Sequence[BadLine]) -> str:
    shown = "; ".join(f"line {problem.line}: {problem.reason}" for problem in problems[:_SHOWN_PROBLEMS])
    more = len(problems) - _SHOWN_PROBLEMS
    return f"{path}: {shown}" + (f"; and {more} more bad lines" if more > 0 else "")
