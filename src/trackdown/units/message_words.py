"""Messages as numbers: the hash of each word, a gap where the program fills something in, an end after each message."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable

from xxhash import xxh32_intdigest

GAP = ""
"""Stands among a message's words where the program fills something in."""
GAP_NUMBER, END_NUMBER = 0, 1
"""What stands for a gap and for the end of a message among hashes."""
_MOST_KEPT = 200_000
_HASHES: dict[str, int] = {GAP: GAP_NUMBER}


def word_hash(word: str) -> int:
    """A number of 32 bits for a word, whatever its case: the same on every machine."""
    found = _HASHES.get(word)
    if found is None:
        found = max(xxh32_intdigest(word.lower().encode("utf-8", "replace")), END_NUMBER + 1)
        if len(_HASHES) < _MOST_KEPT:
            _HASHES[word] = found
    return found


def pack_messages(messages: Iterable[list[str]]) -> bytes:
    """Messages → little-endian numbers."""
    numbers = array("I")
    for words in messages:
        numbers.extend(map(word_hash, words))
        numbers.append(END_NUMBER)
    return pack_numbers(numbers)


def pack_numbers(numbers: array[int]) -> bytes:
    """Unsigned numbers of 32 bits → little-endian bytes."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
