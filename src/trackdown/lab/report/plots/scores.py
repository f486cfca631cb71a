"""The chosen metric by mode: a bar, its interval as a whisker, the macro average as a diamond."""

from __future__ import annotations

from trackdown.lab.report.plots.frame import bottom_axis, line, picture, series, tooltip, words
from trackdown.lab.report.plots.scales import Scale, round_ticks, shortened, text_width
from trackdown.lab.report.summary import Score, Summary
from trackdown.lab.report.wording import score
from trackdown.pages.markup import Markup, element

_ROW = 34.0
_BAR = 16.0
_TOP = 6.0


def scores_plot(summary: Summary, width: float) -> Markup:
    """The picture, so many px wide."""
    found = [mode.scores[summary.metric] for mode in summary.modes]
    names = [f"{mode.letter} {mode.label}" for mode in summary.modes]
    gutter = min(max(map(text_width, names)) + 10.0, 0.42 * width)
    ticks = round_ticks(0.0, max(0.02, *(max(one.high, one.macro) for one in found)), 6 if width > 450 else 5)
    scale = Scale(0.0, ticks[-1], gutter, width - 58.0)
    bottom = _TOP + _ROW * len(found)
    parts = bottom_axis(scale, ticks, _TOP, bottom, f"{summary.metric} (mean over cases)")
    for number, (name, one) in enumerate(zip(names, found, strict=True)):
        parts += _row(number, name, one, scale, _TOP + _ROW * (number + 0.5))
        parts.append(words(width - 2.0, _TOP + _ROW * (number + 0.5), score(one.mean), "value", "end"))
    parts.append(line(gutter, _TOP, gutter, bottom, "zero"))
    told = "; ".join(f"{name} {score(one.mean)}" for name, one in zip(names, found, strict=True))
    return picture(width, bottom + 44.0, f"{summary.metric} by mode with 95 % intervals: {told}", *parts)


def _row(number: int, name: str, one: Score, scale: Scale, middle: float) -> list[Markup]:
    told = tooltip(
        f"{name}: {score(one.mean)}, 95 % interval {score(one.low)} to {score(one.high)}, macro {score(one.macro)}"
    )
    low, high, macro = scale(one.low), scale(one.high), scale(one.macro)
    whisker = f"M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 5:.1f}v10M{high:.1f} {middle - 5:.1f}v10"
    diamond = f"M{macro:.1f} {middle - 5:.1f}l5 5l-5 5l-5 -5z"
    marks = [
        element("rect", x=scale.start, y=middle - _BAR / 2, width=scale(one.mean) - scale.start, height=_BAR, rx=2.0,
                class_=f"bar {series(number)}"),
        element("path", d=whisker, class_="whisker-edge"),
        element("path", d=whisker, class_="whisker"),
        element("path", d=diamond, class_="macro"),
    ]  # fmt: skip
    return [
        words(0.0, middle, shortened(name, scale.start - 8.0)),
        element("g", told, *marks),
    ]
