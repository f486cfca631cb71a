"""A function's docstring or leading comment apart from its code, in every language that has one or the other."""

from __future__ import annotations

import re

from trackdown.lab.mine.messages import content_words

FEWEST_WORDS, LONGEST = 3, 600
_PYTHON = re.compile(r"^[ \t]*[rRuUbB]{0,2}(\"\"\"|''')(.*?)\1[ \t]*\n?", re.S | re.M)
_DEFINITION_END = re.compile(r":[ \t]*(?:#[^\n]*)?\n\s*$")
_LEADING = re.compile(r"\A(?:[ \t]*(?:///?!?|#|--|;|%)[^\n]*\n|[ \t]*/\*.*?\*/[ \t]*\n?|\s*\n)+", re.S)
_MARKS = re.compile(r"^[ \t]*(?:///?!?|/\*+!?|\*+/|\*|#+|--+|;+|%+)[ \t]?|\*/[ \t]*$", re.M)
_TAGS = re.compile(r"^\s*(?:@\w+|:\w+[^:\n]*:|\\\w+|(?:Args|Arguments|Parameters|Params|Returns?|Raises|Examples?|"
                   r"Notes?|See Also|Yields|Usage|References)\s*:?\s*$).*", re.S | re.M)  # fmt: skip
_MARKUP = re.compile(r"<[^>\n]{1,60}>|\{@\w+ ?|\}|`+|https?://\S+")
_NO_DOCUMENTATION = re.compile(
    r"copyright|licen[sc]e|eslint|noqa|pylint|todo|fixme|nolint|prettier-ignore|@ts-|istanbul|auto-?generated|===|---",
    re.IGNORECASE,
)


def without_docstring(code: str, language: str) -> tuple[str, str]:
    """(what the documentation says first, the code without it); an empty text where there is none worth asking."""
    if language == "python":
        found = _PYTHON.search(code)
        if found is None or _DEFINITION_END.search(code[: found.start()]) is None:
            return "", code
        return _query(found[2]), code[: found.start()] + code[found.end() :]
    leading = _LEADING.match(code)
    if leading is None or not leading[0].strip():
        return "", code
    return _query(_MARKS.sub("", leading[0])), code[leading.end() :]


def _query(text: str) -> str:
    """The first paragraphs up to the list of parameters, as plain text."""
    text = _TAGS.split(text, maxsplit=1)[0]
    text = " ".join(_MARKUP.sub(" ", text).split())[:LONGEST]
    if _NO_DOCUMENTATION.search(text) or len(content_words(text)) < FEWEST_WORDS:
        return ""
    return text if sum(char.isascii() for char in text) > 0.9 * len(text) else ""


__all__ = ["FEWEST_WORDS", "LONGEST", "without_docstring"]
