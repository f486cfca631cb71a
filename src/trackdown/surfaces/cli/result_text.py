"""Results as people read them: where, why, and the lines that speak for the query, in as many rows as fit a screen."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from trackdown.surfaces.cli.reason_text import explained
from trackdown.surfaces.cli.terminal_text import advice, one_line
from trackdown.surfaces.cli.text_page import TextPage
from trackdown.types import LineMatch, Result, SearchResults, percent

ROWS_FOR_TEN = 40
"""Rows that ten results take at most; fewer results may take as many."""
_SHORTEST_SYMBOL = 12
_LINES_SHOWN = (1, 3, 6)
"""Lines of code of a result: each gets one if there is room, then each three, the first before the others."""


class ResultText:
    """Prints results on a page. `with_repository` shows the repository of each; `explain` all reasons and lines."""

    def __init__(self, page: TextPage, *, with_repository: bool = False, explain: bool = False) -> None:
        self._page = page
        self._with_repository = with_repository
        self._explain = explain

    def answer(self, answer: SearchResults, remarks: Sequence[str] = ()) -> None:
        """Print the verdict and the results, each with its remark, if there are any."""
        verdict = self._verdict(answer)
        for line in verdict:
            self._page.line("bold", line)
        if verdict:
            self._page.line("", "")
        heads = [self._head(result) for result in answer]
        for head, remark in zip(heads, remarks, strict=False):
            head += [("dim", fitted(f"    {remark}", self._page.width))] if remark else []
        budget = ROWS_FOR_TEN * max(10, len(heads)) // 10 - len(verdict) - bool(verdict) - sum(map(self._rows, heads))
        counts = [len(result.matches) for result in answer]
        for result, head, count in zip(answer, heads, allotted(counts, budget), strict=True):
            self._result(result, head, len(result.matches) if self._explain else count)

    def result(self, result: Result, lines: int) -> None:
        """Print one result with this many lines of code."""
        self._result(result, self._head(result), lines)

    def _result(self, result: Result, head: Sequence[tuple[str, str]], lines: int) -> None:
        for style, text in head:
            self._page.line(style, text)
        for why in result.why if self._explain else ():
            self._page.line("dim", f"    {explained(why)}")
        self._page.excerpt(few_lines(result, lines), result.language)

    def _verdict(self, answer: SearchResults) -> list[str]:
        if not answer.results or answer.confidence is None:
            return []
        return textwrap.wrap(advice(answer.confidence.sentence()), self._page.width)

    def _head(self, result: Result) -> list[tuple[str, str]]:
        """Where the result is and why it was found, with styles."""
        path = one_line(f"{result.repository}:{result.path}" if self._with_repository else result.path)
        lines = f":{result.start_line}-{result.end_line}" if result.kind != "file" else ""
        sure = "" if result.probability is None else f"  {percent(result.probability)}"
        place, symbol = _in_one_row(path, lines, one_line(result.symbol), self._page.width - len(sure) - 4)
        title = f"{result.rank:>2}  {place}  {symbol}".rstrip() + sure
        reason = fitted(f"    {one_line(result.reason)}", self._page.width)
        return [("title", title), *([("dim", reason)] if result.reason else [])]

    def _rows(self, head: Sequence[tuple[str, str]]) -> int:
        return sum(max(1, -(-len(text) // self._page.width)) for _, text in head)


def allotted(available: Sequence[int], budget: int) -> list[int]:
    """How many lines of code each result shows of those available, within a budget of rows. The first come first."""
    given = [0] * len(available)
    for target in _LINES_SHOWN:
        for place, most in enumerate(available):
            more = max(0, min(target, most) - given[place])
            more = min(more, max(0, budget))
            given[place] += more
            budget -= more
    return given


def few_lines(result: Result, count: int) -> Sequence[LineMatch]:
    """That many of a result's lines: the best one, then its signature, then the others by what they are worth."""
    if count == 1:
        return [match for match in result.matches if match.line == result.line][:1] or result.matches[:1]
    return result.matches[:count]


def fitted(text: str, width: int) -> str:
    """A line of phrases, as many as fit; a phrase that is cut ends in `…`."""
    if len(text) <= width:
        return text
    whole = text[: width + 2].rpartition("; ")[0]
    return whole if len(whole) > width // 2 else text[: width - 1] + "…"


def _in_one_row(path: str, lines: str, symbol: str, room: int) -> tuple[str, str]:
    """A place and a symbol that fit together. To make them fit, the names of what encloses the symbol go first, then
    folders in the middle of the path, and at last the end of the symbol.
    """

    def excess() -> int:
        return len(path) + len(lines) + len(symbol) + 2 - room

    while excess() > 0 and "." in symbol:
        symbol = symbol.partition(".")[2]
    first, *folders = path.split("/")
    while excess() > 0 and len(folders) > 1:
        folders = folders[1:]
        path = "/".join([first, "…", *folders])
    if excess() > 0:
        symbol = f"{symbol[: max(_SHORTEST_SYMBOL, len(symbol) - excess() - 1)]}…"
    return path + lines, symbol
