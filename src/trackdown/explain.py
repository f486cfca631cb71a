"""Reasons: the parts of a score, strongest first, as the surfaces show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trackdown.types import Why


@dataclass(frozen=True, slots=True)
class ScorePart:
    """What one signal added to a score, and in words why."""

    signal: str
    value: float
    detail: str


def reasons(parts: Iterable[ScorePart]) -> tuple[Why, ...]:
    """Parts as reasons, strongest first. Their values sum to the score."""
    ordered = sorted(parts, key=lambda part: (-part.value, part.signal))
    return tuple(Why(part.signal, part.value, part.detail) for part in ordered)
