"""What a chain stands for: the classes of its value, along bindings, fields, return types, bases and imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trackdown.graph.program import Definition
from trackdown.graph.scoped.classes import Classes
from trackdown.graph.scoped.files import NOWHERE, OUTSIDE, Found, Sources, View, found
from trackdown.graph.scoped.memory import Memory
from trackdown.graph.scoped.rules import Rules, Space
from trackdown.types import CLASS_KINDS

_SAME = frozenset(
    "unwrap expect unwrap_or_default clone cloned copied as_ref as_mut as_deref borrow borrow_mut to_owned lock read "
    "write get get_mut take ok into map_err ok_or ok_or_else or_else apply also ConfigureAwait GetAwaiter GetResult "
    "tap dup freeze then await iter iter_mut into_iter as_ptr Value value get_ref into_inner".split()
)
"""Methods that give back, more or less, what they are called on, where it has none of that name itself."""
_ONE = frozenset(
    "first last pop get get_mut next front back at unwrap expect First FirstOrDefault Last LastOrDefault Single "
    "SingleOrDefault find single firstOrNull lastOrNull getOrNull remove pop_front pop_back top sample first_mut "
    "last_mut getValue second".split()
)
_STILL_MANY = frozenset(
    "iter iter_mut into_iter values values_mut filter rev drain Where OrderBy OrderByDescending ToList ToArray "
    "sortedBy toList reversed Values select reject sort_by skip Skip Take clone to_vec toSet asSequence lock borrow "
    "as_slice read write AsEnumerable Reverse Distinct distinct reverse uniq compact".split()
)


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


class Values:
    """Evaluates chains; what it found out is kept."""

    def __init__(self, sources: Sources, rules: Rules) -> None:
        self._sources = sources
        self._rules = rules
        self._memory = Memory()
        self._values: dict[tuple[int, int, str, bool], Value] = {}
        self._fields: dict[tuple[Definition, str], Value | None] = {}
        self.classes = Classes(sources, rules, self._memory, self._type)

    def of(self, view: View, unit: Definition | None, chain: str, free: bool = False) -> Value:
        """The value of a chain in a unit. With `free`, its first name is no variable."""
        if not chain:
            return UNKNOWN_VALUE
        key = (view.file, unit.index if unit is not None else -1, chain, free)
        return self._memory.once(self._values, key, lambda: self._followed(view, unit, chain, free), UNKNOWN_VALUE)

    def _type(self, view: View, unit: Definition | None, chain: str) -> tuple[Definition, ...]:
        return self.of(view, unit, chain, free=True).classes

    def _followed(self, view: View, unit: Definition | None, chain: str, free: bool) -> Value:
        parts = chain.split(".")
        value = self._head(view, unit, parts[0], free)
        for part in parts[1:]:
            if not value.known:
                break
            value = self._step(view, value, part)
        return value

    # The first part

    def _head(self, view: View, unit: Definition | None, part: str, free: bool) -> Value:
        name, suffix = _parsed(part)
        if name == "?":
            return UNKNOWN_VALUE
        space = self._rules.space(view, name) if name in ("", "crate", "mod", "super") else None
        if space is not None or not name:
            return Value(space=space) if space is not None else OUTSIDE_VALUE
        if name in ("self", "Self"):
            return Value(self.classes.selves(view, unit))
        if name == "super":
            bases = self.classes.bases(view, unit)
            return Value(bases) if bases else OUTSIDE_VALUE
        if suffix.startswith("()"):
            called = self.call(view, unit, name)
            if not called.definitions and not CLASS_KINDS & self._rules.callable:
                called = self._rules.lookup(view, unit, name, CLASS_KINDS)  # new X() is X()
            if not called.definitions and name[:1].isupper():
                return OUTSIDE_VALUE
            return _element(self._result(called), suffix[2:])
        variable = None if free else self._variable(view, unit, name)
        if variable is not None:
            return _element(variable, suffix)
        return self._named(view, unit, name, suffix)

    def _variable(self, view: View, unit: Definition | None, name: str) -> Value | None:
        """The value of a variable, parameter, type parameter or field; None where the name is none of them."""
        bound = self._bound(view, unit, name)
        if bound is not None:
            return _together(self._bound_value(view, where, name, type_) for where, type_ in bound)
        if self._rules.implicit_self:
            for one in self.classes.selves(view, unit):
                value = self._field(one, name)
                if value is not None:
                    return value
        return None

    def _bound(self, view: View, unit: Definition | None, name: str) -> list[tuple[Definition | None, str]] | None:
        """What a name is bound to where it is seen from a unit; None where nothing binds it."""
        bindings = view.bindings
        for one in view.around(unit):
            if (one.index, name) in bindings:
                return [(one, type_) for type_ in bindings[one.index, name]]
        for one in view.at(view.class_symbol(unit), CLASS_KINDS) if unit is not None else ():
            if (one.index, name) in bindings:
                return [(one, type_) for type_ in bindings[one.index, name]]
        if (-1, name) in bindings:
            return [(None, type_) for type_ in bindings[-1, name]]
        return None

    def _bound_value(self, view: View, unit: Definition | None, name: str, type_: str) -> Value:
        own = _parsed(type_.split(".", 1)[0])[0] == name  # `client *client`: the type, not the variable
        return self.of(view, unit, type_, free=own)

    def _named(self, view: View, unit: Definition | None, name: str, suffix: str) -> Value:
        """The class, function or module that a name stands for."""
        seen = self._rules.lookup(view, unit, name, CLASS_KINDS)
        if seen.definitions:
            return Value(seen.definitions, many=suffix.startswith("[]"), sure=seen.how == "exact")
        space = self._rules.space(view, name)
        if space is not None:
            return Value(space=space)
        if self._rules.implicit_self:
            called = self.call(view, unit, name)
            if called.definitions:
                return _element(self._result(called), suffix)
        outside = seen.outside or name[:1].isupper() or self._rules.all_bound
        return OUTSIDE_VALUE if outside else UNKNOWN_VALUE

    # The parts behind it

    def _step(self, view: View, value: Value, part: str) -> Value:
        name, suffix = _parsed(part)
        if value.space is not None:
            return self._step_inside(value.space, name, suffix)
        if value.many:
            return _step_many(value, name, suffix)
        call = suffix.startswith("()")
        rest = suffix[2:] if call else suffix
        fields = [field for one in value.classes if (field := self._field(one, name)) is not None]
        methods = self.classes.members(value.classes, name) if call or not fields else NOWHERE
        if methods.definitions:
            result = self._result(methods, value)
            return _element(result, rest)._replace(sure=result.sure and value.sure)
        if fields:
            return _element(_together(fields), rest)
        inner = [each for one in value.classes for each in self._rules.member_class(one, name)]
        if inner:
            return Value(tuple(inner), many=suffix == "[]", sure=value.sure)
        extended = self._rules.extensions(view, name, self.classes.names(value.classes)) if call else NOWHERE
        if extended.definitions:
            return _element(self._result(extended), rest)
        if name in _SAME or any(one.kind == "enum" for one in value.classes):
            return value
        return UNKNOWN_VALUE

    def _step_inside(self, space: Space, name: str, suffix: str) -> Value:
        call = suffix.startswith("()")
        seen = self._rules.inside(space, name, self._rules.callable if call else CLASS_KINDS)
        if call and not seen.definitions:
            seen = self._rules.inside(space, name, CLASS_KINDS)
        if seen.definitions:
            if call:
                return _element(self._result(seen), suffix[2:])
            return Value(seen.definitions, many=suffix == "[]", sure=seen.how == "exact")
        below = self._rules.below(space, name)
        return Value(space=below) if below is not None else OUTSIDE_VALUE

    def _field(self, one: Definition, name: str) -> Value | None:
        """What a field of a class or its bases holds; None where there is none."""
        return self._memory.once(self._fields, (one, name), lambda: self._field_value(one, name), UNKNOWN_VALUE)

    def _field_value(self, one: Definition, name: str) -> Value | None:
        field = self.classes.field(one, name)
        if field is None:
            return None
        view, bound = field
        return _together(self._bound_value(view, view.by_unit.get(at), name, type_) for at, type_ in bound)

    def _result(self, called: Found, receiver: Value = UNKNOWN_VALUE) -> Value:
        """The value that calling some definitions gives."""
        if called.outside and not called.definitions:
            return OUTSIDE_VALUE
        values = []
        for one in called.definitions:
            if one.kind in CLASS_KINDS:
                values.append(Value((one,)))
                continue
            view = self._sources.view(one.file)
            for type_ in view.bindings.get((one.index, "->"), ()):
                fluent = type_ in ("Self", "self") and receiver.classes
                values.append(receiver if fluent else self.of(view, one, type_))
        return _together(values)

    # Functions

    def call(self, view: View, unit: Definition | None, name: str) -> Found:
        """What a name stands for where it is called like a function."""
        rules = self._rules
        own = rules.nested(view, unit, name, rules.callable)
        if own:
            return found(own)
        bound = self._bound(view, unit, name)
        if bound is not None and not any(type_.startswith(f"{name}(") for _, type_ in bound):
            return OUTSIDE
        if rules.implicit_self:
            for one in view.around(unit):
                methods = self.classes.members(self.classes.selves(view, one), name)
                if methods.definitions:
                    return methods
            selves = self.classes.selves(view, unit)
            if any(self.classes.field(one, name) is not None for one in selves):
                return self.classes.implementers(selves, name)._replace(outside=True)
        return rules.lookup(view, unit, name, rules.callable)


def _step_many(value: Value, name: str, suffix: str) -> Value:
    """What a method of a container gives."""
    if name in _ONE:
        return value._replace(many=False)
    if name in _STILL_MANY:
        return value._replace(many="[]" not in suffix)
    return OUTSIDE_VALUE


def _element(value: Value, suffix: str) -> Value:
    """An element of a value, if the suffix asks for one; what holds no others (a pointer in C) stays itself."""
    if suffix.startswith("()"):
        return UNKNOWN_VALUE
    return value._replace(many=False) if suffix and value.many else value


def _parsed(part: str) -> tuple[str, str]:
    """A part of a chain → its name and its brackets."""
    end = len(part)
    while part.endswith(("()", "[]"), 0, end):
        end -= 2
    return part[:end], part[end:]


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
