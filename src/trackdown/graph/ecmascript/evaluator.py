"""What an expression of JavaScript or TypeScript stands for: chains → values, along declarations and imports."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache, partial

from trackdown.graph.ecmascript.classes import held, inherited
from trackdown.graph.ecmascript.exports import Exports
from trackdown.graph.ecmascript.limits import Limits
from trackdown.graph.ecmascript.modules import Modules
from trackdown.graph.ecmascript.tables import RESULT, THIS, TOP, Tables
from trackdown.graph.ecmascript.values import (
    NONE,
    OPEN,
    Attributed,
    Found,
    Giving,
    Instance,
    Itself,
    Literal,
    Many,
    Module,
    Value,
    collection_method,
    element,
    instance,
    union,
)
from trackdown.graph.program import Definition, Program
from trackdown.types import CLASS_KINDS
from trackdown.units.references.facts import BASE, UNKNOWN, Import

_TYPEOF = "typeof "
_NESTED = 3
_SAID_OF_THIS = "this:"


@lru_cache(maxsize=1 << 16)
def _parts(chain: str) -> tuple[tuple[str, str], ...]:
    """`a.b()[].c` → (a, ''), (b, '()[]'), (c, '')."""
    found = []
    for part in chain.split("."):
        name = part.rstrip("()[]")
        found.append((name, part[len(name) :]))
    return tuple(found)


class Evaluator:
    """Evaluates chains. Remembers what names mean, and gives up where that takes too long."""

    def __init__(self, program: Program, modules: Modules) -> None:
        self.limits = Limits()
        self.exports = Exports(self, modules)
        self._program = program
        self._tables: dict[int, Tables] = {}
        self.memory: dict[Hashable, Found] = {}

    def tables(self, file: int) -> Tables:
        """A file's definitions and references, arranged."""
        if file not in self._tables:
            self._tables[file] = Tables(file, self._program.definitions(file), self._program.references(file))
        return self._tables[file]

    def evaluate(self, file: int, unit: int, chain: str) -> Found:
        """What a chain stands for in a unit of a file."""
        if not self.limits.step():
            return OPEN
        parts = _parts(chain)
        root, suffix = parts[0]
        if root == "?":
            found = OPEN
        elif root == "super":
            found = self.bases(self.this(file, unit))
        else:
            found = self.this(file, unit) if root == THIS else self.name(file, unit, root)
        found = self._suffixed(found, suffix)
        for name, suffix in parts[1:]:
            found = self._suffixed(self.member(found, name), suffix)
        return found

    def name(self, file: int, unit: int, name: str) -> Found:
        """What a name means in a unit; nothing for a name that nobody declares."""
        tables = self.tables(file)
        while True:
            types = tables.names.get(unit, {}).get(name)
            imports = tables.imports.get(unit, {}).get(name)
            if types or imports or (unit, name) in tables.attributed:
                return self._bound((file, unit, name), types or [], imports or [])
            if unit == TOP:
                return Found((Module(file),)) if name in ("module", "exports") else NONE
            unit = tables.parents.get(unit, TOP)

    def _bound(self, key: tuple[int, int, str], types: list[str], imports: list[Import]) -> Found:
        """What the bindings of a name say. One that means itself in the end means nothing."""
        return self.limits.once(self.memory, key, lambda: self._readings(key, types, imports), NONE)

    def _readings(self, key: tuple[int, int, str], types: list[str], imports: list[Import]) -> Found:
        file, unit, name = key
        readings = [self.type(file, unit, one) for one in types]
        readings += [self.exports.imported(file, one)[0] for one in imports]
        found = union(readings)
        if (unit, name) in self.tables(file).attributed:
            found = found._replace(values=(*found.values, Attributed(file, unit, name)))
        return found

    def type(self, file: int, unit: int, text: str) -> Found:
        """What is of a type, as bindings write it."""
        if text == UNKNOWN:
            return OPEN
        if text[0] == "#":
            definition = self.tables(file).definitions.get(int(text[1:])) if text[1:].isdecimal() else None
            return Found((Itself(definition),)) if definition is not None else NONE
        if text[0] == "{":
            return Found((Literal(file, text[1:-1]),))
        if text.startswith(_TYPEOF) or text.endswith("()"):
            return self.evaluate(file, unit, text.removeprefix(_TYPEOF))
        single = text.removesuffix("[]" * _NESTED).removesuffix("[]").removesuffix("[]")
        found = self.evaluate(file, unit, single)
        values = tuple(instance(value) for value in found.values if not isinstance(value, Module))
        for _ in range((len(text) - len(single)) // 2):
            values = tuple(Many(value) for value in values)
        return Found(values, found.sure, found.open)

    def this(self, file: int, unit: int) -> Found:
        """What `this` is in a unit."""
        tables = self.tables(file)
        unit = tables.this_unit(unit)
        here = tables.definitions.get(unit)
        if here is None:
            return OPEN
        bound = tables.names.get(unit, {}).get(THIS, [])
        known = [one for one in bound if one not in (UNKNOWN, THIS)]
        if known:
            said = partial(self._union_of_types, file, unit, known)
            return self.limits.once(self.memory, (file, unit, _SAID_OF_THIS), said, OPEN)
        if here.kind != "method" or bound:
            return Found((Instance(here),))
        owners = tables.by_symbol.get(here.owner, [])
        around = [one for one in owners if one.start_line <= here.start_line <= one.end_line] or owners
        if around:
            return Found((Instance(around[-1]),))
        named = self.name(file, tables.parents.get(unit, TOP), here.owner.rpartition(".")[2])
        values = (Literal(file, here.owner), *map(instance, named.values))
        return Found(tuple(dict.fromkeys(values)))

    def _union_of_types(self, file: int, unit: int, types: list[str]) -> Found:
        return union([self.type(file, unit, one) for one in types])

    def bases(self, found: Found) -> Found:
        """What the classes among values inherit from."""
        readings = []
        for value in found.values:
            if isinstance(value, Instance | Itself):
                here = value.definition
                chains = self.tables(here.file).bases.get(here.index)
                if chains:
                    readings.append(self._bases_of(here, chains))
        return union(readings)._replace(sure=found.sure) if readings else NONE

    def _bases_of(self, heir: Definition, chains: list[str]) -> Found:
        def answer() -> Found:
            return union([self.evaluate(heir.file, heir.index, chain) for chain in chains])

        return self.limits.once(self.memory, (heir.file, heir.index, BASE), answer, NONE)

    def _suffixed(self, found: Found, suffix: str) -> Found:
        while suffix:
            found = self._called(found) if suffix.startswith("()") else element(found)
            suffix = suffix[2:]
        return found

    def _called(self, found: Found) -> Found:
        given = tuple(value.result for value in found.values if isinstance(value, Giving))
        if given:
            return Found(given, found.sure)
        called = [value.definition for value in found.values if isinstance(value, Itself)]
        if not called:
            return Found(sure=found.sure, open=found.open)
        result = union([self._result(one) for one in called])
        return Found(result.values, result.sure and found.sure, result.open or found.open)

    def _result(self, called: Definition) -> Found:
        """What a call gives: an instance of a class, what a function returns, or what it constructs."""
        if called.kind in CLASS_KINDS:
            return Found((Instance(called),))
        tables = self.tables(called.file)
        types = tables.names.get(called.index, {}).get(RESULT, [])
        if types or (called.index, RESULT) in tables.attributed:
            return self._bound((called.file, called.index, RESULT), types, [])
        if called.symbol in tables.with_methods or called.symbol in tables.fields or called.index in tables.bases:
            return Found((Instance(called),))
        return OPEN

    def member(self, found: Found, name: str) -> Found:
        """What an attribute of a value is."""
        readings = [one for one in (self.member_of(value, name) for value in found.values) if one is not None]
        if not readings:
            return Found(sure=found.sure, open=found.open)
        result = union(readings)
        return Found(result.values, result.sure and found.sure, result.open)

    def member_of(self, value: Value, name: str) -> Found | None:
        """An attribute of one value; None where it has none of that name."""
        if isinstance(value, Instance | Itself):
            return inherited(self, value.definition, name)
        if isinstance(value, Module):
            if name == "exports":
                return self.exports.module(value.file)
            found, _ = self.exports.exported(value.file, name)
            return found if found.values or found.open else None
        if isinstance(value, Literal):
            tables = self.tables(value.file)
            symbol = f"{value.symbol}.{name}"
            definition = tables.last(symbol)
            if definition is not None:
                return Found((Itself(definition),))
            if symbol in tables.owners:
                return Found((Literal(value.file, symbol),))
            return held(self, value.file, value.symbol, name)
        if isinstance(value, Many):
            return collection_method(value, name)
        if isinstance(value, Attributed):
            return self.attribute(value.file, value.unit, f"{value.name}.{name}")
        return None

    def attribute(self, file: int, unit: int, name: str) -> Found | None:
        """What an attribute stands for that was bound by its whole name; None where none was."""
        tables = self.tables(file)
        types = tables.names.get(unit, {}).get(name, [])
        if types or (unit, name) in tables.attributed:
            return self._bound((file, unit, name), types, [])
        return None
