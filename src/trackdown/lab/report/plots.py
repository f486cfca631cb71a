"""The plots of the page: scores by mode, recall over k, quality against time, groups of cases, wins and losses."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.lab.report.axes import (
    COLOURS,
    Scale,
    bottom_axis,
    left_axis,
    line,
    magnitude_ticks,
    picture,
    round_ticks,
    series,
    shortened,
    spread_out,
    text_width,
    thinned,
    tooltip,
    words,
)
from trackdown.lab.report.summary import CURVE_KS, Group, Mode, Score, Summary
from trackdown.lab.report.wording import counted, milliseconds, named, score
from trackdown.pages import Markup, element

MOST_GROUPS = 30
_ROW, _BAR = 34.0, 16.0
_TOP, _TOP_WITH_TITLE = 6.0, 30.0
_LEFT, _LEFT_OF_TIMES = 38.0, 46.0
_DOT, _LETTER = 5.0, 7.0
_KS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_DIFFERENCES = (-1.0, -0.5, 0.0, 0.5, 1.0)
_DIRECTIONS = ((0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
_AROUND = [(dx * far, dy * far) for far in (12.0, 20.0, 30.0, 42.0) for dx, dy in _DIRECTIONS]

Point = tuple[float, float]


def scores_plot(summary: Summary, width: float) -> Markup:
    """The plot, `width` px wide."""
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
        element(
            "rect",
            x=scale.start,
            y=middle - _BAR / 2,
            width=scale(one.mean) - scale.start,
            height=_BAR,
            rx=2.0,
            class_=f"bar {series(number)}",
        ),
        element("path", d=whisker, class_="whisker-edge"),
        element("path", d=whisker, class_="whisker"),
        element("path", d=diamond, class_="macro"),
    ]
    return [words(0.0, middle, shortened(name, scale.start - 8.0)), element("g", told, *marks)]


def recall_plot(summary: Summary, width: float) -> Markup:
    """The plot, `width` px wide."""
    bottom = 300.0 if width > 450 else 260.0
    right = width - 40.0
    ticks = round_ticks(0.0, max(0.02, *(mode.recall[-1] for mode in summary.modes)))
    across = Scale(1.0, 100.0, _LEFT, right, logarithmic=True)
    up = Scale(0.0, ticks[-1], bottom, _TOP_WITH_TITLE)
    parts = left_axis(up, ticks, _LEFT, right, "recall")
    parts += bottom_axis(
        across, _KS, _TOP_WITH_TITLE, bottom, "k: places looked at, from the top (log scale)", log=True
    )
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
            "circle",
            tooltip(f"{mode.letter} {mode.label}: R@{k} = {score(mode.recall[k - 1])}"),
            cx=across(k),
            cy=up(mode.recall[k - 1]),
            r=3.0,
            class_=f"dot {series(number)}",
        )
        for k in summary.ks
        if k <= CURVE_KS[-1]
    ]


def _ends(summary: Summary, up: Scale, right: float) -> list[Markup]:
    """Letters behind the lines' ends, moved apart where ends meet."""
    ends = [up(mode.recall[-1]) for mode in summary.modes]
    parts = []
    for number, (end, place) in enumerate(zip(ends, spread_out(ends, 14.0, up.end, up.start), strict=True)):
        parts.append(line(right + 2.0, end, right + 13.0, place, f"leader {series(number)}"))
        parts.append(words(right + 16.0, place, summary.modes[number].letter, f"letter {series(number)}"))
    return parts


def latency_plot(summary: Summary, width: float) -> Markup:
    """The plot, `width` px wide, of the modes that have times: one at least."""
    timed = [(number, mode) for number, mode in enumerate(summary.modes) if mode.p50_ms is not None]
    bottom = 300.0 if width > 450 else 260.0
    right = width - 16.0
    found = [mode.scores[summary.metric] for _, mode in timed]
    low, high = min(one.low for one in found), max(one.high for one in found)
    ticks = round_ticks(max(0.0, low - 0.01), high + 0.01)
    times = [time for _, mode in timed for time in (mode.p50_ms, mode.p95_ms) if time is not None]
    marks = magnitude_ticks(min(times), max(times))
    across = Scale(marks[0], marks[-1], _LEFT_OF_TIMES, right, logarithmic=True)
    up = Scale(ticks[0], ticks[-1], bottom, _TOP_WITH_TITLE)
    parts = left_axis(up, ticks, _LEFT_OF_TIMES, right, summary.metric)
    parts += bottom_axis(across, thinned(marks), _TOP_WITH_TITLE, bottom, "time of a search, ms (log scale)", log=True)
    points = []
    for number, mode in timed:
        points.append((across(mode.p50_ms or 1.0), up(mode.scores[summary.metric].mean)))
        parts += _ways(summary, number, mode, across, up)
    area = (_LEFT_OF_TIMES, _TOP_WITH_TITLE - 6.0, right, bottom)
    for (number, mode), point, place in zip(timed, points, _placed(points, area), strict=True):
        parts += _mark(summary, number, mode, point, place)
    told = "; ".join(
        f"{mode.letter} {mode.label} {milliseconds(mode.p50_ms)} ms, {score(mode.scores[summary.metric].mean)}"
        for _, mode in timed
    )
    return picture(width, bottom + 44.0, f"{summary.metric} against the median time of a search: {told}", *parts)


