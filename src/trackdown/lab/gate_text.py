"""A verdict as plain lines. Names come from run files: a surface strips control characters before it prints them."""

from __future__ import annotations

from collections.abc import Iterable

from trackdown.lab.gate_verdict import Comparison, Verdict

_HEAD = ("", "cases", "A", "B", "B − A", "p worse", "p (t)", "p better", "p (t)")


def verdict_lines(verdict: Verdict) -> list[str]:
    """The verdict, its reasons and a table of what was compared, with the t-test's p behind the permutation test's."""
    table = [_HEAD, *map(_cells, verdict.groups)]
    table += [("  " + cells[0], *cells[1:]) for cells in map(_cells, verdict.small)]
    table.append((
        f"macro average ({verdict.repositories})", f"{verdict.cases}", f"{verdict.mean_a:.4f}", f"{verdict.mean_b:.4f}",
        f"{verdict.difference:+.4f}", *[""] * 4,
    ))  # fmt: skip
    about = (verdict.metric, verdict.bench, f"{verdict.level} level" if verdict.level else "")
    return [
        verdict.headline,
        *(f"- {reason}" for reason in verdict.reasons),
        "",
        f"{', '.join(filter(None, about))}; A is {verdict.mode_a}, B is {verdict.mode_b}",
        *_aligned(table),
    ]


def _cells(group: Comparison) -> tuple[str, ...]:
    chances = (group.worse_permutation, group.worse_t, group.better_permutation, group.better_t)
    means = (f"{group.mean_a:.4f}", f"{group.mean_b:.4f}", f"{group.difference:+.4f}")
    return group.name, f"{group.cases}", *means, *(f"{chance:.4f}" for chance in chances)


def _aligned(table: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(table)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
