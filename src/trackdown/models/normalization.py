"""Text and code as the models read them: words in lower case, identifiers split into theirs, punctuation left out.

`parseHTTPDate2(row_id)` becomes `parse http date 2 row id`. The models' word-piece vocabulary knows English words, not
identifiers; and a text without brackets and commas says twice as much in as many tokens. Training and search share it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_LONG_WORD = 40
_LONGEST_WORD = 120
_ENDING = re.compile(r"\.\w{1,5}$")


def normalized(text: str) -> str:
    """The words of a text in their order. Hashes and encoded data, which no one would say, are left out."""
    # The length is looked at before the memory of `_split`, which would otherwise keep megabytes of encoded data.
    words = [_split(word) for word in _WORD.findall(text) if len(word) <= _LONGEST_WORD]
    return " ".join(filter(None, words))


@lru_cache(maxsize=1 << 16)
def _split(word: str) -> str:
    if word.isalpha() and word.islower() and len(word) <= _LONG_WORD:
        return word
    parts = _PART.findall(word) if word.isascii() else _parts_of_any_script(word)
    if len(word) > _LONG_WORD and not (word.isalpha() and 3 * len(parts) <= len(word) <= 20 * len(parts)):
        return ""
    return " ".join(parts).lower()


def _parts_of_any_script(word: str) -> list[str]:
    """The parts of a word with letters beyond ASCII, by the pattern of its ASCII likeness."""
    likeness = "".join(
        letter if letter.isascii() else "0" if letter.isdigit() else "A" if letter.isupper() else "a" for letter in word
    )
    return [word[part.start() : part.end()] for part in _PART.finditer(likeness)]


def normalized_unit(path: str, symbol: str, code: str) -> str:
    """A unit of a snapshot: the words of its path without the ending, of its symbol, and of its code."""
    return f"{normalized(_ENDING.sub('', path))} : {normalized(symbol)} : {normalized(code)}"
