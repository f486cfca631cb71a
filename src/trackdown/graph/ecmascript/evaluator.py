"""What an expression of JavaScript or TypeScript means, along declarations and imports."""

from __future__ import annotations

from functools import partial

from trackdown.graph.ecmascript.classes import held, inherited
from trackdown.graph.ecmascript.exports import ModuleExports
from trackdown.graph.ecmascript.modules import EcmascriptModules
from trackdown.graph.ecmascript.scopes import THIS, EcmascriptScopes
from trackdown.graph.ecmascript.values import (
    NONE,
    OPEN,
    AttributedName,
    Collection,
    CollectionMethod,
    DefinitionValue,
    EcmascriptReadings,
    EcmascriptValue,
    InstanceValue,
    ModuleValue,
    ObjectLiteral,
    collection_method,
    element,
    instance,
    union,
)
from trackdown.graph.evaluator import ChainEvaluator, FileUnit
from trackdown.graph.file_scopes import MODULE_SCOPE, RESULT
from trackdown.graph.program import Definition
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS
from trackdown.units.references import CALLED, NOTHING, UNKNOWN, Chain, ChainPart, Import

_TYPEOF = "typeof "
_NESTED = 3


class EcmascriptEvaluator(ChainEvaluator[FileUnit, EcmascriptReadings]):
    """Evaluates chains in the scopes of a program's files."""

    deepest = 40
    most_steps = 300

    def __init__(self, sources: Sources[EcmascriptScopes], modules: EcmascriptModules) -> None:
        super().__init__(NONE)
        self.scopes = sources.scopes
        self.exports = ModuleExports(self, modules)
        self._names: dict[tuple[int, int, str], EcmascriptReadings] = {}
        self._this: dict[tuple[int, int], EcmascriptReadings] = {}
        self._bases: dict[Definition, EcmascriptReadings] = {}
        self.fields: dict[tuple[int, str, str], EcmascriptReadings] = {}

    def head(self, place: FileUnit, chain: Chain) -> tuple[EcmascriptReadings, int]:
        root, suffixes = chain.parts[0]
        if root == NOTHING:
            found = OPEN
        elif root == "super":
            found = self.bases(self.this(*place))
        else:
            found = self.this(*place) if root == THIS else self.name(*place, root)
        return self._suffixed(found, suffixes), 1

    def step(self, place: FileUnit, found: EcmascriptReadings, part: ChainPart) -> EcmascriptReadings:
        return self._suffixed(self.member(found, part.name), part.suffixes)

    def name(self, file: int, unit: int, name: str) -> EcmascriptReadings:
        """What a name means in a unit; nothing for an undeclared name."""
        scopes = self.scopes(file)
        while True:
            types = scopes.bound(unit, name)
            imports = scopes.imports.get(unit, {}).get(name)
            if types or imports or (unit, name) in scopes.attributed:
                return self._bound((file, unit, name), types or [], imports or [])
            if unit == MODULE_SCOPE:
                return EcmascriptReadings((ModuleValue(file),)) if name in ("module", "exports") else NONE
            unit = scopes.parents.get(unit, MODULE_SCOPE)

    def _bound(self, key: tuple[int, int, str], types: list[str], imports: list[Import]) -> EcmascriptReadings:
        """What the bindings of a name say. A name that depends on itself means nothing."""
        return self.memo.once(self._names, key, lambda: self._readings(key, types, imports), NONE)

    def _readings(self, key: tuple[int, int, str], types: list[str], imports: list[Import]) -> EcmascriptReadings:
        file, unit, name = key
        readings = [self.type(file, unit, one) for one in types]
        readings += [self.exports.imported(file, one)[0] for one in imports]
        found = union(readings)
        if (unit, name) in self.scopes(file).attributed:
            found = found._replace(values=(*found.values, AttributedName(file, unit, name)))
        return found

    def type(self, file: int, unit: int, text: str) -> EcmascriptReadings:
        """What is of a type, as bindings write it."""
        if text == UNKNOWN:
            return OPEN
        if text[0] == "#":
            definition = self.scopes(file).by_unit.get(int(text[1:])) if text[1:].isdecimal() else None
            return EcmascriptReadings((DefinitionValue(definition),)) if definition is not None else NONE
        if text[0] == "{":
            return EcmascriptReadings((ObjectLiteral(file, text[1:-1]),))
        if text.startswith(_TYPEOF) or text.endswith("()"):
            return self.evaluate((file, unit), text.removeprefix(_TYPEOF))
        single = text.removesuffix("[]" * _NESTED).removesuffix("[]").removesuffix("[]")
        found = self.evaluate((file, unit), single)
        values = tuple(instance(value) for value in found.values if not isinstance(value, ModuleValue))
        for _ in range((len(text) - len(single)) // 2):
            values = tuple(Collection(value) for value in values)
        return EcmascriptReadings(values, found.sure, found.open)

    def this(self, file: int, unit: int) -> EcmascriptReadings:
        """What `this` is in a unit."""
        scopes = self.scopes(file)
        unit = scopes.this_unit(unit)
        here = scopes.by_unit.get(unit)
        if here is None:
            return OPEN
        bound = scopes.bound(unit, THIS)
        known = [one for one in bound if one not in (UNKNOWN, THIS)]
        if known:
            said = partial(self._union_of_types, file, unit, known)
            return self.memo.once(self._this, (file, unit), said, OPEN)
        if here.kind != "method" or bound:
            return EcmascriptReadings((InstanceValue(here),))
        owners = scopes.by_symbol.get(here.owner, [])
        around = [one for one in owners if one.start_line <= here.start_line <= one.end_line] or owners
        if around:
            return EcmascriptReadings((InstanceValue(around[-1]),))
        named = self.name(file, scopes.parents.get(unit, MODULE_SCOPE), here.owner.rpartition(".")[2])
        values = (ObjectLiteral(file, here.owner), *map(instance, named.values))
        return EcmascriptReadings(tuple(dict.fromkeys(values)))

    def _union_of_types(self, file: int, unit: int, types: list[str]) -> EcmascriptReadings:
        return union([self.type(file, unit, one) for one in types])

    def bases(self, found: EcmascriptReadings) -> EcmascriptReadings:
        """What the classes among values inherit from."""
        readings = []
        for value in found.values:
            if isinstance(value, InstanceValue | DefinitionValue):
                here = value.definition
                chains = self.scopes(here.file).superclasses.get(here.index)
                if chains:
                    readings.append(self._bases_of(here, chains))
        return union(readings)._replace(sure=found.sure) if readings else NONE

    def _bases_of(self, heir: Definition, chains: list[str]) -> EcmascriptReadings:
        def answer() -> EcmascriptReadings:
            return union([self.evaluate((heir.file, heir.index), chain) for chain in chains])

        return self.memo.once(self._bases, heir, answer, NONE)

    def _suffixed(self, found: EcmascriptReadings, suffixes: tuple[str, ...]) -> EcmascriptReadings:
        for suffix in suffixes:
            found = self._called(found) if suffix == CALLED else element(found)
        return found

    def _called(self, found: EcmascriptReadings) -> EcmascriptReadings:
        given = tuple(value.result for value in found.values if isinstance(value, CollectionMethod))
        if given:
            return EcmascriptReadings(given, found.sure)
        called = [value.definition for value in found.values if isinstance(value, DefinitionValue)]
        if not called:
            return EcmascriptReadings(sure=found.sure, open=found.open)
        result = union([self._result(one) for one in called])
        return EcmascriptReadings(result.values, result.sure and found.sure, result.open or found.open)

    def _result(self, called: Definition) -> EcmascriptReadings:
        """What a call gives: an instance of a class, what a function returns, or what it constructs."""
        if called.kind in CLASS_KINDS:
            return EcmascriptReadings((InstanceValue(called),))
        scopes = self.scopes(called.file)
        types = scopes.bound(called.index, RESULT)
        if types or (called.index, RESULT) in scopes.attributed:
            return self._bound((called.file, called.index, RESULT), types, [])
        if (
            called.symbol in scopes.with_methods
            or called.symbol in scopes.fields
            or called.index in scopes.superclasses
        ):
            return EcmascriptReadings((InstanceValue(called),))
        return OPEN

    def member(self, found: EcmascriptReadings, name: str) -> EcmascriptReadings:
        """What an attribute of a value is."""
        readings = [one for one in (self.member_of(value, name) for value in found.values) if one is not None]
        if not readings:
            return EcmascriptReadings(sure=found.sure, open=found.open)
        result = union(readings)
        return EcmascriptReadings(result.values, result.sure and found.sure, result.open)

    def member_of(self, value: EcmascriptValue, name: str) -> EcmascriptReadings | None:
        """An attribute of one value; None if it has none of that name."""
        if isinstance(value, InstanceValue | DefinitionValue):
            return inherited(self, value.definition, name)
        if isinstance(value, ModuleValue):
            if name == "exports":
                return self.exports.module(value.file)
            found, _ = self.exports.exported(value.file, name)
            return found if found.values or found.open else None
        if isinstance(value, ObjectLiteral):
            scopes = self.scopes(value.file)
            symbol = f"{value.symbol}.{name}"
            definition = scopes.last(symbol)
            if definition is not None:
                return EcmascriptReadings((DefinitionValue(definition),))
            if symbol in scopes.owners:
                return EcmascriptReadings((ObjectLiteral(value.file, symbol),))
            return held(self, value.file, value.symbol, name)
        if isinstance(value, Collection):
            return collection_method(value, name)
        if isinstance(value, AttributedName):
            return self.attribute(value.file, value.unit, f"{value.name}.{name}")
        return None

    def attribute(self, file: int, unit: int, name: str) -> EcmascriptReadings | None:
        """What an attribute means that is bound by its whole name; None if none is."""
        scopes = self.scopes(file)
        types = scopes.bound(unit, name)
        if types or (unit, name) in scopes.attributed:
            return self._bound((file, unit, name), types, [])
        return None
