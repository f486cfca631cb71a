"""Where text is printed: coloured and cut to the width of a terminal, plain and whole in a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from trackdown.surfaces.cli.terminal_text import sanitize
from trackdown.types import LineMatch

Colour = Literal["auto", "always", "never"]
Piece = tuple[str, bool]
"""A part of a line, and whether it matches the query."""
_NOT_LEXED = {"text", "?"}
_TAB = "    "
_NO_EDGE = 10_000
_GUTTER = 13
"""Columns in front of code: a gap mark and the number of the line."""


def open_page(colour: Colour = "auto") -> TextPage:
    """The page that fits standard output."""
    coloured = sys.stdout.isatty() if colour == "auto" else colour == "always"
    return ColouredPage(forced=colour == "always") if coloured else TextPage()


class TextPage:
    """Plain text, as it goes into a pipe."""

    def line(self, style: str, text: str) -> None:
        """Print one line."""
        print(text)

    @property
    def width(self) -> int:
        """Columns to fill; a pipe has no edge."""
        return _NO_EDGE

    def excerpt(self, matches: Sequence[LineMatch], language: str) -> None:
        """Print lines of code in order. A mark shows where lines are left out."""
        before = 0
        lines = sorted(matches, key=lambda match: match.line)
        for match, pieces in zip(lines, _dedented([_pieces(match) for match in lines]), strict=True):
            gap = "…" if before and match.line > before + 1 else " "
            self.code(f"    {gap}{match.line:>6}  ", _cut(pieces, self.width - _GUTTER), language)
            before = match.line

    def code(self, gutter: str, pieces: Sequence[Piece], language: str) -> None:
        """Print a line of code behind its gutter."""
        print(gutter + "".join(text for text, _ in pieces))


class ColouredPage(TextPage):
    """Colour, highlighted code, and marked matches."""

    _STYLES: ClassVar = {
        "title": "bold cyan",
        "bold": "bold",
        "dim": "dim",
        "path": "cyan",
        "added": "green",
        "removed": "red",
        "": "",
    }

    def __init__(self, *, forced: bool = False) -> None:
        from rich.console import Console

        self._console: Any = Console(highlight=False, markup=False, emoji=False, force_terminal=forced or None)
        self._highlighters: dict[str, Any] = {}

    def line(self, style: str, text: str) -> None:
        self._console.print(text, style=self._STYLES[style] or None, soft_wrap=True)

    @property
    def width(self) -> int:
        return max(40, shutil.get_terminal_size().columns - 1)

    def code(self, gutter: str, pieces: Sequence[Piece], language: str) -> None:
        from rich.text import Text

        shown = Text().append(gutter, style="dim")
        shown.append_text(self._highlighted("".join(text for text, _ in pieces), language))
        at = len(gutter)
        for text, matches in pieces:
            if matches:
                shown.stylize("bold red", at, at + len(text))
            at += len(text)
        self._console.print(shown, soft_wrap=True)

    def _highlighted(self, text: str, language: str) -> Any:
        from rich.syntax import Syntax

        if language not in self._highlighters:
            lexer = "text" if language in _NOT_LEXED else language
            self._highlighters[language] = Syntax("", lexer, theme="ansi_dark", background_color="default")
        code = self._highlighters[language].highlight(text)
        code.right_crop(len(code) - len(text))  # the line break that a lexer wants
        return code


def _pieces(match: LineMatch) -> list[Piece]:
    """A line in parts, safe to show. Each part is made safe by itself, because that may change its length."""
    found: list[Piece] = []
    at = 0
    for start, end in match.spans:
        found += [(match.text[at:start], False), (match.text[start:end], True)]
        at = end
    found.append((match.text[at:], False))
    return [(sanitize(text).replace("\t", _TAB), matches) for text, matches in found if text]


def _dedented(lines: Sequence[list[Piece]]) -> list[list[Piece]]:
    """The lines without the indentation that all of them have."""
    texts = ["".join(text for text, _ in pieces) for pieces in lines]
    margin = min((len(text) - len(text.lstrip(" ")) for text in texts if text.strip()), default=0)
    return [_without_first(pieces, margin) for pieces in lines]


def _without_first(pieces: Sequence[Piece], count: int) -> list[Piece]:
    """The pieces without their first characters."""
    kept: list[Piece] = []
    for text, matches in pieces:
        if len(text) > count:
            kept.append((text[count:], matches))
        count = max(0, count - len(text))
    return kept


def _cut(pieces: Sequence[Piece], width: int) -> list[Piece]:
    """As much of a line as fits, with its first match in it; `…` stands for what is cut."""
    length = sum(len(text) for text, _ in pieces)
    if length <= width:
        return list(pieces)
    before = 0
    for text, matches in pieces:
        if matches:
            break
        before += len(text)
    start = min(max(0, before - width // 3), length - width + 1) if width < before + 20 and before < length else 0
    kept = [("…", False), *_without_first(pieces, start + 1)] if start else list(pieces)
    shown: list[Piece] = []
    left = width - 1 if start + width < length + 1 else width
    for text, matches in kept:
        shown.append((text[:left], matches))
        left -= len(shown[-1][0])
    cut = sum(len(text) for text, _ in kept) > sum(len(text) for text, _ in shown)
    return [*filter(lambda piece: piece[0], shown), *([("…", False)] if cut else [])]
