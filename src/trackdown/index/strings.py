"""Many strings as two arrays: their bytes one after the other, and where each begins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.store.arrays import Arrays

_SAMPLED = 64
"""Every so-manieth string of a sorted table is kept at hand, so that a search begins near its end."""


def pack(name: str, strings: Iterable[bytes]) -> dict[str, npt.NDArray[Any]]:
    """The two arrays of a table, named for an array file."""
    pieces = list(strings)
    offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    return {f"{name}_bytes": np.frombuffer(b"".join(pieces), dtype=np.uint8), f"{name}_offsets": offsets}


def to_bytes(text: str) -> bytes:
    """Text that may stand for any bytes (a path), as those bytes."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """The inverse of to_bytes."""
    return data.decode("utf-8", "surrogateescape")


class StringTable:
    """Reads a packed table."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._bytes = arrays[f"{name}_bytes"].data
        self._offsets = arrays[f"{name}_offsets"]
        self._samples: list[bytes] | None = None

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def raw(self, index: int) -> bytes:
        """The bytes of one string."""
        return bytes(self._bytes[self._offsets[index] : self._offsets[index + 1]])

    def text(self, index: int) -> str:
        """One string as text."""
        return to_text(self.raw(index))

    def all_text(self) -> list[str]:
        """Every string, in order."""
        data, offsets = bytes(self._bytes), self._offsets.tolist()
        return [to_text(data[first:last]) for first, last in pairwise(offsets)]

    def find(self, wanted: bytes) -> int:
        """The index of a string in a sorted table, or -1."""
        if self._samples is None:
            self._samples = [self.raw(index) for index in range(0, len(self), _SAMPLED)]
        low = max(0, bisect_right(self._samples, wanted) - 1) * _SAMPLED
        high = min(low + _SAMPLED, len(self))
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.raw(low) == wanted else -1
