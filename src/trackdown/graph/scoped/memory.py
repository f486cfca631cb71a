"""Answers that are worked out once, though the questions may lead back to themselves.

What a question was asked for while it was being answered is not known, and an answer that came about without it is not
kept for others: so that no answer depends on which question was asked first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

_DEEPEST = 30
_MOST_STEPS = 2000

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Memory:
    """Which questions are being answered, and how much was asked for the outermost of them."""

    def __init__(self) -> None:
        self._open: set[tuple[int, Hashable]] = set()
        self._steps = 0
        self._cut = False

    def once(self, kept: dict[Key, Answer], key: Key, answer: Callable[[], Answer], otherwise: Answer) -> Answer:
        """The answer to a question; `otherwise` where it is asked for itself, too deep or too late."""
        if key in kept:
            return kept[key]
        mark = (id(kept), key)
        if mark in self._open or len(self._open) >= _DEEPEST or self._steps >= _MOST_STEPS:
            self._cut = True
            return otherwise
        outermost = not self._open
        self._steps = 1 if outermost else self._steps + 1
        before, self._cut = self._cut and not outermost, False
        self._open.add(mark)
        try:
            found = answer()
        finally:
            self._open.discard(mark)
        if not self._cut:
            kept[key] = found
        self._cut = self._cut or before
        if outermost:
            self._steps = 0
        return found
