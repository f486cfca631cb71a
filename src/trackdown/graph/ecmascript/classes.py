"""Attributes of classes of JavaScript and TypeScript, their own and inherited ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trackdown.graph.ecmascript.values import (
    NONE,
    AttributedName,
    DefinitionValue,
    EcmascriptReadings,
    InstanceValue,
    ObjectLiteral,
    union,
)
from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.program import Definition
from trackdown.types import FUNCTION_KINDS

if TYPE_CHECKING:
    from trackdown.graph.ecmascript.evaluator import EcmascriptEvaluator

_MOST_BASES = 60


def inherited(evaluator: EcmascriptEvaluator, start: Definition, name: str) -> EcmascriptReadings | None:
    """An attribute of a class or of one of its bases, the nearest first; None where none has it."""
    if name == "constructor":
        return EcmascriptReadings((DefinitionValue(start),))
    waiting, seen = [start], {start}
    while waiting and len(seen) < _MOST_BASES:
        here = waiting.pop(0)
        found = _own(evaluator, here, name)
        if found is not None:
            return found
        for value in evaluator.bases(EcmascriptReadings((DefinitionValue(here),))).values:
            if isinstance(value, DefinitionValue | InstanceValue) and value.definition not in seen:
                seen.add(value.definition)
                waiting.append(value.definition)
            elif isinstance(value, ObjectLiteral | AttributedName):
                found = evaluator.member_of(value, name)
                if found is not None:
                    return found
    return None


def _own(evaluator: EcmascriptEvaluator, owner: Definition, name: str) -> EcmascriptReadings | None:
    """An attribute that a class itself has: a method, and the types of its field."""
    scopes = evaluator.scopes(owner.file)
    readings = [one for one in (held(evaluator, owner.file, owner.symbol, name),) if one is not None]
    attribute = evaluator.attribute(owner.file, scopes.parents.get(owner.index, MODULE_SCOPE), f"{owner.name}.{name}")
    readings += [attribute] if attribute is not None else []
    definition = scopes.last(f"{owner.symbol}.{name}", owner)
    if definition is None or (owner.kind in FUNCTION_KINDS and definition.kind == "function"):  # one within another
        return union(readings) if readings else None
    result = union(readings)
    return EcmascriptReadings(
        tuple(dict.fromkeys((DefinitionValue(definition), *result.values))), result.sure, result.open
    )


def held(evaluator: EcmascriptEvaluator, file: int, owner: str, name: str) -> EcmascriptReadings | None:
    """What a field holds of the things whose methods have symbols that begin with `owner`; None where it has none."""
    fields = evaluator.scopes(file).fields.get(owner, {}).get(name)
    if not fields:
        return None

    def answer() -> EcmascriptReadings:
        return union([evaluator.type(file, unit, type_) for unit, type_ in fields])

    return evaluator.memo.once(evaluator.fields, (file, owner, name), answer, NONE)
