"""What a Python expression can stand for, and how answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

_DEEPEST = 60
_MOST_STEPS = 3000
_MOST_VALUES = 4
T = TypeVar("T")
ClassKey = tuple[int, int]
"""A class by its file and unit."""


class Kind(IntEnum):
    """What a value is. OUTSIDE is known to be nothing of the program."""

    MODULE = 0
    CLASS = 1
    INSTANCE = 2
    FUNCTION = 3
    SUPER = 4
    OUTSIDE = 5
    VARIABLE = 6
    MANY = 7


class Value(NamedTuple):
    """A module by its stem; a class, instance or function by file and unit, a method with the class it is got from.

    MANY holds instances of a class.
    A VARIABLE is a module's name (in `stem`) that something is assigned to, before anybody asks what.
    """

    kind: Kind
    file: int = -1
    unit: int = -1
    stem: str = ""
    receiver: ClassKey | None = None


class Found(NamedTuple):
    """All readings of an expression, and whether there is only this one. No values: nobody can tell."""

    values: tuple[Value, ...] = ()
    sure: bool = False


NOTHING = Found()
OUTSIDE = Found((Value(Kind.OUTSIDE),), True)


def unsure(found: Found) -> Found:
    """The same as one reading among others."""
    return Found(found.values, False) if found.sure else found


def either(readings: Sequence[Found]) -> Found:
    """All readings as one. It is sure if every reading is and they say the same; outside ones count if alone."""
    if len(readings) == 1:
        return readings[0]
    values: dict[Value, None] = {}
    for one in readings:
        values.update(dict.fromkeys(one.values))
    inside = [value for value in values if value.kind != Kind.OUTSIDE]
    same = len({one.values for one in readings}) == 1
    return Found(tuple(inside or values)[:_MOST_VALUES], same and all(one.sure for one in readings))


def for_each(found: Found, step: Callable[[Value], Found]) -> Found:
    """What a step makes of every reading."""
    if len(found.values) != 1:
        return unsure(either([step(value) for value in found.values]))
    one = step(found.values[0])
    return one if found.sure else unsure(one)


class Memory:
    """Answers that were computed. An evaluation that needs itself, or goes too deep, has no answer at that point.

    What was cut off like that is not kept, so an answer does not depend on what was asked before.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Any] = {}
        self._active: set[tuple[Any, ...]] = set()
        self._steps = 0
        self._cut = False

    def once(self, key: tuple[Any, ...], compute: Callable[..., T], *arguments: Any, otherwise: T) -> T:
        """The answer to `key`: kept, or computed from the arguments, or what it is otherwise."""
        known: T | None = self.known.get(key)
        if known is not None:
            return known
        active = self._active
        if not active:
            self._steps = 0
        self._steps += 1
        if key in active or len(active) >= _DEEPEST or self._steps > _MOST_STEPS:
            self._cut = True
            return otherwise
        before, self._cut = self._cut, False
        active.add(key)
        try:
            result = compute(*arguments)
        finally:
            active.discard(key)
        if not self._cut or not active:
            self.known[key] = result
        self._cut = bool(active) and (self._cut or before)
        return result


def linearised(start: ClassKey, orders: list[list[ClassKey]]) -> tuple[ClassKey, ...]:
    """A class before its bases, each with its own order (C3); where no order suits all, the first that is left."""
    if len(orders) == 1:
        return (start, *orders[0])
    waiting = [order for order in (*orders, [order[0] for order in orders if order]) if order]
    merged = [start]
    while waiting:
        later = {one for order in waiting for one in order[1:]}
        chosen = next((order[0] for order in waiting if order[0] not in later), waiting[0][0])
        merged.append(chosen)
        waiting = [rest for order in waiting if (rest := [one for one in order if one != chosen])]
    return tuple(merged)
