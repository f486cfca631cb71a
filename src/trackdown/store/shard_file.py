"""Shards: several sets of arrays in one immutable file, to be carried to another machine.

Layout: magic, format version, length and sha256 of the manifest; the manifest (JSON: what the shard is about, and for
each part its arrays, metadata and sha256); the stored size of each part; the parts, each one zlib stream of its arrays
one after the other. The manifest's sha256 is the shard's digest. It covers every part, but not how zlib wrote it, so
equal contents have equal digests.

A shard is untrusted. Reading one never allocates or writes more than its caller allows, and nothing in it is code or a
path. Anything that is not exactly as described here raises ShardError.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import numpy.typing as npt

from trackdown.errors import ShardError, StoreError, StoreFull
from trackdown.store.arrays import Arrays
from trackdown.store.part_files import replacing
from trackdown.types import Progress, no_progress

SHARD_FORMAT = 1
"""Raise it when a shard of this version can no longer be read."""
_MAGIC = b"TRKSHARD"
_HEAD = struct.Struct("<8sII32s")
_SIZE = struct.Struct("<Q")
_MOST_MANIFEST = 4 << 20
_MOST_PARTS = 64
_MOST_ARRAYS = 256
_CHUNK = 1 << 20
_LEVEL = 6
_TYPES = frozenset({"|b1", "|i1", "|u1", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4"})


class ShardPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One set of arrays: name, type and shape of each, in the order of their bytes. `kind` says what they are."""

    kind: str
    arrays: list[tuple[str, str, list[int]]]
    meta: dict[str, Any]
    sha256: str

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(math.prod(shape) * np.dtype(kind).itemsize for _, kind, shape in self.arrays)


class ShardManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a shard is about, and its parts."""

    about: dict[str, Any]
    parts: list[ShardPart]


@dataclass(frozen=True, slots=True)
class NewPart:
    """A part to be written."""

    kind: str
    arrays: Mapping[str, npt.NDArray[Any]]
    meta: Mapping[str, Any]


def write_shard(
    path: Path, about: Mapping[str, Any], parts: Sequence[NewPart], progress: Progress = no_progress
) -> tuple[str, int]:
    """Write a shard atomically. Returns its digest and its size. Raises StoreError if it cannot be written."""
    listed = [ShardPart(part.kind, _layout(part.arrays), dict(part.meta), _sha256(part.arrays)) for part in parts]
    manifest = msgspec.json.encode(ShardManifest(dict(about), listed), order="deterministic")
    digest = hashlib.sha256(manifest)
    sizes: list[int] = []
    total = sum(part.size for part in listed)
    done = 0
    try:
        with replacing(path) as stream:
            stream.write(_HEAD.pack(_MAGIC, SHARD_FORMAT, len(manifest), digest.digest()) + manifest)
            table = stream.tell()
            stream.write(bytes(_SIZE.size * len(parts)))
            for part in parts:
                before = stream.tell()
                for count, piece in _compressed(part.arrays):
                    stream.write(piece)
                    done += count
                    progress("write", done, total)
                sizes.append(stream.tell() - before)
            size = stream.tell()
            stream.seek(table)
            stream.write(b"".join(map(_SIZE.pack, sizes)))
    except OSError as error:
        kind = StoreFull if error.errno in (28, 122) else StoreError
        raise kind(f"cannot write {path}: {error.strerror or error}") from None
    return digest.hexdigest(), size


def _layout(arrays: Mapping[str, npt.NDArray[Any]]) -> list[tuple[str, str, list[int]]]:
    return [(name, array.dtype.str, list(array.shape)) for name, array in arrays.items()]


def _chunks(arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[memoryview]:
    for array in arrays.values():
        if array.size:
            data = np.ascontiguousarray(array).data.cast("B")
            for start in range(0, len(data), _CHUNK):
                yield data[start : start + _CHUNK]


def _sha256(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    found = hashlib.sha256()
    for chunk in _chunks(arrays):
        found.update(chunk)
    return found.hexdigest()


def _compressed(arrays: Mapping[str, npt.NDArray[Any]]) -> Iterator[tuple[int, bytes]]:
    """(number of bytes taken in, compressed bytes)."""
    packer = zlib.compressobj(_LEVEL)
    for chunk in _chunks(arrays):
        yield len(chunk), packer.compress(chunk)
    yield 0, packer.flush()


class Shard:
    """An open shard whose manifest is intact. Parts are read, and checked, one at a time."""

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self._stream = stream
        self.size = os.fstat(stream.fileno()).st_size
        manifest, digest = _read_manifest(stream)
        self.digest = digest
        self.about = manifest.about
        self.parts = manifest.parts
        self.content = sum(map(_checked_size, manifest.parts))
        if self.content > limit:
            raise ShardError(f"it unpacks to {self.content >> 20:,} MB, and the limit is {limit >> 20:,} MB")
        table = stream.read(_SIZE.size * len(manifest.parts))
        if len(table) < _SIZE.size * len(manifest.parts):
            raise ShardError("it is truncated")
        sizes = [size for (size,) in _SIZE.iter_unpack(table)]
        first = stream.tell()
        self._places = [(first + sum(sizes[:number]), size) for number, size in enumerate(sizes)]
        if first + sum(sizes) != self.size:
            raise ShardError("it is truncated" if first + sum(sizes) > self.size else "bytes follow its end")

    def read(self, number: int, progress: Progress = no_progress) -> Arrays:
        """The arrays of a part, if its bytes are those that the manifest promises."""
        part = self.parts[number]
        place, stored = self._places[number]
        self._stream.seek(place)
        content = _Content(self._stream, stored)
        arrays: dict[str, npt.NDArray[Any]] = {}
        done = 0
        for name, kind, shape in part.arrays:
            array = np.empty(shape, dtype=kind)
            if array.size:
                for chunk in _writable_chunks(array):
                    content.fill(chunk)
                    done += len(chunk)
                    progress("import", done, part.size)
            arrays[name] = array
        content.end()
        if content.sha256.hexdigest() != part.sha256:
            raise ShardError(f"its part {part.kind!r} is damaged")
        return Arrays(arrays, part.meta, part.size)


@contextmanager
def open_shard(path: Path, limit: int) -> Iterator[Shard]:
    """Open a shard that unpacks to at most `limit` bytes. Raises ShardError."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise ShardError(f"it cannot be read: {error.strerror or error}") from None
    with stream:
        yield Shard(stream, limit)


