"""What a chain stands for: the classes of its value, along bindings, fields, return types, bases and imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trackdown.graph.evaluator import ChainEvaluator
from trackdown.graph.file_scopes import MODULE_SCOPE, RESULT, FileScopes
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, OUTSIDE, Resolved, resolved
from trackdown.graph.scoped.classes import Classes
from trackdown.graph.scoped.rules import Rules, Space
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS
from trackdown.units.references import CALLED, ELEMENT, Chain, ChainPart, parse_chain


class Value(NamedTuple):
    """What is known of a value or type: its classes, or the module it is. `many` is a container of such values."""

    classes: tuple[Definition, ...] = ()
    many: bool = False
    space: Space | None = None
    outside: bool = False
    sure: bool = True

    @property
    def known(self) -> bool:
        """Whether anything can be looked up in it."""
        return bool(self.classes) or self.space is not None


UNKNOWN_VALUE = Value()
OUTSIDE_VALUE = Value(outside=True)


class _Place(NamedTuple):
    file: int
    unit: int
    free: bool


class ScopedEvaluator(ChainEvaluator[_Place, Value]):
    """Evaluates chains by the rules of a language."""

    def __init__(self, sources: Sources[FileScopes], rules: Rules) -> None:
        super().__init__(UNKNOWN_VALUE)
        self._sources = sources
        self._rules = rules
        self._fields: dict[tuple[Definition, str], Value | None] = {}
        self.classes = Classes(sources, rules, self.memo, self._type)

    def of(self, scopes: FileScopes, unit: Definition | None, chain: str, free: bool = False) -> Value:
        """The value of a chain in a unit. With `free`, its first name is not a variable."""
        if not chain:
            return UNKNOWN_VALUE
        return self.evaluate(_Place(scopes.file, unit.index if unit is not None else MODULE_SCOPE, free), chain)

    def _type(self, scopes: FileScopes, unit: Definition | None, chain: str) -> tuple[Definition, ...]:
        return self.of(scopes, unit, chain, free=True).classes

    def head(self, place: _Place, chain: Chain) -> tuple[Value, int]:
        scopes = self._sources.scopes(place.file)
        return self._head(scopes, scopes.by_unit.get(place.unit), chain.parts[0], place.free), 1

    def step(self, place: _Place, found: Value, part: ChainPart) -> Value:
        return self._step(self._sources.scopes(place.file), found, part) if found.known else found

    # The first part

    def _head(self, scopes: FileScopes, unit: Definition | None, part: ChainPart, free: bool) -> Value:
        name, suffixes = part
        if name == "?":
            return UNKNOWN_VALUE
        space = self._rules.space(scopes, name) if name in ("", "crate", "mod", "super") else None
        if space is not None or not name:
            return Value(space=space) if space is not None else OUTSIDE_VALUE
        if name in ("self", "Self"):
            return Value(self.classes.selves(scopes, unit))
        if name == "super":
            bases = self.classes.bases(scopes, unit)
            return Value(bases) if bases else OUTSIDE_VALUE
        if part.is_called:
            called = self.call(scopes, unit, name)
            if not called.definitions and not CLASS_KINDS & self._rules.callable:
                called = self._rules.lookup(scopes, unit, name, CLASS_KINDS)  # new X() is X()
            if not called.definitions and name[:1].isupper():
                return OUTSIDE_VALUE
            return _element(self._result(called), suffixes[1:])
        variable = None if free else self._variable(scopes, unit, name)
        if variable is not None:
            return _element(variable, suffixes)
        return self._named(scopes, unit, name, suffixes)

    def _variable(self, scopes: FileScopes, unit: Definition | None, name: str) -> Value | None:
        """The value of a variable, parameter, type parameter or field; None if it is none of them."""
        bound = self._bound(scopes, unit, name)
        if bound is not None:
            return _together(self._bound_value(scopes, where, name, type_) for where, type_ in bound)
        if self._rules.implicit_self:
            for one in self.classes.selves(scopes, unit):
                value = self._field(one, name)
                if value is not None:
                    return value
        return None

    def _bound(
        self, scopes: FileScopes, unit: Definition | None, name: str
    ) -> list[tuple[Definition | None, str]] | None:
        """What a name that is visible in a unit is bound to; None if nothing binds it."""
        for one in scopes.around(unit):
            if types := scopes.bound(one.index, name):
                return [(one, type_) for type_ in types]
        for one in scopes.at(scopes.class_symbol(unit), CLASS_KINDS) if unit is not None else ():
            if types := scopes.bound(one.index, name):
                return [(one, type_) for type_ in types]
        types = scopes.bound(MODULE_SCOPE, name)
        return [(None, type_) for type_ in types] or None

    def _bound_value(self, scopes: FileScopes, unit: Definition | None, name: str, type_: str) -> Value:
        own = parse_chain(type_).parts[0].name == name  # `client *client`: the type, not the variable
        return self.of(scopes, unit, type_, free=own)

    def _named(self, scopes: FileScopes, unit: Definition | None, name: str, suffixes: tuple[str, ...]) -> Value:
        """The class, function or module that a name means."""
        seen = self._rules.lookup(scopes, unit, name, CLASS_KINDS)
        if seen.definitions:
            return Value(seen.definitions, many=suffixes[:1] == (ELEMENT,), sure=seen.how == "exact")
        space = self._rules.space(scopes, name)
        if space is not None:
            return Value(space=space)
        if self._rules.implicit_self:
            called = self.call(scopes, unit, name)
            if called.definitions:
                return _element(self._result(called), suffixes)
        outside = seen.outside or name[:1].isupper() or self._rules.all_bound
        return OUTSIDE_VALUE if outside else UNKNOWN_VALUE

    # The parts behind it

    def _step(self, scopes: FileScopes, value: Value, part: ChainPart) -> Value:
        name, suffixes = part
        if value.space is not None:
            return self._step_inside(value.space, part)
        if value.many:
            return self._step_many(value, part)
        call = part.is_called
        rest = suffixes[1:] if call else suffixes
        fields = [field for one in value.classes if (field := self._field(one, name)) is not None]
        methods = self.classes.members(value.classes, name) if call or not fields else NOWHERE
        if methods.definitions:
            result = self._result(methods, value)
            return _element(result, rest)._replace(sure=result.sure and value.sure)
        if fields:
            return _element(_together(fields), rest)
        inner = [each for one in value.classes for each in self._rules.member_class(one, name)]
        if inner:
            return Value(tuple(inner), many=suffixes == (ELEMENT,), sure=value.sure)
        extended = self._rules.extensions(scopes, name, self.classes.names(value.classes)) if call else NOWHERE
        if extended.definitions:
            return _element(self._result(extended), rest)
        if name in self._rules.same_value or any(one.kind == "enum" for one in value.classes):
            return value
        return UNKNOWN_VALUE

    def _step_inside(self, space: Space, part: ChainPart) -> Value:
        name, suffixes = part
        call = part.is_called
        seen = self._rules.inside(space, name, self._rules.callable if call else CLASS_KINDS)
        if call and not seen.definitions:
            seen = self._rules.inside(space, name, CLASS_KINDS)
        if seen.definitions:
            if call:
                return _element(self._result(seen), suffixes[1:])
            return Value(seen.definitions, many=suffixes == (ELEMENT,), sure=seen.how == "exact")
        below = self._rules.below(space, name)
        return Value(space=below) if below is not None else OUTSIDE_VALUE

    def _step_many(self, value: Value, part: ChainPart) -> Value:
        """What a method of a container gives."""
        if part.name in self._rules.gives_element:
            return value._replace(many=False)
        if part.name in self._rules.gives_container:
            return value._replace(many=ELEMENT not in part.suffixes)
        return OUTSIDE_VALUE

    def _field(self, one: Definition, name: str) -> Value | None:
        """What a field of a class or its bases holds; None where there is none."""
        return self.memo.once(self._fields, (one, name), lambda: self._field_value(one, name), UNKNOWN_VALUE)

    def _field_value(self, one: Definition, name: str) -> Value | None:
        field = self.classes.field(one, name)
        if field is None:
            return None
        scopes, bound = field
        return _together(self._bound_value(scopes, scopes.by_unit.get(at), name, type_) for at, type_ in bound)

    def _result(self, called: Resolved, receiver: Value = UNKNOWN_VALUE) -> Value:
        """The value that calling some definitions gives."""
        if called.outside and not called.definitions:
            return OUTSIDE_VALUE
        values = []
        for one in called.definitions:
            if one.kind in CLASS_KINDS:
                values.append(Value((one,)))
                continue
            scopes = self._sources.scopes(one.file)
            for type_ in scopes.bound(one.index, RESULT):
                fluent = type_ in ("Self", "self") and receiver.classes
                values.append(receiver if fluent else self.of(scopes, one, type_))
        return _together(values)

    # Functions

    def call(self, scopes: FileScopes, unit: Definition | None, name: str) -> Resolved:
        """What a name means where it is called like a function."""
        rules = self._rules
        own = rules.nested(scopes, unit, name, rules.callable)
        if own:
            return resolved(own)
        bound = self._bound(scopes, unit, name)
        if bound is not None and not any(type_.startswith(f"{name}(") for _, type_ in bound):
            return OUTSIDE
        if rules.implicit_self:
            for one in scopes.around(unit):
                methods = self.classes.members(self.classes.selves(scopes, one), name)
                if methods.definitions:
                    return methods
            selves = self.classes.selves(scopes, unit)
            if any(self.classes.field(one, name) is not None for one in selves):
                return self.classes.implementers(selves, name)._replace(outside=True)
        return rules.lookup(scopes, unit, name, rules.callable)


def _element(value: Value, suffixes: tuple[str, ...]) -> Value:
    """An element of a value, if the suffixes ask for one; a value that holds no others (a pointer in C) is itself."""
    if suffixes[:1] == (CALLED,):
        return UNKNOWN_VALUE
    return value._replace(many=False) if suffixes and value.many else value


def _together(values: Iterable[Value]) -> Value:
    """One value for several possible ones: what is known of any; unsure where they differ."""
    distinct = list(dict.fromkeys(values))
    known = [value for value in distinct if value.known]
    if len(known) == 1 and len(distinct) == 1:
        return known[0]
    if not known:
        return OUTSIDE_VALUE if distinct and all(value.outside for value in distinct) else UNKNOWN_VALUE
    classes = dict.fromkeys(one for value in known for one in value.classes)
    return Value(tuple(classes), any(value.many for value in known), known[0].space, sure=False)
