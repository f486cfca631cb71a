"""Tables of metrics: as wide as needed in a pipe, in several parts if a terminal is too narrow; never cut."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from trackdown.surfaces.cli.terminal_text import one_line

_COLUMNS = ("MRR", "MAP", "P@1", "Acc@1", "Acc@5", "Acc@10", "R@10", "R@100", "nDCG@10")
_GAP = "  "


def print_summary(summary: dict[str, Any], columns: Sequence[str] = ()) -> None:
    """What `lab.summary` gives: one row per mode, then repositories and categories, then what was left out."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    chosen = tuple(columns) or _COLUMNS
    total = summary["cases"] + summary["skipped"]
    title = f"{summary['bench'] or 'run'}, {summary['level'] or 'unknown'} level"
    console.print(one_line(f"{title}: {summary['cases']} of {total} cases scored"), soft_wrap=True)
    modes = summary["modes"]
    uneven = len(set(summary["scored"].values())) > 1
    print_table(
        console,
        ["mode", *(["cases"] if uneven else []), *chosen, "p50"],
        [
            [
                mode,
                *([str(summary["scored"][mode])] if uneven else []),
                *(f"{values[name]:.3f}" for name in chosen),
                f"{summary['ms'][mode]['p50']:.0f} ms",
            ]
            for mode, values in modes.items()
        ],
    )
    for title in ("repositories", "categories"):
        groups = summary[title]
        if len(groups) > 1:
            lines = [
                [name, str(group["cases"]), *(f"{group['modes'][mode]['MRR']:.3f}" for mode in modes)]
                for name, group in groups.items()
            ]
            if title == "repositories":
                means = [f"{summary['macro'][mode]['MRR']:.3f}" for mode in modes]
                lines.append(["mean over repositories", str(summary["cases"]), *means])
            print_table(console, [title, "cases", *(f"{mode} MRR" for mode in modes)], lines)
    for reason, count in summary["skipped_why"].items():
        example = one_line(" ".join(summary["skipped_examples"].get(reason, "").split()))
        console.print(f"left out: {count} × {one_line(reason)}", soft_wrap=True)
        if example:
            console.print(f"  e.g. {example}")
    for remark, count in summary.get("remarks", {}).items():
        console.print(f"note: {count} {one_line(remark)}", soft_wrap=True)
    if "run_file" in summary:
        print(f"run file: {one_line(summary['run_file'])}", file=sys.stderr)


def print_table(console: Any, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table: the first column to the left, numbers to the right. Columns that do not fit are printed below,
    with the first column again."""
    from rich.cells import cell_len
    from rich.text import Text

    table = [[one_line(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    for numbers in _parts(widths, console.width if console.is_terminal else sys.maxsize):
        for place, row in enumerate(table):
            cells = [row[0] + " " * (widths[0] - cell_len(row[0]))]
            cells += [" " * (widths[number] - cell_len(row[number])) + row[number] for number in numbers]
            console.print(Text(_GAP.join(cells).rstrip(), style="" if place else "bold"), soft_wrap=True)
        console.print()


def _parts(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """The columns after the first, in groups that fit next to it; at least one each."""
    part: list[int] = []
    used = widths[0]
    for number, width in enumerate(widths[1:], 1):
        if part and used + len(_GAP) + width > room:
            yield part
            part, used = [], widths[0]
        part.append(number)
        used += len(_GAP) + width
    if part:
        yield part
