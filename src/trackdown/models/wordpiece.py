"""Words → word pieces by longest match, like BERT's tokenizer; for the static table, which reads single words.

For single words a dictionary with a cache is several times faster than the tokenizers package, which is made for long
texts, and it starts in half the time.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path

import msgspec

from trackdown.errors import ModelError
from trackdown.models.normalization import normalized
from trackdown.plain_files import read_plain

_CACHE_SIZE = 1 << 18
_PREFIX = "##"
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))


class _PieceModel(msgspec.Struct):
    type: str
    continuing_subword_prefix: str = ""
    vocab: msgspec.Raw = msgspec.Raw(b"{}")


class _Tokenizer(msgspec.Struct):
    """What we read of a tokenizer.json."""

    model: _PieceModel


class WordPieces:
    """The pieces of words. A word that the vocabulary cannot spell has none."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary), default=0)
        self.highest = max(vocabulary.values(), default=-1)
        self._known: dict[str, tuple[int, ...]] = {}

    def of_text(self, text: str) -> list[int]:
        """The pieces of every word of a text, after identifiers are split."""
        pieces: list[int] = []
        known = self._known
        for word in normalized(text).split():
            found = known.get(word)
            pieces += self._pieces(word) if found is None else found
        return pieces

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        parts = (word,) if word.isascii() else _plain(word)
        pieces = self._known[word] = tuple(piece for part in parts for piece in self._cut(part))
        return pieces

    def _cut(self, word: str) -> list[int]:
        pieces: list[int] = []
        prefix, start = "", 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self._vocabulary.get(prefix + word[start:end])
                if piece is not None:
                    break
            else:
                return []
            pieces.append(piece)
            prefix, start = _PREFIX, end
        return pieces


def read_word_pieces(path: Path) -> WordPieces:
    """The vocabulary of a tokenizer.json. Raises ModelError if it is not a WordPiece tokenizer."""
    try:
        model = msgspec.json.decode(read_plain(path), type=_Tokenizer).model
        if model.type != "WordPiece" or model.continuing_subword_prefix != _PREFIX:
            raise ModelError(f"{path} is a {model.type} tokenizer: a static table needs WordPiece")
        return WordPieces(msgspec.json.decode(model.vocab, type=dict[str, int]))
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise ModelError(f"{path} cannot be read as a tokenizer ({error!r}): put the right file there") from None


def _plain(word: str) -> list[str]:
    """A word without its accents, split so that each ideograph is its own word."""
    letters = (letter for letter in unicodedata.normalize("NFD", word) if unicodedata.category(letter) != "Mn")
    return "".join(f" {letter} " if _is_ideograph(letter) else letter for letter in letters).split()


def _is_ideograph(letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in _IDEOGRAPHS)