def _ways(summary: Summary, number: int, mode: Mode, across: Scale, up: Scale) -> list[Markup]:
    one = mode.scores[summary.metric]
    x, y = across(mode.p50_ms or 1.0), up(one.mean)
    end = across(mode.p95_ms or 1.0)
    return [
        line(x, up(one.low), x, up(one.high), f"way {series(number)}"),
        line(x, y, end, y, f"way {series(number)}"),
        line(end, y - 4.0, end, y + 4.0, f"way {series(number)}"),
    ]


def _mark(summary: Summary, number: int, mode: Mode, point: Point, place: Point) -> list[Markup]:
    told = tooltip(
        f"{mode.letter} {mode.label}: {summary.metric} {score(mode.scores[summary.metric].mean)}, "
        f"p50 {milliseconds(mode.p50_ms)} ms, p95 {milliseconds(mode.p95_ms)} ms"
    )
    return [
        line(*point, *place, f"leader {series(number)}"),
        element("circle", told, cx=point[0], cy=point[1], r=_DOT, class_=f"dot {series(number)}"),
        words(*place, mode.letter, f"letter halo {series(number)}", "middle"),
    ]


def _placed(points: Sequence[Point], area: tuple[float, float, float, float]) -> list[Point]:
    """A place for the letter of each dot: the nearest around it that is free of other letters and dots."""
    taken: list[Point] = []
    for point in points:
        candidates = [(point[0] + dx, point[1] + dy) for dx, dy in _AROUND]
        inside = [place for place in candidates if area[0] < place[0] < area[2] and area[1] < place[1] < area[3]]
        free = (
            place
            for place in inside
            if all(_apart(place, other, 2 * _LETTER) for other in taken)
            and all(_apart(place, other, _DOT + _LETTER) for other in points if other != point)
        )
        taken.append(next(free, inside[0] if inside else candidates[0]))
    return taken


def _apart(one: Point, other: Point, distance: float) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= distance


def groups_plot(summary: Summary, groups: Sequence[Group], title: str, width: float) -> Markup:
    """The plot, `width` px wide. Only the first 30 groups are drawn."""
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
        "rect",
        told,
        x=scale.start,
        y=top + 0.5,
        width=max(1.0, scale(mean) - scale.start),
        height=bar - 1.0,
        class_=f"bar {series(place)}",
    )


def differences_plot(summary: Summary, differences: Sequence[float], width: float) -> Markup:
    """The plot, `width` px wide, of the first mode against the last. Differences are sorted, the largest first."""
    bottom = 290.0 if width > 450 else 250.0
    right = width - 8.0
    up = Scale(-1.0, 1.0, bottom, _TOP_WITH_TITLE)
    first, last = summary.modes[0], summary.modes[-1]
    parts = left_axis(up, _DIFFERENCES, _LEFT, right, f"difference of {summary.metric}")
    won = bars([max(0.0, value) for value in differences], _LEFT, right, up)
    lost = bars([min(0.0, value) for value in differences], _LEFT, right, up)
    parts += [
        element("path", d=won, class_=f"bar {series(0)}", data_part="won"),
        element("path", d=lost, class_=f"bar {series(len(summary.modes) - 1)}", data_part="lost"),
        line(_LEFT, up(0.0), right, up(0.0), "zero"),
        words(right - 4.0, _TOP_WITH_TITLE + 10.0, f"{first.letter} better", "axis halo", "end", data_part="above"),
        words(_LEFT + 6.0, bottom - 10.0, f"{last.letter} better", "axis halo", data_part="below"),
        words(
            (_LEFT + right) / 2,
            bottom + 18.0,
            f"{counted(len(differences), 'case')}, sorted by difference",
            "axis",
            "middle",
            data_part="count",
        ),
    ]
    return picture(
        width,
        bottom + 30.0,
        f"Differences of {summary.metric} per case between two modes, sorted",
        *parts,
        class_="differences",
        data_left=_LEFT,
        data_right=right,
        data_top=_TOP_WITH_TITLE,
        data_bottom=bottom,
    )


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
