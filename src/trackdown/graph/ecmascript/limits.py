"""Bounds on following names: how deep, how far, and never in a circle."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Answer = TypeVar("Answer")
_DEEPEST = 40
_MOST_STEPS = 100_000
"""What one file may cost: steps from name to name."""


class Limits:
    """Counts steps and remembers what is being followed. `cuts` grows when an answer is not the whole one."""

    def __init__(self) -> None:
        self.cuts = 0
        self._steps = 0
        self._depth = 0
        self._active: set[Hashable] = set()

    def begin(self) -> None:
        """A new file: it may cost as much as another."""
        self._steps = 0

    def step(self) -> bool:
        """One step more; False when there were enough."""
        self._steps += 1
        if self._steps > _MOST_STEPS or self._depth >= _DEEPEST:
            self.cuts += 1
            return False
        return True

    def once(self, memory: dict[Hashable, Answer], key: Hashable, answer: Callable[[], Answer], none: Answer) -> Answer:
        """An answer that is remembered. What is asked for while it is being answered is `none`, and then not kept."""
        if key in memory:
            return memory[key]
        cuts = self.cuts
        if not self._enter(key):
            return none
        try:
            found = answer()
        finally:
            self._leave(key)
        if cuts == self.cuts:
            memory[key] = found
        return found

    def _enter(self, key: Hashable) -> bool:
        if key in self._active or self._depth >= _DEEPEST:
            self.cuts += 1
            return False
        self._active.add(key)
        self._depth += 1
        return True

    def _leave(self, key: Hashable) -> None:
        self._active.discard(key)
        self._depth -= 1
