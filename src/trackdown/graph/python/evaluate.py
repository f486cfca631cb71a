"""What a Python expression means: names in scopes, attributes along bases, results of calls."""

from __future__ import annotations

from collections.abc import Callable

from trackdown.graph.evaluator import ChainEvaluator, FileUnit
from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.program import Definition
from trackdown.graph.python.fixtures import Fixtures
from trackdown.graph.python.imports import BUILTINS, ImportedNames
from trackdown.graph.python.modules import PythonModules
from trackdown.graph.python.scopes import Entry, PythonScopes
from trackdown.graph.python.values import (
    NOTHING,
    OUTSIDE,
    ClassKey,
    PythonReadings,
    PythonValue,
    ValueKind,
    either,
    for_each,
    linearised,
    one_reading,
    unsure,
)
from trackdown.graph.sources import Sources
from trackdown.units.references import ELEMENT, UNKNOWN, Binding, Chain, ChainPart, Import

_EMPTY_BASES = frozenset({"object", "Generic", "Protocol", "ABC"})
_ITSELF = ("self", "cls()", "self.__class__()")
ResolutionOrder = tuple[tuple[ClassKey, ...], bool]
"""A class and its bases in the order in which Python searches them, and whether the program contains all of them."""


class PythonEvaluator(ChainEvaluator[FileUnit, PythonReadings]):
    """Evaluates chains in the scopes of a program's Python files."""

    deepest = 60
    most_steps = 3000

    def __init__(self, sources: Sources[PythonScopes], modules: PythonModules) -> None:
        super().__init__(NOTHING)
        self._modules = modules
        self._names: dict[tuple[int, int, str], PythonReadings] = {}
        self._variables: dict[tuple[int, str], PythonReadings] = {}
        self._members: dict[tuple[int, int, str, bool], PythonReadings] = {}
        self._results: dict[tuple[int, int, ClassKey | None], PythonReadings] = {}
        self._orders: dict[ClassKey, ResolutionOrder] = {}
        self._imports = ImportedNames(sources, modules, self.memo)
        self._fixtures = Fixtures(modules, self._imports)
        self._protocols: dict[str, Callable[[PythonValue], PythonReadings]] = {
            "__enter__": self._entered,
            "__iter__": self._item,
            "__getitem__": self._element,
        }
        self.scopes = self._imports.scopes
        self.imported = self._imports.imported

    def evaluate(self, place: FileUnit, chain: str) -> PythonReadings:
        """What a chain means at a place. Names, members and results are cached, so that whole chains need not be."""
        return self._name(*place, chain) if chain.isidentifier() else self.follow(place, chain)

    def head(self, place: FileUnit, chain: Chain) -> tuple[PythonReadings, int]:
        file, unit = place
        first = chain.parts[0]
        if first.name == "super" and first.is_called:
            owner = self.scopes(file).class_around(unit)
            return (NOTHING if owner is None else one_reading(PythonValue(ValueKind.SUPER, file, owner))), 1
        return self._suffixed(self._name(file, unit, first.name), first.suffixes), 1

    def step(self, place: FileUnit, found: PythonReadings, part: ChainPart) -> PythonReadings:
        name, suffixes = part
        if part.is_called and name in self._protocols:
            return self._suffixed(for_each(found, self._protocols[name]), suffixes[1:])
        return self._suffixed(for_each(found, lambda value: self._attribute(value, name)), suffixes)

    def _suffixed(self, found: PythonReadings, suffixes: tuple[str, ...]) -> PythonReadings:
        for suffix in suffixes:
            found = for_each(found, _many if suffix == ELEMENT else self._call)
        return found

    # Names

    def _name(self, file: int, unit: int, name: str) -> PythonReadings:
        """Function by function outwards, then the module, then what is built in."""
        scopes = self.scopes(file)
        scope, direct = unit, True
        while scope != MODULE_SCOPE:
            is_class = scope in scopes.classes
            outer = scopes.parents.get(scope, MODULE_SCOPE)
            if direct or not is_class:
                if name in scopes.names.get(scope, ()):
                    return self._bound(file, scope, name)
                if name in ("self", "cls") and not is_class and outer in scopes.classes:
                    return PythonReadings(
                        (PythonValue(ValueKind.INSTANCE if name == "self" else ValueKind.CLASS, file, outer),), True
                    )
            scope, direct = outer, False
        found = self._held(self._imports.exported(file, name))
        if found.values or name in scopes.module_names:
            return found
        if name in BUILTINS:
            return OUTSIDE
        around = scopes.class_around(unit)  # annotations of a method see the names of its class
        if around is not None and name in scopes.names.get(around, ()):
            return self._bound(file, around, name)
        return NOTHING

    def _bound(self, file: int, scope: int, name: str) -> PythonReadings:
        """What a name means that a function or class binds."""
        return self.memo.once(self._names, (file, scope, name), lambda: self._entries(file, scope, name), NOTHING)

    def _entries(self, file: int, scope: int, name: str) -> PythonReadings:
        entries = self._imports.effective(file, self.scopes(file).names[scope][name])
        found = either([self._entry(file, scope, entry) for entry in entries])
        if not found.values and all(isinstance(one, Binding) and one.type == UNKNOWN for one in entries):
            fixtures = self._fixtures.named(file, scope, name)
            found = unsure(either([self._result(*fixture, None) for fixture in fixtures])) if fixtures else found
        return found

    def _entry(self, file: int, scope: int, entry: Entry) -> PythonReadings:
        if isinstance(entry, Definition):
            return one_reading(self._imports.defined(entry))
        if isinstance(entry, Import):
            return self._held(self._imports.reached(file, entry))
        if entry.type == UNKNOWN:
            return NOTHING
        if entry.type.removesuffix("()") == entry.name and scope != MODULE_SCOPE:  # `x: x`, `x = x`: the one outside
            return self.evaluate((file, self.scopes(file).parents.get(scope, MODULE_SCOPE)), entry.type)
        return self.evaluate((file, entry.unit), entry.type)

    def _held(self, found: PythonReadings) -> PythonReadings:
        """Replace variables of modules by what they hold."""
        if all(value.kind != ValueKind.VARIABLE for value in found.values):
            return found
        return for_each(
            found,
            lambda value: self._variable(value) if value.kind == ValueKind.VARIABLE else one_reading(value),
        )

    def _variable(self, value: PythonValue) -> PythonReadings:
        key = (value.file, value.stem)
        return self.memo.once(self._variables, key, lambda: self._assigned(*key), NOTHING)

    def _assigned(self, file: int, name: str) -> PythonReadings:
        entries = self.scopes(file).module_names.get(name, ())
        return either([self._entry(file, MODULE_SCOPE, one) for one in entries if isinstance(one, Binding)])

    # Attributes

    def _attribute(self, value: PythonValue, name: str) -> PythonReadings:
        kind = value.kind
        if kind in (ValueKind.CLASS, ValueKind.INSTANCE):
            if name == "__class__":
                return one_reading(PythonValue(ValueKind.CLASS, value.file, value.unit))
            return self.member(value.file, value.unit, name)
        if kind == ValueKind.MODULE:
            file = self._modules.file(value.stem)
            found = self._held(self._imports.exported(file, name)) if file is not None else NOTHING
            inner = f"{value.stem}/{name}"
            if not found.values and self._modules.exists(inner):
                return one_reading(PythonValue(ValueKind.MODULE, stem=inner))
            return found
        if kind == ValueKind.SUPER:
            return self.member(value.file, value.unit, name, above=True)
        return OUTSIDE

    def member(self, file: int, unit: int, name: str, *, above: bool = False) -> PythonReadings:
        """What a class and its bases bind a name to, the first of them in the order of resolution."""
        key = (file, unit, name, above)
        return self.memo.once(self._members, key, lambda: self._member(*key), NOTHING)

    def _member(self, file: int, unit: int, name: str, above: bool) -> PythonReadings:
        order, complete = self._resolution_order((file, unit))
        bound = False
        for owner in order[1:] if above else order:
            found = self._own_member(owner, name, (file, unit))
            if found is not None and found.values:
                return unsure(found) if bound else found
            bound = bound or found is not None
        return NOTHING if complete or bound else OUTSIDE

    def _own_member(self, owner: ClassKey, name: str, receiver: ClassKey) -> PythonReadings | None:
        """What a class itself binds a name to; None if it doesn't."""
        file, unit = owner
        scopes = self.scopes(file)
        entries = scopes.names.get(unit, {}).get(name, [])
        attributes = scopes.attributes.get(unit, {}).get(name, ())
        if not entries and not attributes:
            return None
        definitions = [one for one in entries if isinstance(one, Definition)]
        if not definitions:
            found = [for_each(self._entry(file, unit, one), self._got) for one in entries]
            return either([*found, *(self._entry(file, one.unit, one) for one in attributes)])
        if scopes.is_property(definitions[0].index):
            return self._result(file, definitions[0].index, receiver)
        effective = self._imports.effective(file, list(definitions))
        values = [self._imports.defined(one) for one in effective if isinstance(one, Definition)]
        return either([one_reading(one._replace(receiver=receiver)) for one in values])

    def _got(self, value: PythonValue) -> PythonReadings:
        """What reading a class attribute gives: for a descriptor, the result of `__get__`."""
        getter = self.member(value.file, value.unit, "__get__") if value.kind == ValueKind.INSTANCE else NOTHING
        if any(one.kind == ValueKind.FUNCTION for one in getter.values):
            return for_each(getter, self._call)
        return one_reading(value)

    def _resolution_order(self, start: ClassKey) -> ResolutionOrder:
        """The order in which Python searches a class and its bases."""
        return self.memo.once(self._orders, start, lambda: self._ordered(start), ((start,), False))

    def _ordered(self, start: ClassKey) -> ResolutionOrder:
        file, unit = start
        scopes = self.scopes(file)
        outer = scopes.parents.get(unit, MODULE_SCOPE)
        orders: list[list[ClassKey]] = []
        complete = True
        for chain in scopes.bases.get(unit, ()):
            values = self.evaluate((file, outer), chain).values
            parents = [(one.file, one.unit) for one in values if one.kind in (ValueKind.CLASS, ValueKind.INSTANCE)]
            complete = complete and (bool(parents) or chain.rpartition(".")[2] in _EMPTY_BASES)
            for parent in parents:
                order, whole = self._resolution_order(parent)
                complete = complete and whole
                orders.append([one for one in order if one != start])
        return linearised(start, orders), complete

    # Calls

    def _call(self, value: PythonValue) -> PythonReadings:
        if value.kind == ValueKind.CLASS:
            return one_reading(PythonValue(ValueKind.INSTANCE, value.file, value.unit))
        if value.kind == ValueKind.FUNCTION:
            return self._result(value.file, value.unit, value.receiver)
        if value.kind == ValueKind.INSTANCE:
            method = self.member(value.file, value.unit, "__call__")
            return for_each(method, lambda one: self._call(one) if one.kind == ValueKind.FUNCTION else NOTHING)
        return OUTSIDE if value.kind == ValueKind.OUTSIDE else NOTHING

    def _entered(self, value: PythonValue) -> PythonReadings:
        """What `with` binds: the result of entering, or if that is unknown, what is entered."""
        for name in ("__enter__", "__aenter__"):
            found = for_each(self._attribute(value, name), self._call)
            if any(one.kind != ValueKind.OUTSIDE for one in found.values):
                return found
        return PythonReadings((value,), False)

    def _item(self, value: PythonValue) -> PythonReadings:
        """What a loop gives."""
        if value.kind == ValueKind.MANY:
            return one_reading(value._replace(kind=ValueKind.INSTANCE))
        if value.kind not in (ValueKind.CLASS, ValueKind.INSTANCE):
            return NOTHING
        for name in ("__iter__", "__aiter__"):
            found = for_each(self.member(value.file, value.unit, name), self._call)
            if found.values:
                return for_each(found, lambda one: self._item(one) if one.kind == ValueKind.MANY else NOTHING)
        return NOTHING

    def _element(self, value: PythonValue) -> PythonReadings:
        """What an index gives."""
        if value.kind in (ValueKind.CLASS, ValueKind.INSTANCE):
            found = for_each(self.member(value.file, value.unit, "__getitem__"), self._call)
            return found if any(one.kind != ValueKind.OUTSIDE for one in found.values) else NOTHING
        return self._item(value)

    def _result(self, file: int, unit: int, receiver: ClassKey | None) -> PythonReadings:
        """What a function returns: by its annotation, or else by its return statements."""
        if unit not in self.scopes(file).returns:
            return NOTHING
        key = (file, unit, receiver)
        return self.memo.once(self._results, key, lambda: self._returned(*key), NOTHING)

    def _returned(self, file: int, unit: int, receiver: ClassKey | None) -> PythonReadings:
        scopes = self.scopes(file)
        declared, traced = scopes.returns[unit]
        instance = one_reading(PythonValue(ValueKind.INSTANCE, *receiver)) if receiver is not None else NOTHING
        outer = scopes.parents.get(unit, MODULE_SCOPE)
        if declared:
            return either([instance if _is_self(one) else self._typed(file, outer, one) for one in declared])
        return unsure(either([instance if one in _ITSELF else self._typed(file, unit, one) for one in traced]))

    def _typed(self, file: int, scope: int, chain: str) -> PythonReadings:
        return self.evaluate((file, scope), chain) if chain != UNKNOWN else NOTHING


def _many(value: PythonValue) -> PythonReadings:
    return (
        one_reading(PythonValue(ValueKind.MANY, value.file, value.unit)) if value.kind == ValueKind.CLASS else NOTHING
    )


def _is_self(declared: str) -> bool:
    return declared.rpartition(".")[2] == "Self()"
