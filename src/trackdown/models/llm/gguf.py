"""The head of a GGUF file: whether it is one, how many tokens its model takes in, and which model it is."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import BinaryIO

from trackdown.errors import LlmError

_MAGIC = b"GGUF"
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_WHOLE = {4: "<I", 5: "<i", 10: "<Q", 11: "<q"}
_LONGEST_KEY, _MOST_VALUES = 1 << 16, 100_000
_SLICES, _SLICE = 64, 64 << 10


def context_length(path: Path) -> int:
    """How many tokens the model was made for; 0 where the file does not say.

    Raises LlmError for a file that cannot be read or is no GGUF: llama.cpp says less about it.
    """
    try:
        with path.open("rb") as stream:
            if stream.read(4) != _MAGIC:
                raise LlmError(f"{path} is not a GGUF file: name one, or `embedded`")
            _, _, values = struct.unpack("<IQQ", stream.read(20))
            for _ in range(min(values, _MOST_VALUES)):
                key = stream.read(_length(stream))
                kind = _number(stream, "<I")
                if key.endswith(b".context_length") and kind in _WHOLE:
                    return max(0, _number(stream, _WHOLE[kind]))
                _skip(stream, kind)
    except OSError as error:
        raise LlmError(f"cannot read the language model {path}: {error.strerror}") from None
    except (struct.error, ValueError, KeyError):
        raise LlmError(f"{path} is damaged: it begins like a GGUF file and does not go on like one") from None
    return 0


def digest(path: Path) -> str:
    """Which model this is: of its size and slices all over it, since the whole may take seconds to read."""
    try:
        with path.open("rb") as stream:
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
    if length > _LONGEST_KEY:
        raise ValueError
    return length


def _skip(stream: BinaryIO, kind: int) -> None:
    """Pass a value over."""
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
