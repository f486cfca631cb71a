"""Recall over k: how much of what is wanted stands within the first k, one line per mode."""

from __future__ import annotations

from trackdown.lab.report.plots.frame import COLOURS, bottom_axis, left_axis, line, picture, series, tooltip, words
from trackdown.lab.report.plots.scales import Scale, round_ticks, spread_out
from trackdown.lab.report.summary import CURVE_KS, Summary
from trackdown.lab.report.wording import score
from trackdown.pages.markup import Markup, element

_TICKS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_LEFT = 38.0
_TOP = 30.0


def recall_plot(summary: Summary, width: float) -> Markup:
    """The picture, so many px wide."""
    bottom = 300.0 if width > 450 else 260.0
    right = width - 40.0
    ticks = round_ticks(0.0, max(0.02, *(mode.recall[-1] for mode in summary.modes)))
    across = Scale(1.0, 100.0, _LEFT, right, logarithmic=True)
    up = Scale(0.0, ticks[-1], bottom, _TOP)
    parts = left_axis(up, ticks, _LEFT, right, "recall")
    parts += bottom_axis(across, _TICKS, _TOP, bottom, "k: places looked at, from the top (log scale)", log=True)
    for number, mode in enumerate(summary.modes):
        points = " ".join(f"{across(k):.1f},{up(mode.recall[k - 1]):.1f}" for k in CURVE_KS)
        dashed = "4 3" if number >= COLOURS else None
        parts.append(element("polyline", points=points, class_=f"curve {series(number)}", stroke_dasharray=dashed))
    parts += [dot for number in range(len(summary.modes)) for dot in _dots(summary, number, across, up)]
    parts += _ends(summary, up, right)
    told = "; ".join(f"{mode.letter} {mode.label} {score(mode.recall[9])}" for mode in summary.modes)
    return picture(width, bottom + 44.0, f"Recall over k from 1 to 100. Within the first 10: {told}", *parts)


def _dots(summary: Summary, number: int, across: Scale, up: Scale) -> list[Markup]:
    mode = summary.modes[number]
    return [
        element(
            "circle", tooltip(f"{mode.letter} {mode.label}: R@{k} = {score(mode.recall[k - 1])}"),
            cx=across(k), cy=up(mode.recall[k - 1]), r=3.0, class_=f"dot {series(number)}",
        )
        for k in summary.ks if k <= CURVE_KS[-1]
    ]  # fmt: skip


def _ends(summary: Summary, up: Scale, right: float) -> list[Markup]:
    """Letters behind the lines' ends, moved apart where ends meet."""
    ends = [up(mode.recall[-1]) for mode in summary.modes]
    parts = []
    for number, (end, place) in enumerate(zip(ends, spread_out(ends, 14.0, up.end, up.start), strict=True)):
        parts.append(line(right + 2.0, end, right + 13.0, place, f"leader {series(number)}"))
        parts.append(words(right + 16.0, place, summary.modes[number].letter, f"letter {series(number)}"))
    return parts
