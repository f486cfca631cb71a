"""Named arrays and weights on disk, in parts that are small enough to be carried one by one.

A file `name` is kept as `name.00`, `name.01` and so on, and read from all of them.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError, TrackdownError, UsageError

Array = npt.NDArray[Any]
MIB = 1 << 20
PART_MIB = 60
"""The largest part of training data; parts of weights are smaller, because more of them travel at a time."""


def write_parts(folder: Path, name: str, data: bytes | memoryview, mib: int = PART_MIB) -> list[Path]:
    """Write a file in parts of at most `mib` MiB, in place of what was there. Raises TrackdownError when it cannot."""
    parts = range(0, max(len(data), 1), mib * MIB)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{name}.[0-9][0-9]"):
            old.unlink()
        paths = [folder / f"{name}.{number:02d}" for number in range(len(parts))]
        for path, start in zip(paths, parts, strict=True):
            path.write_bytes(data[start : start + mib * MIB])
    except OSError as error:
        raise TrackdownError(f"cannot write {folder / name}: {error.strerror}") from None
    return paths


def has_parts(folder: Path, name: str) -> bool:
    """Whether there is any part of a file."""
    return any(folder.glob(f"{name}.[0-9][0-9]"))


def read_parts(folder: Path, name: str) -> bytes:
    """A file from its parts. Raises UsageError when there is none, or when one is missing between others."""
    paths = sorted(folder.glob(f"{name}.[0-9][0-9]"))
    if not paths:
        raise UsageError(f"{folder} has no {name}.00")
    for number, path in enumerate(paths):
        if path.name != f"{name}.{number:02d}":
            raise UsageError(f"{folder} has no {name}.{number:02d}: copy all parts of {name} into it")
    return b"".join(path.read_bytes() for path in paths)


def write_arrays(folder: Path, name: str, arrays: Mapping[str, Array], mib: int = PART_MIB) -> list[Path]:
    """Write arrays compressed, in parts."""
    raw = io.BytesIO()
    np.savez(raw, **arrays)  # type: ignore[arg-type]
    return write_parts(folder, name, lzma.compress(raw.getbuffer(), preset=2), mib)


def read_arrays(folder: Path, name: str) -> dict[str, Array]:
    """Read what `write_arrays` wrote. Raises UsageError when it is not there, ModelError when it is damaged."""
    data = read_parts(folder, name)
    try:
        with np.load(io.BytesIO(lzma.decompress(data)), allow_pickle=False) as loaded:
            return {key: loaded[key] for key in loaded.files}
    except (lzma.LZMAError, EOFError, OSError, ValueError, BadZipFile) as error:
        raise ModelError(f"{folder / name} is damaged or its last part is missing ({error})") from None


def ragged(rows: list[Array] | list[list[int]], kind: Any) -> tuple[Array, Array]:
    """Rows of different lengths as one flat array, and where each begins: row r is `flat[start[r]:start[r + 1]]`."""
    found = [np.asarray(row, kind) for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.uint32)
    return (np.concatenate(found) if found else np.zeros(0, kind)), starts
