"""The header of a GGUF file: is it valid, how large is the model's context window, and which model is it?"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import BinaryIO

from trackdown.errors import LlmError
from trackdown.plain_files import open_plain

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_INTEGERS = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_MAX_KEY_BYTES, _MAX_VALUES = 1 << 16, 100_000
_SLICES, _SLICE = 64, 64 << 10


def context_length(path: Path) -> int:
    """The model's context window in tokens; 0 if the file doesn't say.

    Raises LlmError for a file that cannot be read or is not GGUF, with a clearer message than llama.cpp's.
    """
    try:
        with open_plain(path) as stream:
            if stream.read(4) != _MAGIC:
                raise LlmError(f"{path} is not a GGUF file: give one, or `embedded`")
            _, _, values = struct.unpack("<IQQ", stream.read(20))
            for _ in range(min(values, _MAX_VALUES)):
                key = stream.read(_length(stream))
                kind = _number(stream, "<I")
                if key.endswith(b".context_length") and kind in _INTEGERS:
                    return max(0, _number(stream, _INTEGERS[kind]))
                _skip(stream, kind)
    except OSError as error:
        raise LlmError(f"cannot read the language model {path}: {error.strerror}") from None
    except (struct.error, ValueError, KeyError):
        raise LlmError(f"{path} is damaged: it starts like a GGUF file, but the rest is not readable") from None
    return 0


def digest(path: Path) -> str:
    """A digest of the size and of slices from all over the file: hashing all of it may take seconds."""
    try:
        with open_plain(path) as stream:
            size = stream.seek(0, 2)
            found = hashlib.sha256(str(size).encode())
            for number in range(_SLICES):
                stream.seek(max(0, size - _SLICE) * number // (_SLICES - 1))
                found.update(stream.read(_SLICE))
    except OSError as error:
        raise LlmError(f"cannot read the language model {path}: {error.strerror}") from None
    return found.hexdigest()[:12]


def _number(stream: BinaryIO, form: str) -> int:
    return int(struct.unpack(form, stream.read(struct.calcsize(form)))[0])


def _length(stream: BinaryIO) -> int:
    length = _number(stream, "<Q")
    if length > _MAX_KEY_BYTES:
        raise ValueError
    return length


def _skip(stream: BinaryIO, kind: int) -> None:
    """Skip a value."""
    if kind == _STRING:
        stream.seek(_number(stream, "<Q"), 1)
    elif kind == _ARRAY:
        inner, count = _number(stream, "<I"), _number(stream, "<Q")
        if inner == _STRING:
            for _ in range(count):
                stream.seek(_number(stream, "<Q"), 1)
        else:
            stream.seek(_SIZES[inner] * count, 1)
    else:
        stream.seek(_SIZES[kind], 1)
