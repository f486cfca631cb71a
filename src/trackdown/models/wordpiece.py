"""Words → word pieces by longest match, as BERT's tokenizer cuts them; for the static table, which reads single words.

A loop over a dictionary with a memory is several times faster for this than the tokenizers package, whose strength is
long texts, and it starts in half the time.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from trackdown.errors import ModelError
from trackdown.models.normalization import normalized

_REMEMBERED = 1 << 18
_PREFIX = "##"
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))


class WordPieces:
    """The pieces of words. What a vocabulary cannot spell has none."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._first = {piece: number for piece, number in vocabulary.items() if not piece.startswith(_PREFIX)}
        self._later = {piece[2:]: number for piece, number in vocabulary.items() if piece.startswith(_PREFIX)}
        self._longest = max(map(len, vocabulary), default=0)
        self.highest = max(vocabulary.values(), default=-1)
        self._known: dict[str, tuple[int, ...]] = {}

    def of_text(self, text: str) -> list[int]:
        """The pieces of every word of a text, identifiers split into their words first."""
        pieces: list[int] = []
        known = self._known
        for word in normalized(text).split():
            found = known.get(word)
            pieces += self._remember(word) if found is None else found
        return pieces

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        parts = (word,) if word.isascii() else _plain(word)
        pieces = self._known[word] = tuple(piece for part in parts for piece in self._cut(part))
        return pieces

    def _cut(self, word: str) -> list[int]:
        pieces: list[int] = []
        table, start = self._first, 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = table.get(word[start:end])
                if piece is not None:
                    break
            else:
                return []
            pieces.append(piece)
            table, start = self._later, end
        return pieces


def read_word_pieces(path: Path) -> WordPieces:
    """The vocabulary of a tokenizer.json. Raises ModelError when it is not one of word pieces."""
    try:
        model = json.loads(path.read_text("utf-8"))["model"]
        if model["type"] != "WordPiece" or model["continuing_subword_prefix"] != _PREFIX:
            raise ModelError(f"{path} is a tokenizer of type {model['type']}: a static table needs one of word pieces")
        return WordPieces({str(piece): int(number) for piece, number in model["vocab"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read as a tokenizer ({error!r}): put the right file there") from None


def _plain(word: str) -> list[str]:
    """A word without its accents; ideographs are words of their own."""
    letters = (letter for letter in unicodedata.normalize("NFD", word) if unicodedata.category(letter) != "Mn")
    return "".join(f" {letter} " if _is_ideograph(letter) else letter for letter in letters).split()


def _is_ideograph(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in _IDEOGRAPHS)
