"""A manifest names the repositories that an evaluation runs over.

JSON: a list of {"name", "path", "dataset"}; `dataset` is a case file, or is left out to mine one. Paths are relative to
the manifest. CodeRAG's `watched_dir` is read as `path`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import UsageError


@dataclass(frozen=True, slots=True)
class Entry:
    """One repository of a manifest."""

    name: str
    path: Path
    dataset: Path | None


def read_manifest(path: Path) -> list[Entry]:
    """The entries. Raises UsageError that names the entry and what is wrong with it."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the manifest {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the manifest {path} is not JSON: {error}") from None
    if not isinstance(value, list) or not value:
        raise UsageError(f'the manifest {path} must be a list of {{"name", "path", "dataset"}}')
    entries = [_entry(item, number, path) for number, item in enumerate(value, 1)]
    names = [entry.name for entry in entries]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{path}: the name {twice!r} is there twice")
    return entries


def _entry(item: object, number: int, manifest: Path) -> Entry:
    where = f"{manifest}, entry {number}"
    if not isinstance(item, dict):
        raise UsageError(f"{where}: not an object")
    place = item.get("path", item.get("watched_dir"))
    name, dataset = item.get("name"), item.get("dataset")
    if not isinstance(place, str) or not place:
        raise UsageError(f"{where}: 'path' is missing")
    if not all(isinstance(value, str | None) for value in (name, dataset)):
        raise UsageError(f"{where}: 'name' and 'dataset' must be texts")
    try:
        full = (manifest.parent / Path(place).expanduser()).resolve()
        return Entry(name or full.name, full, manifest.parent / Path(dataset).expanduser() if dataset else None)
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageError(f"{where}: {error}") from None
