"""Wins and losses of two modes: the difference of every case as a bar, sorted. The page's script draws others alike."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.lab.report.plots.frame import left_axis, line, picture, series, words
from trackdown.lab.report.plots.scales import Scale
from trackdown.lab.report.summary import Summary
from trackdown.lab.report.wording import counted
from trackdown.pages.markup import Markup, element

_LEFT = 38.0
_TOP = 30.0
_TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def differences_plot(summary: Summary, differences: Sequence[float], width: float) -> Markup:
    """The picture, so many px wide, of the first mode against the last. Differences are sorted, the largest first."""
    bottom = 290.0 if width > 450 else 250.0
    right = width - 8.0
    up = Scale(-1.0, 1.0, bottom, _TOP)
    first, last = summary.modes[0], summary.modes[-1]
    parts = left_axis(up, _TICKS, _LEFT, right, f"difference of {summary.metric}")
    won = bars([max(0.0, value) for value in differences], _LEFT, right, up)
    lost = bars([min(0.0, value) for value in differences], _LEFT, right, up)
    parts += [
        element("path", d=won, class_=f"bar {series(0)}", data_part="won"),
        element("path", d=lost, class_=f"bar {series(len(summary.modes) - 1)}", data_part="lost"),
        line(_LEFT, up(0.0), right, up(0.0), "zero"),
        words(right - 4.0, _TOP + 10.0, f"{first.letter} better", "axis halo", "end", data_part="above"),
        words(_LEFT + 6.0, bottom - 10.0, f"{last.letter} better", "axis halo", data_part="below"),
        words((_LEFT + right) / 2, bottom + 18.0, f"{counted(len(differences), 'case')}, sorted by difference", "axis",
              "middle", data_part="count"),
    ]  # fmt: skip
    return picture(
        width, bottom + 30.0, f"Differences of {summary.metric} per case between two modes, sorted", *parts,
        class_="differences", data_left=_LEFT, data_right=right, data_top=_TOP, data_bottom=bottom,
    )  # fmt: skip


def bars(values: Sequence[float], left: float, right: float, up: Scale) -> str:
    """The path of all bars; neighbours of one height are one step, and few bars stand apart."""
    if not values:
        return ""
    width = (right - left) / len(values)
    gap = 1.0 if width >= 5.0 else 0.0
    zero = up(0.0)
    parts: list[str] = []
    start = 0
    for number in range(1, len(values) + 1):
        if number < len(values) and not gap and abs(values[number] - values[start]) < 1e-9:
            continue
        if abs(values[start]) > 1e-9:
            x, end = left + width * start, left + width * number - gap
            parts.append(f"M{x:.1f} {zero:.1f}V{up(values[start]):.1f}H{end:.1f}V{zero:.1f}z")
        start = number
    return "".join(parts)
