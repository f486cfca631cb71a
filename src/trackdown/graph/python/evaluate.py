"""What a Python expression stands for: names in scopes, attributes along bases, results of calls."""

from __future__ import annotations

from collections.abc import Callable

from trackdown.graph.program import Definition, Program
from trackdown.graph.python.fixtures import Fixtures
from trackdown.graph.python.imports import BUILTINS, Imports
from trackdown.graph.python.modules import Modules
from trackdown.graph.python.scopes import MODULE_SCOPE, Entry
from trackdown.graph.python.values import (
    NOTHING,
    OUTSIDE,
    ClassKey,
    Found,
    Kind,
    Memory,
    Value,
    either,
    for_each,
    linearised,
    unsure,
)
from trackdown.units.references.facts import UNKNOWN, Binding, Import

_EMPTY_BASES = frozenset({"object", "Generic", "Protocol", "ABC"})
_ITSELF = ("self", "cls()", "self.__class__()")


class Evaluator:
    """Evaluates chains in the scopes of a program's Python files."""

    def __init__(self, program: Program, modules: Modules) -> None:
        self._modules = modules
        self._memory = Memory()
        self._imports = Imports(program, modules, self._memory)
        self._fixtures = Fixtures(modules, self._imports)
        self._protocols: dict[str, Callable[[Value], Found]] = {
            "__enter__": self._entered,
            "__iter__": self._item,
            "__getitem__": self._element,
        }
        self.scopes = self._imports.scopes
        self.imported = self._imports.imported

    def evaluate(self, file: int, unit: int, chain: str) -> Found:
        """What a chain stands for in a unit."""
        if chain.endswith("[]"):
            return for_each(self._kept(file, unit, chain[:-2]), _many)
        prefix, _, last = chain.rpartition(".")
        name = last.rstrip("()")
        calls = (len(last) - len(name)) // 2
        if prefix:
            base = self._kept(file, unit, prefix)
            if calls and name in self._protocols:
                calls -= 1
                found = for_each(base, self._protocols[name])
            else:
                found = for_each(base, lambda value: self._attribute(value, name))
        elif name == "super" and calls:
            owner = self.scopes(file).class_around(unit)
            return Found((Value(Kind.SUPER, file, owner),), True) if owner is not None else NOTHING
        else:
            found = self._name(file, unit, name)
        for _ in range(calls):
            found = for_each(found, self._call)
        return found

    def _kept(self, file: int, unit: int, chain: str) -> Found:
        """The same, kept; the names of a scope are kept anyway."""
        if chain.isidentifier():
            return self._name(file, unit, chain)
        return self._memory.once((file, unit, chain), self.evaluate, file, unit, chain, otherwise=NOTHING)

    # Names

    def _name(self, file: int, unit: int, name: str) -> Found:
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
                    return Found((Value(Kind.INSTANCE if name == "self" else Kind.CLASS, file, outer),), True)
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

    def _bound(self, file: int, scope: int, name: str) -> Found:
        """What a name stands for that a function or class binds."""
        return self._memory.once((file, scope, name, 0), self._entries, file, scope, name, otherwise=NOTHING)

    def _entries(self, file: int, scope: int, name: str) -> Found:
        entries = self._imports.effective(file, self.scopes(file).names[scope][name])
        found = either([self._entry(file, scope, entry) for entry in entries])
        if not found.values and all(isinstance(one, Binding) and one.type == UNKNOWN for one in entries):
            fixtures = self._fixtures.named(file, scope, name)
            found = unsure(either([self._result(*fixture, None) for fixture in fixtures])) if fixtures else found
        return found

    def _entry(self, file: int, scope: int, entry: Entry) -> Found:
        if isinstance(entry, Definition):
            return Found((self._imports.defined(entry),), True)
        if isinstance(entry, Import):
            return self._held(self._imports.reached(file, entry))
        if entry.type == UNKNOWN:
            return NOTHING
        if entry.type.removesuffix("()") == entry.name and scope != MODULE_SCOPE:  # `x: x`, `x = x`: the one outside
            return self.evaluate(file, self.scopes(file).parents.get(scope, MODULE_SCOPE), entry.type)
        return self.evaluate(file, entry.unit, entry.type)

    def _held(self, found: Found) -> Found:
        """Variables of modules replaced by what they hold."""
        if all(value.kind != Kind.VARIABLE for value in found.values):
            return found
        return for_each(
            found, lambda value: self._variable(value) if value.kind == Kind.VARIABLE else Found((value,), True)
        )

    def _variable(self, value: Value) -> Found:
        key = (value.file, MODULE_SCOPE, value.stem, 1)
        return self._memory.once(key, self._assigned, value.file, value.stem, otherwise=NOTHING)

    def _assigned(self, file: int, name: str) -> Found:
        entries = self.scopes(file).module_names.get(name, ())
        return either([self._entry(file, MODULE_SCOPE, one) for one in entries if isinstance(one, Binding)])

    # Attributes

    def _attribute(self, value: Value, name: str) -> Found:
        kind = value.kind
        if kind in (Kind.CLASS, Kind.INSTANCE):
            if name == "__class__":
                return Found((Value(Kind.CLASS, value.file, value.unit),), True)
            return self.member(value.file, value.unit, name)
        if kind == Kind.MODULE:
            file = self._modules.file(value.stem)
            found = self._held(self._imports.exported(file, name)) if file is not None else NOTHING
            inner = f"{value.stem}/{name}"
            if not found.values and self._modules.exists(inner):
                return Found((Value(Kind.MODULE, stem=inner),), True)
            return found
        if kind == Kind.SUPER:
            return self.member(value.file, value.unit, name, above=True)
        return OUTSIDE

    def member(self, file: int, unit: int, name: str, *, above: bool = False) -> Found:
        """What a class and its bases bind a name to, the first of them in the order of resolution."""
        key = (file, unit, name, above, 2)
        return self._memory.once(key, self._member, file, unit, name, above, otherwise=NOTHING)

    def _member(self, file: int, unit: int, name: str, above: bool) -> Found:
        order, complete = self._resolution_order((file, unit))
        bound = False
        for owner in order[1:] if above else order:
            found = self._own_member(owner, name, (file, unit))
            if found is not None and found.values:
                return unsure(found) if bound else found
            bound = bound or found is not None
        return NOTHING if complete or bound else OUTSIDE

    def _own_member(self, owner: ClassKey, name: str, receiver: ClassKey) -> Found | None:
        """What a class itself binds a name to; None where it does not."""
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
        return either([Found((one._replace(receiver=receiver),), True) for one in values])

    def _got(self, value: Value) -> Found:
        """What reading a class attribute gives: a descriptor's `__get__` says."""
        getter = self.member(value.file, value.unit, "__get__") if value.kind == Kind.INSTANCE else NOTHING
        if any(one.kind == Kind.FUNCTION for one in getter.values):
            return for_each(getter, self._call)
        return Found((value,), True)

    def _resolution_order(self, start: ClassKey) -> tuple[tuple[ClassKey, ...], bool]:
        """A class and its bases as Python looks through them, and whether all of them are in the program."""
        itself: tuple[tuple[ClassKey, ...], bool] = ((start,), False)
        return self._memory.once(start, self._ordered, start, otherwise=itself)

    def _ordered(self, start: ClassKey) -> tuple[tuple[ClassKey, ...], bool]:
        file, unit = start
        scopes = self.scopes(file)
        outer = scopes.parents.get(unit, MODULE_SCOPE)
        orders: list[list[ClassKey]] = []
        complete = True
        for chain in scopes.bases.get(unit, ()):
            values = self.evaluate(file, outer, chain).values
            parents = [(one.file, one.unit) for one in values if one.kind in (Kind.CLASS, Kind.INSTANCE)]
            complete = complete and (bool(parents) or chain.rpartition(".")[2] in _EMPTY_BASES)
            for parent in parents:
                order, whole = self._resolution_order(parent)
                complete = complete and whole
                orders.append([one for one in order if one != start])
        return linearised(start, orders), complete

    # Calls

    def _call(self, value: Value) -> Found:
        if value.kind == Kind.CLASS:
            return Found((Value(Kind.INSTANCE, value.file, value.unit),), True)
        if value.kind == Kind.FUNCTION:
            return self._result(value.file, value.unit, value.receiver)
        if value.kind == Kind.INSTANCE:
            method = self.member(value.file, value.unit, "__call__")
            return for_each(method, lambda one: self._call(one) if one.kind == Kind.FUNCTION else NOTHING)
        return OUTSIDE if value.kind == Kind.OUTSIDE else NOTHING

    def _entered(self, value: Value) -> Found:
        """What `with` binds: what entering gives, and where nothing is said of that, what is entered."""
        for name in ("__enter__", "__aenter__"):
            found = for_each(self._attribute(value, name), self._call)
            if any(one.kind != Kind.OUTSIDE for one in found.values):
                return found
        return Found((value,), False)

    def _item(self, value: Value) -> Found:
        """What a loop gives."""
        if value.kind == Kind.MANY:
            return Found((value._replace(kind=Kind.INSTANCE),), True)
        if value.kind not in (Kind.CLASS, Kind.INSTANCE):
            return NOTHING
        for name in ("__iter__", "__aiter__"):
            found = for_each(self.member(value.file, value.unit, name), self._call)
            if found.values:
                return for_each(found, lambda one: self._item(one) if one.kind == Kind.MANY else NOTHING)
        return NOTHING

    def _element(self, value: Value) -> Found:
        """What an index gives."""
        if value.kind in (Kind.CLASS, Kind.INSTANCE):
            found = for_each(self.member(value.file, value.unit, "__getitem__"), self._call)
            return found if any(one.kind != Kind.OUTSIDE for one in found.values) else NOTHING
        return self._item(value)

    def _result(self, file: int, unit: int, receiver: ClassKey | None) -> Found:
        """What a function returns: its annotation says, or what its return statements give."""
        if unit not in self.scopes(file).returns:
            return NOTHING
        key = (file, unit, receiver, 3)
        return self._memory.once(key, self._returned, file, unit, receiver, otherwise=NOTHING)

    def _returned(self, file: int, unit: int, receiver: ClassKey | None) -> Found:
        scopes = self.scopes(file)
        declared, traced = scopes.returns[unit]
        instance = Found((Value(Kind.INSTANCE, *receiver),), True) if receiver is not None else NOTHING
        outer = scopes.parents.get(unit, MODULE_SCOPE)
        if declared:
            return either([instance if _is_self(one) else self._typed(file, outer, one) for one in declared])
        return unsure(either([instance if one in _ITSELF else self._typed(file, unit, one) for one in traced]))

    def _typed(self, file: int, scope: int, chain: str) -> Found:
        return self.evaluate(file, scope, chain) if chain != UNKNOWN else NOTHING


def _many(value: Value) -> Found:
    return Found((Value(Kind.MANY, value.file, value.unit),), True) if value.kind == Kind.CLASS else NOTHING


def _is_self(declared: str) -> bool:
    return declared.rpartition(".")[2] == "Self()"
