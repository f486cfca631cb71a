"""Separates a function's docstring or leading comment from its code."""

from __future__ import annotations

import re

LONGEST = 600
_PYTHON = re.compile(
    r"^[ \t]*[rRuUbB]{0,2}(?:(\"\"\"|''')(.*?)\1|([\"'])((?:(?!\3)[^\\\n])+)\3[ \t]*$)[ \t]*\n?", re.S | re.M
)
_DEFINITION_END = re.compile(r":[ \t]*(?:#[^\n]*)?\n\s*$")
_BLANK = r"[ \t]*\n"
_SLASHES = re.compile(rf"\A(?:[ \t]*//[^\n]*\n|[ \t]*/\*.*?\*/[ \t]*\n?|{_BLANK})+", re.S)
_HASHES = re.compile(rf"\A(?:[ \t]*#(?!\[|!/)[^\n]*\n|{_BLANK})+")
_DASHES = re.compile(rf"\A(?:[ \t]*--[^\n]*\n|[ \t]*\{{-.*?-\}}[ \t]*\n?|{_BLANK})+", re.S)
_ATTRIBUTE = re.compile(r"\A\s*@doc\s+(?:~[sS])?(?:\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\n]|\\.)*)\")[ \t]*\n?", re.S)
_STRING = re.compile(r"\A\s*(?:@doc\s+(?:raw)?)?(?:\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\n]|\\.)*)\")[ \t]*\n", re.S)
_COMMENTS = {
    "bash": (_HASHES,),
    "elixir": (_ATTRIBUTE, _HASHES),
    "haskell": (_DASHES,),
    "julia": (_STRING, _HASHES),
    "lua": (_DASHES,),
    "php": (_SLASHES, _HASHES),
    "ruby": (_HASHES,),
}
_MARKS = re.compile(r"^[ \t]*(?://[/!]*|/\*+!?|\*+/|\*|#+|--+ ?\|?|\{-\|?)[ \t]?|(?:\*/|-\})[ \t]*$", re.M)
_TAGS = re.compile(
    r"^[^\S\n]*+"
    r"(?:@\w+|:\w+[^:\n]*:|\\\w+|#+ \w+|<(?:param|typeparam|returns|remarks|exception|value|example|seealso)\b"
    r"|(?:Args|Arguments|Parameters|Params|Returns?|Raises|Examples?|Notes?|See Also|Yields|Usage|References|Options)"
    r"[^\S\n]*+:?[^\S\n]*+$).*",
    re.S | re.M,
)
_SIGNATURES = re.compile(r"\A\s*\n(?: {4}[^\n]*\n|[ \t]*\n)+")  # Julia's, above what a docstring says
_MARKUP = re.compile(r"<[^>\n]{1,60}>|\{@\w+ ?|\}|`+|\[(?=[^\]\n]{0,200}\]\()|\]\(\S*\)?|https?://\S+")


def split_docstring(code: str, language: str) -> tuple[str, str]:
    """(the documentation's first paragraphs as plain text, the code without it). The text is empty if there is none."""
    if language == "python":
        found = _PYTHON.search(code)
        if found is None or _DEFINITION_END.search(code[: found.start()]) is None:
            return "", code
        return _plain(found[2] or found[4] or ""), code[: found.start()] + code[found.end() :]
    for pattern in _COMMENTS.get(language, (_SLASHES,)):
        leading = pattern.match(code)
        if leading is not None and leading[0].strip():
            said = next(filter(None, leading.groups()), "") if pattern.groups else _MARKS.sub("", leading[0])
            return _plain(_SIGNATURES.sub("", said) if pattern is _STRING else said), code[leading.end() :]
    return "", code


def _plain(text: str) -> str:
    """The first paragraphs up to the list of parameters, as plain text."""
    text = _TAGS.split(text, maxsplit=1)[0]
    return " ".join(_MARKUP.sub(" ", text).split())[:LONGEST]
