"""Results as people read them: coloured and highlighted on a terminal, plain elsewhere."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, ClassVar

from trackdown.engine import Related, Relative
from trackdown.surfaces.cli.reason_text import explained
from trackdown.surfaces.cli.terminal_text import advice, one_line, sanitize
from trackdown.types import Result, SearchResults

_SNIPPET_LINES = 5
_NOT_LEXED = {"text", "?"}


def print_results(answer: SearchResults, *, explain: bool) -> None:
    """Print ranked results."""
    many = len({info.repository for info in answer.snapshots}) > 1
    if not answer.results:
        print("Nothing found. Try other words, --level file, or trackdown history.", file=sys.stderr)
    page = open_page()
    if answer.results and answer.confidence is not None:
        for line in textwrap.wrap(advice(answer.confidence.sentence()), page.width()):
            page.line("bold", line)
        page.line("", "")
    for result in answer:
        page.result(result, with_repository=many, explain=explain, numbered=answer.level in ("function", "symbol"))
    if explain:
        if answer.deep is not None:
            page.line("dim", f"Deep index: {answer.deep.sentence()}")
        total = sum(answer.timings_ms.values())
        page.line("dim", f"{total:.0f} ms: " + ", ".join(f"{s} {t:.1f}" for s, t in answer.timings_ms.items()))


def print_related(answer: Related) -> None:
    """Print code related to a place."""
    page = open_page()
    symbol = f" ({one_line(answer.symbol)})" if answer.symbol else ""
    page.line("bold", f"Near {one_line(answer.location)}{symbol}")
    page.line("", "")
    for title, found in (
        ("Called by", answer.callers),
        ("Calls", answer.callees),
        ("Base classes", answer.bases),
        ("Subclasses", answer.subclasses),
        ("Imported by", answer.importers),
        ("Imports", answer.imports),
        ("In the same class or file", answer.siblings),
    ):
        _print_relatives(page, title, found)
    page.line("bold", "Similar code" if answer.similar else "No similar code")
    for result in answer.similar:
        page.result(result, with_repository=False, explain=False)
    page.line("bold", "Changes together" if answer.changes_together else "No file changed together with it so far")
    for item in answer.changes_together:
        page.line("path", f"    {one_line(item.path)}")
        page.line(
            "dim", f"      {item.commits} commits, {item.share:.0%} of the target's; latest {one_line(item.latest)}"
        )


def _print_relatives(page: Page, title: str, found: Sequence[Relative]) -> None:
    if not found:
        return
    page.line("bold", title)
    for one in found:
        lines = f":{one.start_line}-{one.end_line}" if one.symbol else ""
        sure = "" if one.how == "exact" else f"  ({one.how})"
        page.line("path", f"    {one_line(one.path)}{lines}  {one_line(one.symbol)}".rstrip() + sure)
    page.line("", "")


def open_page() -> Page:
    """Where to print: a terminal, or a pipe without colour."""
    return TerminalPage() if sys.stdout.isatty() else Page()


class Page:
    """Plain text, as it goes into a pipe."""

    def line(self, style: str, text: str) -> None:
        """Print one line."""
        print(text)

    def width(self) -> int:
        """Columns to fill; a pipe has no edge."""
        return 10_000

    def code(self, text: str, language: str, first_line: int | None) -> None:
        """Print a piece of source, with its line numbers if they are known."""
        for offset, line in enumerate(text.split("\n")):
            number = "" if first_line is None else first_line + offset
            print(f"    {number:>5}  {line}".rstrip())

    def result(self, result: Result, *, with_repository: bool, explain: bool, numbered: bool = True) -> None:
        """Print one result: where, why and a first look. What is shown of a class or file is its best part, which
        may stand anywhere in it: then lines are not `numbered`."""
        place = f"{result.repository}:{result.path}" if with_repository else result.path
        if result.kind != "file":
            place += f":{result.start_line}-{result.end_line}"
        sure = "" if result.probability is None else f"  {result.probability:.0%}"
        self.line("title", f"{result.rank:>2}  {one_line(place)}  {one_line(result.symbol)}".rstrip() + sure)
        if result.reason:
            self.line("dim", _fitted(f"    {one_line(result.reason)}", self.width()))
        for why in result.why if explain else ():
            self.line("dim", f"    {explained(why)}")
        lines = sanitize(result.snippet).split("\n")[: None if explain else _SNIPPET_LINES]
        if result.kind != "file" or explain:
            self.code("\n".join(lines), result.language, result.start_line if numbered else None)
        self.line("", "")


class TerminalPage(Page):
    """Colour and highlighted code."""

    _STYLES: ClassVar = {
        "title": "bold cyan",
        "bold": "bold",
        "dim": "dim",
        "path": "cyan",
        "added": "green",
        "removed": "red",
        "": "",
    }

    def __init__(self) -> None:
        from rich.console import Console

        self._console: Any = Console(highlight=False, markup=False, emoji=False)

    def line(self, style: str, text: str) -> None:
        self._console.print(text, style=self._STYLES[style] or None, soft_wrap=True)

    def width(self) -> int:
        return max(40, shutil.get_terminal_size().columns - 1)

    def code(self, text: str, language: str, first_line: int | None) -> None:
        from rich.padding import Padding
        from rich.syntax import Syntax

        lexer = "text" if language in _NOT_LEXED else language
        shown = Syntax(
            text,
            lexer,
            line_numbers=first_line is not None,
            start_line=first_line or 1,
            theme="ansi_dark",
            background_color="default",
        )
        self._console.print(Padding(shown, (0, 0, 0, 4)))


def _fitted(text: str, width: int) -> str:
    """A line of phrases, as many as fit; a phrase that is cut ends in `…`."""
    if len(text) <= width:
        return text
    whole = text[: width + 2].rpartition("; ")[0]
    return whole if len(whole) > width // 2 else text[: width - 1] + "…"