def _read_manifest(stream: BinaryIO) -> tuple[ShardManifest, str]:
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size or not head.startswith(_MAGIC):
        raise ShardError("it is truncated" if _MAGIC.startswith(head[: len(_MAGIC)]) else "it is not an exported index")
    _, version, length, digest = _HEAD.unpack(head)
    if version != SHARD_FORMAT:
        raise ShardError(f"its format is {version}, and this version of Trackdown reads {SHARD_FORMAT}: export it anew")
    if length > _MOST_MANIFEST:
        raise ShardError("its manifest is too large")
    text = stream.read(length)
    if len(text) < length:
        raise ShardError("it is truncated")
    if hashlib.sha256(text).digest() != digest:
        raise ShardError("its manifest is damaged")
    try:
        manifest = msgspec.json.decode(text, type=ShardManifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ShardError(f"its manifest cannot be read: {error}") from None
    if len(manifest.parts) > _MOST_PARTS:
        raise ShardError("it has too many parts")
    return manifest, digest.hex()


def _checked_size(part: ShardPart) -> int:
    """The size of a part whose arrays are of types that we know and of possible shapes."""
    names = [name for name, _, _ in part.arrays]
    if len(names) > _MOST_ARRAYS or len(set(names)) < len(names):
        raise ShardError(f"its part {part.kind!r} has too many arrays, or one of them twice")
    for _, kind, shape in part.arrays:
        if kind not in _TYPES or not 1 <= len(shape) <= 2 or not all(0 <= count < 1 << 40 for count in shape):
            raise ShardError(f"its part {part.kind!r} has an array of a type or shape that there is not")
    return part.size


def _writable_chunks(array: npt.NDArray[Any]) -> Iterator[memoryview]:
    data = array.data.cast("B")
    for start in range(0, len(data), _CHUNK):
        yield data[start : start + _CHUNK]


class _Content:
    """The unpacked bytes of one part. It unpacks only what is asked for, so a part never gives more than it may."""

    def __init__(self, stream: BinaryIO, stored: int) -> None:
        self.sha256 = hashlib.sha256()
        self._stream = stream
        self._left = stored
        self._unpacker = zlib.decompressobj()
        self._input = b""

    def fill(self, target: memoryview) -> None:
        """Unpack as many bytes as the target has."""
        done = 0
        while done < len(target):
            piece = self._unpacked(len(target) - done)
            if not piece:
                raise ShardError("it is damaged: a part ends early")
            target[done : done + len(piece)] = piece
            done += len(piece)
        self.sha256.update(target)

    def end(self) -> None:
        """Check that nothing is left."""
        if self._unpacked(1) or not self._unpacker.eof or self._left or self._input or self._unpacker.unused_data:
            raise ShardError("it is damaged: a part does not end where it should")

    def _unpacked(self, most: int) -> bytes:
        while not self._unpacker.eof:
            if not self._input and self._left:
                self._input = self._stream.read(min(self._left, _CHUNK))
                self._left -= len(self._input)
                if not self._input:
                    raise ShardError("it is truncated")
            try:
                piece = self._unpacker.decompress(self._input, most)
            except zlib.error as error:
                raise ShardError(f"it is damaged ({error})") from None
            waiting, self._input = self._input, self._unpacker.unconsumed_tail
            if piece:
                return piece
            if not waiting and not self._left:
                return b""
        return b""
