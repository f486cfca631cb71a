"""What a Python expression can mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

_MOST_VALUES = 4
ClassKey = tuple[int, int]
"""A class by its file and unit."""


class ValueKind(IntEnum):
    """What a value is. OUTSIDE is known to be nothing in the program."""

    MODULE = 0
    CLASS = 1
    INSTANCE = 2
    FUNCTION = 3
    SUPER = 4
    OUTSIDE = 5
    VARIABLE = 6
    MANY = 7


class PythonValue(NamedTuple):
    """A module by its stem; a class, instance or function by file and unit, a method with the class it is got from.

    MANY holds instances of a class.
    A VARIABLE is a module's name (in `stem`) that something is assigned to, not yet evaluated.
    """

    kind: ValueKind
    file: int = -1
    unit: int = -1
    stem: str = ""
    receiver: ClassKey | None = None


class PythonReadings(NamedTuple):
    """All readings of an expression, and whether they are certain. No values: unknown."""

    values: tuple[PythonValue, ...] = ()
    sure: bool = False


NOTHING = PythonReadings()
OUTSIDE = PythonReadings((PythonValue(ValueKind.OUTSIDE),), True)


def one_reading(value: PythonValue) -> PythonReadings:
    """A value that is certain."""
    return PythonReadings((value,), True)


def unsure(found: PythonReadings) -> PythonReadings:
    """The same readings, as some among others."""
    return PythonReadings(found.values, False) if found.sure else found


def either(readings: Sequence[PythonReadings]) -> PythonReadings:
    """Several readings as one: sure if all are and they agree. Outside values only count if there are no others."""
    if len(readings) == 1:
        return readings[0]
    values: dict[PythonValue, None] = {}
    for one in readings:
        values.update(dict.fromkeys(one.values))
    inside = [value for value in values if value.kind != ValueKind.OUTSIDE]
    same = len({one.values for one in readings}) == 1
    return PythonReadings(tuple(inside or values)[:_MOST_VALUES], same and all(one.sure for one in readings))


def for_each(found: PythonReadings, step: Callable[[PythonValue], PythonReadings]) -> PythonReadings:
    """Apply a step to every reading."""
    if len(found.values) != 1:
        return unsure(either([step(value) for value in found.values]))
    one = step(found.values[0])
    return one if found.sure else unsure(one)


def linearised(start: ClassKey, orders: list[list[ClassKey]]) -> tuple[ClassKey, ...]:
    """A class, then its bases in C3 order; where no order suits all, the first base that is left."""
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
