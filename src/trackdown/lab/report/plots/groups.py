"""The chosen metric by repository or category: a group of bars for each."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.lab.report.plots.frame import bottom_axis, line, picture, series, tooltip, words
from trackdown.lab.report.plots.scales import Scale, round_ticks, shortened, text_width
from trackdown.lab.report.summary import Group, Summary
from trackdown.lab.report.wording import named, score
from trackdown.pages.markup import Markup, element

MOST_GROUPS = 30
_TOP = 6.0


def groups_plot(summary: Summary, groups: Sequence[Group], title: str, width: float) -> Markup:
    """The picture, so many px wide. Only the first 30 groups are drawn."""
    groups = groups[:MOST_GROUPS]
    bar = 12.0 if len(summary.modes) <= 2 else 9.0 if len(summary.modes) <= 4 else 7.0
    row = max(24.0, bar * len(summary.modes) + 12.0)
    gutter = min(max(text_width(_name(group)) for group in groups) + 12.0, 0.4 * width)
    tops = [mean for group in groups for mean in group.means if mean is not None]
    ticks = round_ticks(0.0, max(0.02, *tops), 11 if width > 700 else 6 if width > 450 else 5)
    scale = Scale(0.0, ticks[-1], gutter, width - 16.0)
    bottom = _TOP + row * len(groups)
    parts = bottom_axis(scale, ticks, _TOP, bottom, f"{summary.metric} (mean over cases)")
    for number, group in enumerate(groups):
        top = _TOP + row * number
        if number:
            parts.append(line(0.0, top, width, top, "between"))
        parts.append(_label(group, top + row / 2, gutter))
        start = top + (row - bar * len(summary.modes)) / 2
        for place, mean in enumerate(group.means):
            if mean is not None:
                parts.append(_bar(summary, group, place, mean, scale, start + bar * place, bar))
    parts.append(line(gutter, _TOP, gutter, bottom, "zero"))
    label = f"{summary.metric} by {title}, for {len(groups)} of them and every mode: the table below has the figures"
    return picture(width, bottom + 44.0, label, *parts)


def _name(group: Group) -> str:
    return f"{named(group.name)} ({max(group.cases)})"


def _label(group: Group, middle: float, gutter: float) -> Markup:
    """The name may lose its middle, the count may not."""
    count = f" ({max(group.cases)})"
    text = shortened(named(group.name), gutter - 10.0 - text_width(count)) + count
    return element("g", tooltip(_name(group)), words(gutter - 8.0, middle, text, "", "end"))


def _bar(summary: Summary, group: Group, place: int, mean: float, scale: Scale, top: float, bar: float) -> Markup:
    mode = summary.modes[place]
    told = tooltip(f"{named(group.name)}, {mode.letter} {mode.label}: {score(mean)} over {group.cases[place]}")
    return element(
        "rect", told, x=scale.start, y=top + 0.5, width=max(1.0, scale(mean) - scale.start), height=bar - 1.0,
        class_=f"bar {series(place)}",
    )  # fmt: skip
