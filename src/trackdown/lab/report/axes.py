"""The frame of every plot: scales, round ticks, axes, texts and their widths."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trackdown.lab.report.wording import MINUS
from trackdown.pages import Markup, element

COLOURS = 8
"""How many colours the style sheet has; after that they come again."""


def series(number: int) -> str:
    """The class that colours what belongs to a mode."""
    return f"s{number % COLOURS}"


def picture(width: float, height: float, label: str, *parts: str, **attributes: str | float) -> Markup:
    """An SVG of its natural size that shrinks with the page; `label` describes it to screen readers."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        **attributes,
    )


def words(x: float, y: float, text: str, class_: str = "", anchor: str = "start", **attributes: str | float) -> Markup:
    """A text, its line's middle at y."""
    return element(
        "text",
        text,
        x=x,
        y=y + 4.0,
        class_=class_ or None,
        text_anchor=None if anchor == "start" else anchor,
        **attributes,
    )


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


FONT = 12.0
"""The size of every text in a plot, in px; the style sheet sets the same."""

_NARROW = frozenset("iIjlftr.,:;|!'`()[]{}/\\ -")
_BROAD = frozenset("mwMW@%—…")


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` … `high` to `start` … `end`, linear or in orders of magnitude."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (self._measure(number) for number in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (min(max(value, low), high) - low) / (high - low)

    def _measure(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, at most `most` of them."""
    span = max(high - low, 1e-6)
    for exponent in range(math.floor(math.log10(span)) - 2, math.floor(math.log10(span)) + 3):
        for digit in (1.0, 2.0, 2.5, 5.0):
            step = digit * 10.0**exponent
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first + 1 <= most and last > first:
                return [round(number * step, 10) for number in range(first, last + 1)]
    return [low, high]


def magnitude_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, 20, … from at or below `low` to at or above `high`."""
    series = [digit * 10.0**exponent for exponent in range(-4, 10) for digit in (1, 2, 5)]
    first = max((number for number, tick in enumerate(series) if tick <= low), default=0)
    last = min((number for number, tick in enumerate(series) if tick >= high), default=len(series) - 1)
    return series[first : max(last, first + 1) + 1]


def thinned(ticks: Sequence[float], most: int = 8) -> list[float]:
    """All of them, or only powers of ten when there are too many."""
    if len(ticks) <= most:
        return list(ticks)
    return [tick for tick in ticks if math.isclose(math.log10(tick) % 1, 0.0, abs_tol=1e-9)]


def tick_text(value: float, step: float = 0.0) -> str:
    """A tick's number: with the digits that its step needs, or as short as it can be."""
    if step:
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{value:.{digits + (round(step * 10**digits, 6) % 1 > 0)}f}".replace("-", MINUS)
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def text_width(text: str, size: float = FONT) -> float:
    """About how many px a text takes; rather too many than too few."""
    return size * sum(map(_sign_width, text))


def _sign_width(sign: str) -> float:
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.05
    if sign in _NARROW:
        return 0.4
    return 1.0 if sign in _BROAD else 0.74 if sign.isupper() else 0.63


def shortened(text: str, width: float, size: float = FONT) -> str:
    """A text that fits into `width` px, without its middle if need be: both ends of names tell them apart."""
    if text_width(text, size) <= width:
        return text
    kept = len(text)
    while kept > 2:
        kept -= 1
        head = (kept + 1) // 2
        cut = f"{text[:head].rstrip()}…{text[len(text) - (kept - head) :].lstrip()}"
        if text_width(cut, size) <= width:
            return cut
    return f"{text[:1]}…"


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the wanted ones, in their order, at least a gap apart, between low and high if there is room."""
    gap = min(gap, (high - low) / max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    positions = _blocks([wanted[number] for number in order], gap, low, high)
    placed = dict(zip(order, positions, strict=True))
    return [placed[number] for number in range(len(wanted))]


def _blocks(wanted: Sequence[float], gap: float, low: float, high: float) -> Iterator[float]:
    """Neighbours that would touch move apart around their common middle."""
    blocks: list[list[float]] = []
    for value in wanted:
        blocks.append([value])
        while len(blocks) > 1 and _start(blocks[-2], gap, low, high) + gap * len(blocks[-2]) > _start(
            blocks[-1], gap, low, high
        ):
            last = blocks.pop()
            blocks[-1] += last
    for block in blocks:
        start = _start(block, gap, low, high)
        yield from (start + gap * number for number in range(len(block)))


def _start(block: Sequence[float], gap: float, low: float, high: float) -> float:
    length = gap * (len(block) - 1)
    return min(max(sum(block) / len(block) - length / 2, low), high - length)
