"""What language models cost, as a table after the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trackdown.surfaces.cli.terminal_text import one_line


def print_llm_cost(cost: Mapping[str, Any], queries: int = 1) -> None:
    """Print `engine.llm.llm_cost` to standard error; nothing if nothing was asked. With several queries, a line
    shows their mean cost."""
    if not cost:
        return
    from rich.console import Console

    from trackdown.surfaces.cli.tables import print_table

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    told = "would be asked (tokens out: at most)" if cost["dry_run"] else "was asked"
    console.print(one_line(f"{cost['model']} {told}:"), soft_wrap=True)
    stages = cost["stages"]
    rows = [_cells(stage["stage"], stage) for stage in stages]
    if len(stages) > 1:
        rows.append(_cells("total", cost["total"]))
    if queries > 1:
        rows.append(_cells(f"per query, mean of {queries}", cost["total"], queries))
    header = ["stage", "calls", "cached", "unanswered", "tokens in", "tokens out", "seconds", "money"]
    paid = 8 if cost["total"]["money"] else 7
    print_table(console, header[:paid], [row[:paid] for row in rows])


def _cells(name: str, stage: Mapping[str, Any], share: int = 1) -> list[str]:
    counts = [stage[field] / share for field in ("calls", "cached", "unanswered", "tokens_in", "tokens_out")]
    told = [f"{count:,.0f}" if share == 1 else f"{count:,.1f}" for count in counts]
    return [name, *told, f"{stage['seconds'] / share:,.1f}", f"{stage['money'] / share:.4f}"]
