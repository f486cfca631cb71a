"""A reliability diagram as an SVG file of its own: the share of answers that were right, by their probability."""

from __future__ import annotations

from collections.abc import Mapping

from trackdown.lab.measure import CalibrationScores
from trackdown.lab.report.axes import Scale, bottom_axis, left_axis, line, picture, tooltip, words
from trackdown.pages import Markup, element

_SIDE, _LEFT, _TOP, _BOTTOM = 340.0, 44.0, 34.0, 46.0
_TICKS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
_COLOURS = ("#2f6fb5", "#b3641b", "#1c7a4a", "#7452bd")
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#59616a}.grid{stroke:#e3e3de}.even{stroke:#8b9198;stroke-dasharray:4 4}"
    "svg{background:#fff}"
)


def reliability_diagram(scores: Mapping[str, CalibrationScores]) -> str:
    """An SVG document with a line for each name; on the diagonal, probabilities come true."""
    across, up = Scale(0.0, 1.0, _LEFT, _LEFT + _SIDE), Scale(0.0, 1.0, _TOP + _SIDE, _TOP)
    right, bottom = _LEFT + _SIDE, _TOP + _SIDE
    parts: list[Markup] = [element("style", Markup(_STYLE))]
    parts += bottom_axis(across, _TICKS, _TOP, bottom, "probability that a right place is shown")
    parts += left_axis(up, _TICKS, _LEFT, right, "share of answers that show one")
    parts.append(line(across(0.0), up(0.0), across(1.0), up(1.0), "even"))
    for number, (name, one) in enumerate(scores.items()):
        parts += _curve(name, one, across, up, _COLOURS[number % len(_COLOURS)])
        text = f"{name}: ECE {one.ece:.3f}, AUROC {one.auroc:.2f}, {one.count} answers"
        parts.append(words(_LEFT + 10.0, _TOP + 12.0 + 17.0 * number, text, fill=_COLOURS[number % len(_COLOURS)]))
    told = "; ".join(f"{name}, ECE {one.ece:.3f}" for name, one in scores.items())
    shown = picture(right + 14.0, bottom + _BOTTOM, told, *parts, xmlns="http://www.w3.org/2000/svg")
    return f"{shown}\n"


def _curve(name: str, one: CalibrationScores, across: Scale, up: Scale, colour: str) -> list[Markup]:
    points = [(across(bin_.expected), up(bin_.observed)) for bin_ in one.bins]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [element("polyline", points=joined, fill="none", stroke=colour, stroke_width=2)]
    for (x, y), bin_ in zip(points, one.bins, strict=True):
        told = tooltip(f"{name}: {bin_.count} answers at {bin_.expected:.2f}, {bin_.observed:.2f} right")
        parts.append(element("circle", told, cx=x, cy=y, r=4, fill=colour))
    return parts
