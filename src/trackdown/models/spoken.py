"""Text and code as the models read them: words in lower case, identifiers split into theirs, punctuation left out.

`parseHTTPDate2(row_id)` becomes `parse http date 2 row id`. The models' word-piece vocabulary knows English words, not
identifiers; and a text without brackets and commas says twice as much in as many tokens. Training and search share it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_LONGEST_WORD = 40
_ENDING = re.compile(r"\.\w{1,5}$")


def spoken(text: str) -> str:
    """The words of a text in their order. Hashes and encoded data, which no one would say, are left out."""
    return " ".join(filter(None, map(_split, _WORD.findall(text))))


@lru_cache(maxsize=1 << 16)
def _split(word: str) -> str:
    if len(word) > _LONGEST_WORD:
        return ""
    if word.islower() and word.isalpha():
        return word
    return " ".join(_PART.findall(word)).lower()


def spoken_unit(path: str, symbol: str, code: str) -> str:
    """A unit of a snapshot: the words of its path without the ending, of its symbol, and of its code."""
    return f"{spoken(_ENDING.sub('', path))} : {spoken(symbol)} : {spoken(code)}"
