"""What expressions of JavaScript and TypeScript may mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trackdown.graph.program import Definition

_MOST_VALUES = 8
_GIVES_ONE = frozenset("at find findLast get pop shift".split())
_GIVES_MANY = frozenset("concat filter reverse slice sort splice toReversed toSorted values".split())


@dataclass(frozen=True, slots=True)
class DefinitionValue:
    """A class or function itself."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class or interface, or what a function has constructed."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module: its exports are its attributes."""

    file: int


@dataclass(frozen=True, slots=True)
class ObjectLiteral:
    """An object; the symbols of its functions begin with `symbol`."""

    file: int
    symbol: str


@dataclass(frozen=True, slots=True)
class AttributedName:
    """A name whose attributes are bound one by one."""

    file: int
    unit: int
    name: str


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection."""

    element: EcmascriptValue


@dataclass(frozen=True, slots=True)
class CollectionMethod:
    """A method of a collection, by its result."""

    result: EcmascriptValue


EcmascriptValue = (
    DefinitionValue | InstanceValue | ModuleValue | ObjectLiteral | AttributedName | Collection | CollectionMethod
)


class EcmascriptReadings(NamedTuple):
    """Values of a chain. `sure`: every step had one reading. `open`: it may be something unknown."""

    values: tuple[EcmascriptValue, ...] = ()
    sure: bool = True
    open: bool = False


NONE = EcmascriptReadings()
OPEN = EcmascriptReadings(open=True)


def union(found: Sequence[EcmascriptReadings]) -> EcmascriptReadings:
    """Several readings as one: sure only if all of them are, and agree."""
    if len(found) == 1:
        return found[0]
    values = tuple(dict.fromkeys(value for one in found for value in one.values))[:_MOST_VALUES]
    agreed = all(one.sure and one.values == values for one in found)
    return EcmascriptReadings(values, agreed, any(one.open for one in found))


def instance(value: EcmascriptValue) -> EcmascriptValue:
    """An instance of a class, or what a function constructs; any other value is itself."""
    return InstanceValue(value.definition) if isinstance(value, DefinitionValue) else value


def element(found: EcmascriptReadings) -> EcmascriptReadings:
    """The elements of collections."""
    values = tuple(value.element for value in found.values if isinstance(value, Collection))
    return EcmascriptReadings(values, found.sure, found.open)


def collection_method(value: Collection, name: str) -> EcmascriptReadings | None:
    """A method of a collection that returns an element or elements; None for others."""
    if name in _GIVES_ONE:
        return EcmascriptReadings((CollectionMethod(value.element),))
    return EcmascriptReadings((CollectionMethod(value),)) if name in _GIVES_MANY else None
