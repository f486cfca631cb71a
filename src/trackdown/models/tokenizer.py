"""Texts → token ids, by the tokenizer.json of a model. Special tokens and cutting are done by who knows the limits."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from trackdown.errors import ModelError

_LETTERS_PER_TOKEN = 48
"""More than a spoken word can have: what is beyond this many per token is never read, so it is not tokenized."""


class TextTokenizer:
    """The ids of texts without special tokens; `before` and `after` are the special tokens around a single text."""

    def __init__(self, path: Path) -> None:
        """Raises ModelError when the file is not a tokenizer."""
        from tokenizers import Tokenizer  # here, since most searches do without

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
        """At most so many tokens of a text. What is no text (half a surrogate pair) is read as a question mark.

        One text at a time, in this thread: tokenizing is a hundredth of the model's work, and the package's own threads
        would not keep to the number that the caller asked for.
        """
        text = text[: most * _LETTERS_PER_TOKEN]
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids[:most])


def _leading_specials(ids: list[int], special: list[int]) -> list[int]:
    return ids[: len(list(takewhile(bool, special)))]
