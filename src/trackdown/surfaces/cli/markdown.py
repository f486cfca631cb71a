"""An answer as Markdown, to paste into an issue. Text of the repository mentions nobody and links nothing there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trackdown.surfaces.cli.result_text import few_lines
from trackdown.surfaces.cli.terminal_text import advice, one_line, sanitize
from trackdown.types import LineMatch, Result, SearchResults, percent

_LINES = 3
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&!])")
_LINKED = re.compile(r"(@|#|\bGH-|![0-9])(?=\w)|(?<=\w)(#)(?=\d)|(?<=:)(//)|\b(www)(?=\.)")
_TICKS = re.compile(r"`+")
_NOTHING = "&#8203;"
"""A space without width: it keeps a host from making `@name` a mention and `#12` a link."""


def as_markdown(answer: SearchResults, *, with_repository: bool = False) -> str:
    """The answer: the verdict, then a numbered list with a block of code for each result."""
    blocks = []
    if answer.confidence is not None and answer.results:
        blocks.append(plain_text(advice(answer.confidence.sentence())))
    blocks.append("\n".join(_item(result, with_repository) for result in answer) or "Nothing found.")
    searched = [
        f"{code_span(info.repository)} at {code_span(info.commit[:12])}" + (", with changes" if info.dirty else "")
        for info in answer.snapshots
        if info.commit is not None
    ]
    if searched:
        blocks.append(f"Searched {'; '.join(searched)}.")
    return "\n\n".join(blocks)


def plain_text(text: str) -> str:
    """Text in which nothing is markup, a mention or a link."""
    escaped = _SPECIAL.sub(r"\\\1", one_line(text))
    return _LINKED.sub(lambda found: f"{found[0]}{_NOTHING}", escaped)


def code_span(text: str) -> str:
    """Text as inline code, whatever it contains."""
    text = one_line(text)
    longest = max(map(len, _TICKS.findall(text)), default=0)
    marks = "`" * (longest + 1)
    space = " " if longest or text != text.strip() else ""
    return f"{marks}{space}{text}{space}{marks}"


def _item(result: Result, many: bool) -> str:
    place = f"{result.repository}:{result.path}" if many else result.path
    place += f":{result.start_line}-{result.end_line}" if result.kind != "file" else ""
    symbol = f" {code_span(result.symbol)}" if result.symbol else ""
    sure = "" if result.probability is None else f" ({percent(result.probability)})"
    reason = f": {plain_text(result.reason)}" if result.reason else ""
    number = f"{result.rank}. "
    block = _fenced(few_lines(result, _LINES), result.language)
    indented = "".join(f"\n{' ' * len(number)}{line}".rstrip(" ") for line in block)
    return f"{number}{code_span(place)}{symbol}{sure}{reason}{indented}"


def _fenced(matches: Sequence[LineMatch], language: str) -> list[str]:
    """Lines of code with their numbers in a fence that nothing in them can end."""
    if not matches:
        return []
    shown = []
    before = 0
    for match in sorted(matches, key=lambda match: match.line):
        if before and match.line > before + 1:
            shown.append("…")
        shown.append(f"{match.line}  {one_line(sanitize(match.text).replace(chr(9), '    '))}")
        before = match.line
    longest = max((len(ticks) for line in shown for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language if language.isalnum() else ''}", *shown, fence]
