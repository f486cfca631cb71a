"""Texts → token ids, by a model's tokenizer.json. Callers know the limits: they add special tokens and truncate."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from trackdown.errors import ModelError

_MAX_CHARS_PER_TOKEN = 48
"""No word of a normalized text is longer, so characters beyond this many per token need not be tokenized."""


class TextTokenizer:
    """Ids of texts without special tokens; `before` and `after` are the special tokens around a single text."""

    def __init__(self, path: Path) -> None:
        """Raises ModelError when the file is not a tokenizer."""
        from tokenizers import Tokenizer  # here, because most searches do without

        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:
            # The package raises plain Exception, for a missing file as for a wrong one.
            raise ModelError(f"{path} cannot be read as a tokenizer ({error}): put the right file there") from None
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        example = self._tokenizer.encode("a")
        self.before = _leading_specials(example.ids, example.special_tokens_mask)
        self.after = _leading_specials(example.ids[::-1], example.special_tokens_mask[::-1])[::-1]

    def ids(self, text: str, most: int) -> list[int]:
        """The first `most` tokens of a text. Half a surrogate pair is read as a question mark.

        One text at a time, in this thread: tokenizing is a hundredth of the model's work, and the package's own threads
        would ignore the caller's limit.
        """
        text = text[: most * _MAX_CHARS_PER_TOKEN]
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids[:most])


def _leading_specials(ids: list[int], special: list[int]) -> list[int]:
    return ids[: len(list(takewhile(bool, special)))]
