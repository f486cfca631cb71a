"""Quality against time: a dot per mode, with its interval upward and its way from p50 to p95 to the right."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.lab.report.plots.frame import bottom_axis, left_axis, line, picture, series, tooltip, words
from trackdown.lab.report.plots.scales import Scale, magnitude_ticks, round_ticks, thinned
from trackdown.lab.report.summary import Mode, Summary
from trackdown.lab.report.wording import milliseconds, score
from trackdown.pages.markup import Markup, element

_LEFT = 46.0
_TOP = 30.0
_DOT = 5.0
_LETTER = 7.0
_AROUND = [(dx * far, dy * far) for far in (12.0, 20.0, 30.0, 42.0) for dx, dy in (
    (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))]  # fmt: skip

Point = tuple[float, float]


def latency_plot(summary: Summary, width: float) -> Markup:
    """The picture, so many px wide, of the modes that have times: one at least."""
    timed = [(number, mode) for number, mode in enumerate(summary.modes) if mode.p50_ms is not None]
    bottom = 300.0 if width > 450 else 260.0
    right = width - 16.0
    found = [mode.scores[summary.metric] for _, mode in timed]
    low, high = min(one.low for one in found), max(one.high for one in found)
    ticks = round_ticks(max(0.0, low - 0.01), high + 0.01)
    times = [time for _, mode in timed for time in (mode.p50_ms, mode.p95_ms) if time is not None]
    marks = magnitude_ticks(min(times), max(times))
    across = Scale(marks[0], marks[-1], _LEFT, right, logarithmic=True)
    up = Scale(ticks[0], ticks[-1], bottom, _TOP)
    parts = left_axis(up, ticks, _LEFT, right, summary.metric)
    parts += bottom_axis(across, thinned(marks), _TOP, bottom, "time of a search, ms (log scale)", log=True)
    points = []
    for number, mode in timed:
        points.append((across(mode.p50_ms or 1.0), up(mode.scores[summary.metric].mean)))
        parts += _ways(summary, number, mode, across, up)
    area = (_LEFT, _TOP - 6.0, right, bottom)
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
            place for place in inside
            if all(_apart(place, other, 2 * _LETTER) for other in taken)
            and all(_apart(place, other, _DOT + _LETTER) for other in points if other != point)
        )  # fmt: skip
        taken.append(next(free, inside[0] if inside else candidates[0]))
    return taken


def _apart(one: Point, other: Point, distance: float) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) >= distance
