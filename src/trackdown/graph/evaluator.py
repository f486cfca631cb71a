"""What a chain means: the one evaluator, into which each language plugs what its names, members and calls give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Generic, TypeVar

from trackdown.graph.memo import RecursiveMemo
from trackdown.units.references import Chain, ChainPart, parse_chain

Place = TypeVar("Place", bound=Hashable)
Readings = TypeVar("Readings")
FileUnit = tuple[int, int]
"""The place of a chain in most languages: the file and the unit in it, -1 for none."""


class ChainEvaluator(ABC, Generic[Place, Readings]):
    """Follows a chain from its head, part by part. `Readings` are what an expression may mean in a language.

    A `Place` says where a chain is: a file and a unit, and whatever else the language's lookup depends on.
    """

    deepest = 30
    """How many questions may lead to one another."""
    most_steps = 2000
    """How many questions one chain may cost."""

    def __init__(self, unknown: Readings) -> None:
        self.memo = RecursiveMemo(self.deepest, self.most_steps)
        self._unknown = unknown
        self._chains: dict[tuple[Place, str], Readings] = {}

    @abstractmethod
    def head(self, place: Place, chain: Chain) -> tuple[Readings, int]:
        """What a chain begins with, and the number of parts that it takes (a class with its package is several)."""

    @abstractmethod
    def step(self, place: Place, found: Readings, part: ChainPart) -> Readings:
        """What a further part of a chain gives."""

    def evaluate(self, place: Place, chain: str) -> Readings:
        """What a chain means at a place; unknown where that depends on itself, or takes too long to find out."""
        key = (place, chain)
        known = self._chains.get(key)
        if known is not None:
            return known
        return self.memo.once(self._chains, key, lambda: self.follow(place, chain), self._unknown)

    def follow(self, place: Place, text: str) -> Readings:
        """The same, worked out anew."""
        chain = parse_chain(text)
        found, used = self.head(place, chain)
        for part in chain.parts[used:]:
            found = self.step(place, found, part)
        return found
