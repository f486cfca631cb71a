"""Which texts say the same? Kept simple: a digest of what is left of a text when its form is taken away."""

from __future__ import annotations

import hashlib
import re

from trackdown.lab.mine.messages import content_words
from trackdown.units.tokens import words

_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s)$")


def likeness_of_query(text: str) -> bytes:
    """The same for two queries whose words that say something are the same, in any order and number.

    Endings do not count, nor do words of any change: `Fixes parsing of dates` is like `Fixed: parse date`.
    """
    said = {_ENDING.sub("", word).rstrip("e") for word in content_words(text)}
    return _digest(" ".join(sorted(said)))


def likeness_of_code(code: str) -> bytes:
    """The same for two pieces of code with the same words in the same order: layout, quotes and signs do not count."""
    return _digest(" ".join(words(code)))


class Once:
    """Lets every likeness pass once."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def is_new(self, likeness: bytes) -> bool:
        """Whether it comes for the first time; it is remembered."""
        if likeness in self._seen:
            return False
        self._seen.add(likeness)
        return True

    def __contains__(self, likeness: bytes) -> bool:
        return likeness in self._seen


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


__all__ = ["Once", "likeness_of_code", "likeness_of_query"]
