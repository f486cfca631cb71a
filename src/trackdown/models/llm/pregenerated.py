"""Texts that a language model wrote elsewhere, for the snippets of a set: exemplars, summaries and rewrites.

A folder holds SET-exemplars.jsonl, SET-summaries.jsonl and SET-rewrites.jsonl, any of them, with lines
{"id": …, "code": …}, and "summary" in the place of "code" in the summaries. Several lines of one id are several
generations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError

_FIELDS = {"exemplars": "code", "summaries": "summary", "rewrites": "code"}
_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class PregeneratedTexts:
    """What was written for each id, generation by generation. An id is a string, however the file wrote it."""

    exemplars: Mapping[str, tuple[str, ...]]
    summaries: Mapping[str, tuple[str, ...]]
    rewrites: Mapping[str, tuple[str, ...]]


def read_pregenerated(folder: Path, name: str) -> PregeneratedTexts:
    """The texts of a set. A file that is not there gives nothing.

    Raises UsageError when there is none of the three, and for a line that cannot be read, with its number.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r} with texts of a language model")
    paths = {kind: folder / f"{name}-{kind}.jsonl" for kind in _FIELDS}
    if not any(path.exists() for path in paths.values()):
        names = ", ".join(path.name for path in paths.values())
        raise UsageError(f"{folder} holds no texts for {name}: one of {names} should be there")
    found = {kind: _read(path, _FIELDS[kind]) if path.exists() else {} for kind, path in paths.items()}
    return PregeneratedTexts(**found)


def _read(path: Path, field: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is too large: texts of a set have {_LARGEST >> 20} MB at the most")
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            id_, text = _row(line, field, f"{path}, line {number}")
            found.setdefault(id_, []).append(text)
    return {id_: tuple(texts) for id_, texts in found.items()}


def _row(line: bytes, field: str, where: str) -> tuple[str, str]:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is not JSON") from None
    if not isinstance(row, dict):
        raise UsageError(f"{where} is not a JSON object")
    id_, text = row.get("id"), row.get(field)
    if isinstance(id_, bool) or not isinstance(id_, int | str) or id_ == "":
        raise UsageError(f'{where} has no "id": a number or a name')
    if not isinstance(text, str):
        raise UsageError(f'{where} has no "{field}": a text')
    return str(id_), text
