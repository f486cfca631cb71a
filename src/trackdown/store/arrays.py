"""Array files: named numpy arrays in one file, written to a temporary file, renamed into place, opened by mmap.

Layout: magic, format version, length of the header, checksums of the header and of the rest; the header (JSON: the
file's name, type, shape and offset of each array, free metadata, size of the body); then the arrays, each aligned to 64
bytes. The checksums cover every byte. Opening a file that is truncated, damaged, renamed or of another version raises
StoreCorrupt, and the caller builds it again.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64, xxh3_64_intdigest

from trackdown.errors import StoreCorrupt
from trackdown.plain_files import without_waiting
from trackdown.store.part_files import replacing

ARRAYS_VERSION = 2
SUFFIX = ".arrays"
_MAGIC = b"TRKD"
_HEAD = struct.Struct("<4sHIQQ")
_ALIGNMENT = 64


class Arrays(Mapping[str, npt.NDArray[Any]]):
    """The arrays of one file, or in memory. `meta` is the metadata written with them."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any], size: int = 0) -> None:
        self._arrays = arrays
        self.meta = meta
        self.size = size

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        try:
            return self._arrays[name]
        except KeyError:
            raise StoreCorrupt(f"the array {name!r} is missing") from None

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __iter__(self) -> Any:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]) -> int:
    """Write a file atomically. Returns its size in bytes."""
    layout: dict[str, tuple[str, list[int], int]] = {}
    offset = 0
    for name, array in arrays.items():
        layout[name] = (array.dtype.str, list(array.shape), offset)
        offset += _aligned(array.nbytes)
    header = json.dumps({"name": path.name, "arrays": layout, "meta": meta, "body": offset}).encode()
    start = _aligned(_HEAD.size + len(header))
    body = xxh3_64(b"\0" * (start - _HEAD.size - len(header)))
    for piece in _pieces(arrays):
        body.update(piece)
    head = _HEAD.pack(_MAGIC, ARRAYS_VERSION, len(header), xxh3_64_intdigest(header), body.intdigest())
    with replacing(path) as stream:
        stream.write((head + header).ljust(start, b"\0"))
        for piece in _pieces(arrays):
            stream.write(piece)
    return start + offset


def _pieces(arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[memoryview | bytes]:
    """The bytes of the arrays, each with its padding."""
    for array in arrays.values():
        if array.size:
            yield np.ascontiguousarray(array).data.cast("B")
            yield b"\0" * (_aligned(array.nbytes) - array.nbytes)


def open_arrays(path: Path) -> Arrays:
    """Map a file. Raises FileNotFoundError when it is missing, StoreCorrupt when it is damaged."""
    with open(path, "rb", opener=without_waiting) as stream:
        size = os.fstat(stream.fileno()).st_size
        head = stream.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise StoreCorrupt(f"{path.name} is truncated")
        magic, version, length, header_sum, body_sum = _HEAD.unpack(head)
        if magic != _MAGIC or version != ARRAYS_VERSION:
            raise StoreCorrupt(f"{path.name} has another format")
        try:
            text = stream.read(min(length, size))
            if xxh3_64_intdigest(text) != header_sum:
                raise StoreCorrupt(f"{path.name} is damaged")
            header = json.loads(text)
            start = _aligned(_HEAD.size + length)
            if size != start + header["body"]:
                raise StoreCorrupt(f"{path.name} is truncated")
            buffer = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            if xxh3_64_intdigest(memoryview(buffer)[_HEAD.size + length :]) != body_sum or header["name"] != path.name:
                raise StoreCorrupt(f"{path.name} is damaged")
            arrays = {
                name: np.frombuffer(buffer, dtype=kind, count=int(np.prod(shape)), offset=start + place).reshape(shape)
                for name, (kind, shape, place) in header["arrays"].items()
            }
            return Arrays(arrays, header["meta"], size)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise StoreCorrupt(f"{path.name} is damaged: {error}") from None


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
