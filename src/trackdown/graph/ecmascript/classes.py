"""Attributes of classes of JavaScript and TypeScript, their own and inherited ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trackdown.graph.ecmascript.tables import TOP
from trackdown.graph.ecmascript.values import NONE, Attributed, Found, Instance, Itself, Literal, union
from trackdown.graph.program import Definition
from trackdown.types import FUNCTION_KINDS

if TYPE_CHECKING:
    from trackdown.graph.ecmascript.evaluator import Evaluator

_MOST_BASES = 60


def inherited(evaluator: Evaluator, start: Definition, name: str) -> Found | None:
    """An attribute of a class or of one of its bases, the nearest first; None where none has it."""
    if name == "constructor":
        return Found((Itself(start),))
    waiting, seen = [start], {start}
    while waiting and len(seen) < _MOST_BASES:
        here = waiting.pop(0)
        found = _own(evaluator, here, name)
        if found is not None:
            return found
        for value in evaluator.bases(Found((Itself(here),))).values:
            if isinstance(value, Itself | Instance) and value.definition not in seen:
                seen.add(value.definition)
                waiting.append(value.definition)
            elif isinstance(value, Literal | Attributed):
                found = evaluator.member_of(value, name)
                if found is not None:
                    return found
    return None


def _own(evaluator: Evaluator, owner: Definition, name: str) -> Found | None:
    """An attribute that a class itself has: a method, and what its fields are said to hold."""
    tables = evaluator.tables(owner.file)
    readings = [one for one in (held(evaluator, owner.file, owner.symbol, name),) if one is not None]
    attribute = evaluator.attribute(owner.file, tables.parents.get(owner.index, TOP), f"{owner.name}.{name}")
    readings += [attribute] if attribute is not None else []
    definition = tables.last(f"{owner.symbol}.{name}", owner)
    if definition is None or (owner.kind in FUNCTION_KINDS and definition.kind == "function"):  # one within another
        return union(readings) if readings else None
    result = union(readings)
    return Found(tuple(dict.fromkeys((Itself(definition), *result.values))), result.sure, result.open)


def held(evaluator: Evaluator, file: int, owner: str, name: str) -> Found | None:
    """What a field holds of the things whose methods have symbols that begin with `owner`; None where it has none."""
    fields = evaluator.tables(file).fields.get(owner, {}).get(name)
    if not fields:
        return None

    def answer() -> Found:
        return union([evaluator.type(file, unit, type_) for unit, type_ in fields])

    return evaluator.limits.once(evaluator.memory, (file, owner, f"self.{name}"), answer, NONE)
