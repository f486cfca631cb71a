"""Docstrings as queries: what a function's documentation says first, where it says something worth asking."""

from __future__ import annotations

import re

from trackdown.lab.mine.messages import content_words
from trackdown.units.docstrings import LONGEST, split_docstring

FEWEST_WORDS = 3
_NO_DOCUMENTATION = re.compile(
    r"inherit ?doc|copyright|licen[sc]e|eslint|noqa|pylint|todo|fixme|nolint|prettier-ignore|@ts-|istanbul"
    r"|auto-?generated|===|---",
    re.IGNORECASE,
)


def without_docstring(code: str, language: str) -> tuple[str, str]:
    """(what the documentation says first, the code without it); an empty text where there is none worth asking."""
    said, rest = split_docstring(code, language)
    return (said if _is_worth_asking(said) else ""), rest


def _is_worth_asking(text: str) -> bool:
    if _NO_DOCUMENTATION.search(text) or len(content_words(text)) < FEWEST_WORDS:
        return False
    return sum(char.isascii() for char in text) > 0.9 * len(text)


__all__ = ["FEWEST_WORDS", "LONGEST", "without_docstring"]
