"""What all plots share: the picture around them, texts, axes and grids."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.lab.report.plots.scales import Scale, tick_text
from trackdown.pages.markup import Markup, element

COLOURS = 8
"""How many colours the style sheet has; after that they come again."""


def series(number: int) -> str:
    """The class that colours what belongs to a mode."""
    return f"s{number % COLOURS}"


def picture(width: float, height: float, label: str, *parts: str, **attributes: str | float) -> Markup:
    """An SVG of its natural size that shrinks with the page; `label` says what it shows to those who cannot see it."""
    return element(
        "svg", *parts, viewBox=f"0 0 {width:.0f} {height:.0f}", width=width, height=height, role="img",
        aria_label=label, **attributes,
    )  # fmt: skip


def words(x: float, y: float, text: str, class_: str = "", anchor: str = "start", **attributes: str | float) -> Markup:
    """A text, its line's middle at y."""
    return element("text", text, x=x, y=y + 4.0, class_=class_ or None,
                   text_anchor=None if anchor == "start" else anchor, **attributes)  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def tooltip(text: str) -> Markup:
    """What a mark says when the mouse rests on it."""
    return element("title", text)


def bottom_axis(
    scale: Scale, ticks: Sequence[float], top: float, bottom: float, title: str, *, log: bool = False
) -> list[Markup]:
    """Ticks with lines upward, and what they count."""
    step = 0.0 if log else ticks[1] - ticks[0]
    parts: list[Markup] = []
    for tick in ticks:
        parts.append(line(scale(tick), top, scale(tick), bottom, "grid"))
        parts.append(words(scale(tick), bottom + 13.0, tick_text(tick, step), "tick", "middle"))
    parts.append(words((scale.start + scale.end) / 2, bottom + 32.0, title, "axis", "middle"))
    return parts


def left_axis(scale: Scale, ticks: Sequence[float], left: float, right: float, title: str) -> list[Markup]:
    """Ticks with lines to the right, and what they count, at the top."""
    step = ticks[1] - ticks[0]
    parts: list[Markup] = []
    for tick in ticks:
        parts.append(line(left, scale(tick), right, scale(tick), "grid"))
        parts.append(words(left - 6.0, scale(tick), tick_text(tick, step), "tick", "end"))
    parts.append(words(0.0, scale(ticks[-1]) - 16.0, title, "axis"))
    return parts
