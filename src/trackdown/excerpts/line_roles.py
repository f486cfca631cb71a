"""Which lines of a unit are code, imports, comments or documentation, or blank. Reads lines, not syntax trees."""

from __future__ import annotations

import re
from collections.abc import Sequence

CODE, PROSE, BLANK, IMPORT = "code", "prose", "blank", "import"
_SLASHES = ("//",)
_HASHES = ("#",)
_DASHES = ("--",)
_LINE_MARKS = {
    **dict.fromkeys(("python", "ruby", "bash", "elixir", "julia", "r", "perl"), _HASHES),
    **dict.fromkeys(("lua", "haskell", "sql"), _DASHES),
    "php": (*_SLASHES, *_HASHES),
    "ocaml": (),
}
_BLOCKS = {"lua": ("--[[", "]]"), "haskell": ("{-", "-}"), "ocaml": ("(*", "*)"), "ruby": ("=begin", "=end")}
_DOCUMENTED_BY_STRINGS = frozenset({"python", "elixir", "julia"})
_DOCSTRING = re.compile(r"(?:@\w*doc\s+)?[A-Za-z~]{0,2}(\"\"\"|''')")
_ATTRIBUTE = re.compile(r"@(?!interface\b)|#\[|\[[A-Z\[]|#!")
"""What stands before a definition: a decorator, an annotation, an attribute."""
_IMPORT = re.compile(r"(?:import|from|use|using|require|require_relative|package|#[ \t]*include)\b[^()]*$")
_PLAIN = frozenset({"text", "?"})


def line_roles(lines: Sequence[str], language: str) -> list[str]:
    """The role of each line. In a language that we don't know, comments are taken to be like those of C."""
    if language in _PLAIN:
        return [CODE if line.strip() else BLANK for line in lines]
    marks = _LINE_MARKS.get(language, _SLASHES)
    opening, closing = _BLOCKS.get(language, ("/*", "*/"))
    quotes = language in _DOCUMENTED_BY_STRINGS
    roles: list[str] = []
    until = ""
    for line in lines:
        text = line.strip()
        if not text:
            roles.append(BLANK)
        elif until:
            roles.append(PROSE)
            until = "" if until in text else until
        elif text.startswith(opening):
            end = text.find(closing, len(opening))
            roles.append(CODE if end >= 0 and text[end + len(closing) :].strip() else PROSE)
            until = closing if end < 0 else ""
        elif quotes and (docstring := _DOCSTRING.match(text)):
            roles.append(PROSE)
            until = "" if docstring[1] in text[docstring.end() :] else docstring[1]
        else:
            roles.append(_role(text, marks))
    return roles


def _role(text: str, marks: tuple[str, ...]) -> str:
    if text.startswith(marks) and not _ATTRIBUTE.match(text):
        return PROSE
    return IMPORT if _IMPORT.match(text) else CODE


def signature_line(lines: Sequence[str], roles: Sequence[str], symbol: str) -> int:
    """The place of the line that defines a symbol: the first line of code that has its name, or the first that is no
    decorator; -1 if there is no code at all.
    """
    name = symbol.rpartition(".")[2]
    own = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") if name else None
    code = [place for place, role in enumerate(roles) if role == CODE]
    for place in code:
        if own is not None and own.search(lines[place]) and not _ATTRIBUTE.match(lines[place].strip()):
            return place
    plain = (place for place in code if not _ATTRIBUTE.match(lines[place].strip()))
    return next(plain, code[0] if code else -1)
