"""Many strings as arrays: their bytes one after the other, and where each begins.

A sorted table has a third array, the first eight bytes of each string as a number: that finds strings in a few steps.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.store import Arrays

_PREFIX = 8


def pack(name: str, strings: Iterable[bytes]) -> dict[str, npt.NDArray[Any]]:
    """The two arrays of a table, named for an array file."""
    pieces = list(strings)
    offsets = np.zeros(len(pieces) + 1, dtype=np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    return {f"{name}_bytes": np.frombuffer(b"".join(pieces), dtype=np.uint8), f"{name}_offsets": offsets}


def pack_sorted(name: str, strings: Sequence[bytes]) -> dict[str, npt.NDArray[Any]]:
    """The three arrays of a table of sorted strings."""
    return pack(name, strings) | {f"{name}_prefixes": _prefixes(strings)}


def _prefixes(strings: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    """The first bytes of each string as a number; numbers are in the strings' order."""
    return np.array(strings, dtype=f"S{_PREFIX}").view(">u8").astype(np.uint64)


def to_bytes(text: str) -> bytes:
    """The bytes of a text that may contain surrogate escapes (a path)."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """The inverse of to_bytes."""
    return data.decode("utf-8", "surrogateescape")


class StringTable:
    """Reads a packed table."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._bytes = arrays[f"{name}_bytes"].data
        self._offsets = arrays[f"{name}_offsets"]

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def raw(self, index: int) -> bytes:
        """The bytes of one string."""
        return bytes(self._bytes[self._offsets[index] : self._offsets[index + 1]])

    def text(self, index: int) -> str:
        """One string as text."""
        return to_text(self.raw(index))

    def texts(self, indexes: Iterable[int]) -> list[str]:
        """Some strings as text: much faster than one after the other."""
        data, offsets = self._bytes, self._offsets.tolist()
        return [to_text(bytes(data[offsets[index] : offsets[index + 1]])) for index in indexes]

    def ending_with(self, ending: str) -> npt.NDArray[np.int64]:
        """The indexes of the strings that end with a text, or are the text without its first character."""
        data, firsts, lasts = np.frombuffer(self._bytes, dtype=np.uint8), self._offsets[:-1], self._offsets[1:]
        first, *others = to_bytes(ending)
        found: npt.NDArray[np.int64] = np.flatnonzero(lasts - firsts >= len(others))
        for place, byte in enumerate(reversed(others), 1):
            found = found[data[lasts[found] - place] == byte]
        before = lasts[found] - len(others) - 1
        is_whole = before < firsts[found]
        matching: npt.NDArray[np.int64] = found[is_whole | (data[np.maximum(before, 0)] == first)]
        return matching

    def all_text(self) -> list[str]:
        """Every string, in order."""
        data, offsets = bytes(self._bytes), self._offsets.tolist()
        return [to_text(data[first:last]) for first, last in pairwise(offsets)]


class SortedTable(StringTable):
    """Reads a table that `pack_sorted` made."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        super().__init__(arrays, name)
        self._prefixes = arrays[f"{name}_prefixes"]

    def find(self, wanted: Sequence[bytes]) -> list[int]:
        """The index of each string, or -1."""
        found = [-1] * len(wanted)
        if not len(self):
            return found
        prefixes = _prefixes(wanted)
        firsts = np.searchsorted(self._prefixes, prefixes)
        places = np.flatnonzero(self._prefixes[np.minimum(firsts, len(self) - 1)] == prefixes)
        lasts = np.searchsorted(self._prefixes, prefixes[places], side="right")
        for place, first, last in zip(places.tolist(), firsts[places].tolist(), lasts.tolist(), strict=True):
            found[place] = self._find(wanted[place], first, last)
        return found

    def _find(self, wanted: bytes, first: int, last: int) -> int:
        """The index of a string that is between two indexes, if it is in the table."""
        place = first + bisect_left(range(first, last), wanted, key=self.raw)
        return place if place < last and self.raw(place) == wanted else -1
