"""Texts that a language model wrote beforehand for the snippets of a set: exemplars, summaries and rewrites.

A folder holds at least one of SET-exemplars.jsonl, SET-summaries.jsonl and SET-rewrites.jsonl, with lines
{"id": …, "code": …}, or "summary" instead of "code" in the summaries. Several lines of one id are several generations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackdown.errors import UsageError

_FIELDS = {"exemplars": "code", "summaries": "summary", "rewrites": "code"}
_MAX_FILE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class PregeneratedTexts:
    """Texts by id, generation by generation. Ids are strings, even where the file has numbers."""

    exemplars: Mapping[str, tuple[str, ...]]
    summaries: Mapping[str, tuple[str, ...]]
    rewrites: Mapping[str, tuple[str, ...]]


def read_pregenerated(folder: Path, name: str) -> PregeneratedTexts:
    """The texts of a set; a missing file counts as empty.

    Raises UsageError when all three files are missing, and for a line that cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"no such folder: {str(folder)!r}")
    paths = {kind: folder / f"{name}-{kind}.jsonl" for kind in _FIELDS}
    if not any(path.exists() for path in paths.values()):
        names = ", ".join(path.name for path in paths.values())
        raise UsageError(f"{folder} has no texts for {name}: put one of {names} there")
    found = {kind: _read(path, _FIELDS[kind]) if path.exists() else {} for kind, path in paths.items()}
    return PregeneratedTexts(**found)


def _read(path: Path, field: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise UsageError(f"{path} is too large: at most {_MAX_FILE_BYTES >> 20} MB are read")
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
        raise UsageError(f'{where} needs an "id" that is a number or a name')
    if not isinstance(text, str):
        raise UsageError(f'{where} needs a "{field}" that is text')
    return str(id_), text
