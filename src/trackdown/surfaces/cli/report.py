"""`trackdown report`."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.terminal_text import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from trackdown.lab.report import Summary, Table

FORMATS = ("text", "json", "markdown", "html")
_BY_ENDING = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json"}
_NO_EDGE = 10_000
_SHORT_LABEL = 12
_LONGEST_NAME = 32

EXAMPLES = """\b
Examples:
  trackdown report run.jsonl
  trackdown report before.jsonl after.jsonl --metric nDCG@10 --format markdown
  trackdown report run.jsonl --output report.html --title "Loc-Bench, all modes"
  trackdown report run.jsonl --ks 1,3,5,10 --format json | jq .pairs
"""


@click.command(epilog=EXAMPLES)
@click.argument("runs", nargs=-1, metavar="RUN...", type=click.Path(path_type=Path))
@click.option(
    "--format", "style", type=click.Choice(FORMATS), help="The output format. Default: by the suffix of --output."
)
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to a file.")
@click.option("--metric", metavar="NAME", default="MRR", show_default=True, help="The metric to compare modes by.")
@click.option("--ks", metavar="K,...", default="1,5,10,20,100", show_default=True, help="The k of recall.")
@click.option("--title", default="", metavar="TEXT", help="The title of the report.")
def command(runs: tuple[Path, ...], style: str | None, output: Path | None, metric: str, ks: str, title: str) -> None:
    """Compare the modes of one or more run files.

    RUN is a file that `trackdown eval` or `trackdown bench` wrote, with a ranking for every case. The report has scores
    with intervals, recall over k, repositories, times, and wins and losses per query with p-values. The HTML page is
    self-contained.
    """
    if not runs:
        raise UsageError("give at least one RUN file, e.g. trackdown report run.jsonl")
    from trackdown.lab.report import read_contenders, summarize
    from trackdown.pages import place_to_save, save

    target = None if output is None else place_to_save(output, keep=runs)
    summary = summarize(read_contenders(runs), metric=metric, ks=_numbers(ks), title=title)
    text = _written(summary, style or _BY_ENDING.get(output.suffix.lower() if output else "", "text"), output)
    if target is None:
        sys.stdout.write(text)
    else:
        save(text, target)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise UsageError(f"--ks takes numbers, e.g. 1,5,10, not {text[:100]!r}") from None


def _written(summary: Summary, style: str, output: Path | None) -> str:
    if style == "json":
        from trackdown.lab.report import as_json

        return as_json(summary)
    if style == "markdown":
        from trackdown.lab.report import as_markdown

        return as_markdown(summary)
    if style == "html":
        from trackdown.lab.report import as_html

        return as_html(summary)
    return _as_text(summary, on_terminal=output is None and sys.stdout.isatty())


def _as_text(summary: Summary, *, on_terminal: bool) -> str:
    """Tables as a terminal shows them, in colour and with long names cut; plain and whole elsewhere."""
    from rich.console import Console

    from trackdown.lab.report import (
        at_k_table,
        by_letters,
        called,
        cases_sentence,
        groups_table,
        pairs_table,
        scores_table,
    )

    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=on_terminal, width=_NO_EDGE, highlight=False, markup=False, emoji=False
    )
    console.print(one_line(summary.title), style="bold")
    console.print(one_line(cases_sentence(summary)))
    for remark in summary.remarks:
        console.print(f"note: {one_line(remark)}", style="yellow")
    letters = by_letters(summary)
    if any(len(mode.label) > _SHORT_LABEL for mode in summary.modes):
        console.print()
        for mode in summary.modes:
            console.print(one_line(called(mode)))
        summary = letters
    tables = [scores_table(summary, intervals=False)]
    tables += [at_k_table(summary, name, intervals=False) for name in ("R", "Acc")]
    if len(summary.repositories) > 1:
        tables.append(groups_table(summary, "repository", summary.repositories))
    if summary.categories:
        tables.append(groups_table(summary, "category", summary.categories))
    if summary.pairs:
        tables.append(pairs_table(letters, [pair for pair in summary.pairs if pair.first == 0]))
    for table in tables:
        _print_table(console, table, on_terminal=on_terminal)
    if summary.pairs:
        console.print("p-values are two-sided and not corrected for the number of pairs.", style="dim")
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def _print_table(console: Console, table: Table, *, on_terminal: bool) -> None:
    from rich.cells import cell_len
    from rich.table import Table as RichTable
    from rich.text import Text

    from trackdown.lab.report import cut_middle

    rows = []
    for row in table.rows:
        texts = [f"{one_line(cell.text)} [{cell.interval}]" if cell.interval else one_line(cell.text) for cell in row]
        if on_terminal:
            texts[: table.names] = [cut_middle(text, _LONGEST_NAME) for text in texts[: table.names]]
        rows.append(texts)
    widths = [max(map(cell_len, column)) for column in zip(table.columns, *rows, strict=True)]
    roomy = not on_terminal or sum(widths) + 2 * len(widths) <= shutil.get_terminal_size().columns
    shown = RichTable(box=None, pad_edge=False, padding=(0, 2 if roomy else 1, 0, 0), header_style="dim")
    for number, column in enumerate(table.columns):
        shown.add_column(Text(one_line(column)), justify="left" if number < table.names else "right", no_wrap=True)
    for texts, row in zip(rows, table.rows, strict=True):
        styles = ("bold" if cell.best else "" for cell in row)
        shown.add_row(*(Text(text, style=style) for text, style in zip(texts, styles, strict=True)))
    console.print()
    console.print(one_line(table.title), style="bold cyan")
    console.print(shown)
