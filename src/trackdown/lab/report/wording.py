"""How numbers and names are written in every format."""

from __future__ import annotations

from collections.abc import Mapping

from trackdown.lab import CodeLocation
from trackdown.pages import clean

MINUS = "\N{MINUS SIGN}"
NONE = "\N{EN DASH}"


def clean_line(text: str) -> str:
    """Text on one line, without what would steer a terminal."""
    return " ".join(clean(text).split())


def named(text: str) -> str:
    """A name to show: on one line, and never empty."""
    return clean_line(text) or "(no name)"


def place_name(place: CodeLocation) -> str:
    """A file, a symbol in it, or a bare name."""
    return named(str(place) if place.path else place.symbol)


def cut(text: str, length: int) -> str:
    """A text without its end, if that is too long."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def cut_middle(text: str, length: int) -> str:
    """A name without its middle, if that is too long: both ends tell names apart."""
    head = length // 2
    return text if len(text) <= length else f"{text[:head]}…{text[head + 1 - length :]}"


def letters(number: int) -> str:
    """0 → A, 25 → Z, 26 → AA: a short name for a mode."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def score(value: float | None) -> str:
    """A metric."""
    return NONE if value is None else f"{value:.3f}"


def signed(value: float) -> str:
    """A difference of metrics, with its sign; what rounds to zero has none."""
    text = f"{abs(value):.3f}"
    if not float(text):
        return text
    return f"{'+' if value > 0 else MINUS}{text}"


def probability(value: float) -> str:
    """A p-value."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def milliseconds(value: float | None) -> str:
    """A time in ms, with about three digits."""
    if value is None:
        return NONE
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def counted(number: int, what: str) -> str:
    """1 case, 2 cases."""
    several = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 else several}"


def reasons(skipped: Mapping[str, int]) -> str:
    """What was skipped, by reason, the most frequent first."""
    ordered = sorted(skipped.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} × {named(reason)}" for reason, count in ordered)
