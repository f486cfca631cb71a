"""Answers as people read them: coloured and highlighted on a terminal, plain elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trackdown.engine import Related, Relative
from trackdown.surfaces.cli.result_text import ResultText
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.surfaces.cli.text_page import Colour, TextPage, open_page
from trackdown.types import SearchResults

_LINES_OF_SIMILAR = 2


def print_results(
    answer: SearchResults,
    *,
    nothing: str,
    explain: bool,
    with_repository: bool = False,
    colour: Colour = "auto",
    remarks: Sequence[str] = (),
) -> None:
    """Print ranked results, or `nothing`. `remarks` are lines below the reasons, one for each result or none."""
    if not answer.results:
        print(nothing, file=sys.stderr)
    page = open_page(colour)
    ResultText(page, with_repository=with_repository, explain=explain).answer(answer, remarks)
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
        ResultText(page).result(result, _LINES_OF_SIMILAR)
    page.line("", "")
    page.line("bold", "Changes together" if answer.changes_together else "No file changed together with it so far")
    for item in answer.changes_together:
        page.line("path", f"    {one_line(item.path)}")
        page.line("dim", f"      {item.how_often}; latest {one_line(item.latest)}")


def _print_relatives(page: TextPage, title: str, found: Sequence[Relative]) -> None:
    if not found:
        return
    page.line("bold", title)
    for one in found:
        lines = f":{one.start_line}-{one.end_line}" if one.symbol else ""
        through = f", through {one_line(one.through)}" if one.through else ""
        sure = "" if one.how == "exact" else f"  ({one.how}{through})"
        page.line("path", f"    {one_line(one.path)}{lines}  {one_line(one.symbol)}".rstrip() + sure)
    page.line("", "")
