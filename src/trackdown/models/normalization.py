"""Text and code as the models read them: lower-case words, identifiers split, punctuation left out.

`parseHTTPDate2(row_id)` becomes `parse http date 2 row id`. The models' word-piece vocabulary has English words, not
identifiers, and a text without brackets and commas says twice as much in the same number of tokens. Training and search
share this code.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SUSPICIOUS_LENGTH = 40
_MAX_WORD_CHARS = 120
_MOST_WORDS = 512
"""As many as any model has positions."""
_EXTENSION = re.compile(r"\.\w{1,5}$")


def normalized(text: str) -> str:
    """The words of a text in order. Hashes and encoded data are left out."""
    # The length is checked before `_split`, whose cache would otherwise hold megabytes of encoded data.
    words = [_split(word) for word in _WORD.findall(text) if len(word) <= _MAX_WORD_CHARS]
    return " ".join(filter(None, words))


@lru_cache(maxsize=1 << 16)
def _split(word: str) -> str:
    if word.isalpha() and word.islower() and len(word) <= _SUSPICIOUS_LENGTH:
        return word
    parts = _PART.findall(word) if word.isascii() else _parts_of_any_script(word)
    if len(word) > _SUSPICIOUS_LENGTH and not (word.isalpha() and 3 * len(parts) <= len(word) <= 20 * len(parts)):
        return ""
    return " ".join(parts).lower()


def _parts_of_any_script(word: str) -> list[str]:
    """The parts of a word with letters beyond ASCII, found in an ASCII word of the same shape."""
    shape = "".join(
        letter if letter.isascii() else "0" if letter.isdigit() else "A" if letter.isupper() else "a" for letter in word
    )
    return [word[part.start() : part.end()] for part in _PART.finditer(shape)]


def brief_unit(path: str, symbol: str, code: str) -> str:
    """A unit: the words of its path without extension, of its symbol, and of its code, there no word more than twice.

    Half as long, it says nearly as much: an encoder that reads 224 tokens reads seven in ten units whole, not four.
    """
    once: set[str] = set()
    twice: set[str] = set()
    kept: list[str] = []
    for word in normalized(code).split():
        if word not in twice:
            (twice if word in once else once).add(word)
            kept.append(word)
            if len(kept) == _MOST_WORDS:
                break
    return f"{normalized(_EXTENSION.sub('', path))} : {normalized(symbol)} : {' '.join(kept)}"
