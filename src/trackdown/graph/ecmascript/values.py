"""What expressions of JavaScript and TypeScript may stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trackdown.graph.program import Definition

_MOST_VALUES = 8
_GIVES_ONE = frozenset({"at", "find", "findLast", "get", "pop", "shift"})
_GIVES_MANY = frozenset({"concat", "filter", "reverse", "slice", "sort", "splice", "toReversed", "toSorted", "values"})


@dataclass(frozen=True, slots=True)
class Itself:
    """A class or function itself."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class or interface, or what a function has constructed."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class Module:
    """A module: its exports are its attributes."""

    file: int


@dataclass(frozen=True, slots=True)
class Literal:
    """An object, whose functions have symbols that begin so."""

    file: int
    symbol: str


@dataclass(frozen=True, slots=True)
class Attributed:
    """A name with attributes that were bound one by one."""

    file: int
    unit: int
    name: str


@dataclass(frozen=True, slots=True)
class Many:
    """A collection."""

    element: Value


@dataclass(frozen=True, slots=True)
class Giving:
    """A method of a collection, by what it gives."""

    result: Value


Value = Itself | Instance | Module | Literal | Attributed | Many | Giving


class Found(NamedTuple):
    """Values of a chain. `sure`: there was one reading at every step. `open`: it may be something we cannot see."""

    values: tuple[Value, ...] = ()
    sure: bool = True
    open: bool = False


NONE = Found()
OPEN = Found(open=True)


def union(found: Sequence[Found]) -> Found:
    """Several readings as one: sure only where all of them are, and say the same."""
    if len(found) == 1:
        return found[0]
    values = tuple(dict.fromkeys(value for one in found for value in one.values))[:_MOST_VALUES]
    agreed = all(one.sure and one.values == values for one in found)
    return Found(values, agreed, any(one.open for one in found))


def instance(value: Value) -> Value:
    """What is constructed by calling a value, or is of it as a type; anything else is that itself."""
    return Instance(value.definition) if isinstance(value, Itself) else value


def element(found: Found) -> Found:
    """What a collection holds."""
    values = tuple(value.element for value in found.values if isinstance(value, Many))
    return Found(values, found.sure, found.open)


def collection_method(value: Many, name: str) -> Found | None:
    """A method of a collection, where it gives an element or elements; None for others."""
    if name in _GIVES_ONE:
        return Found((Giving(value.element),))
    return Found((Giving(value),)) if name in _GIVES_MANY else None
