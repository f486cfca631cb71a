"""What a Java expression is an instance of, and which methods a call means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trackdown.graph.evaluator import ChainEvaluator, FileUnit
from trackdown.graph.file_scopes import RESULT
from trackdown.graph.java.types import Definitions, JavaTypes
from trackdown.graph.program import Definition
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import ELEMENT, Chain, ChainPart

_LONGEST_QUALIFIED = 8


@dataclass(frozen=True, slots=True)
class JavaValue:
    """One reading of an expression: an instance of a class (or the class itself), or an array of `depth` dimensions.

    Without a definition it is `known` to be of a type outside the program, or not known at all.
    """

    definition: Definition | None
    known: bool = True
    depth: int = 0


JavaReadings = tuple[JavaValue, ...]
OUTSIDE: JavaReadings = (JavaValue(None),)
NOT_KNOWN: JavaReadings = (JavaValue(None, known=False),)


class JavaEvaluator(ChainEvaluator[FileUnit, JavaReadings]):
    """Follows chains through variables, fields and return types."""

    deepest = 20

    def __init__(self, types: JavaTypes) -> None:
        super().__init__(NOT_KNOWN)
        self._types = types

    # Calls

    def called(self, file: int, unit: int, chain: str, arity: int) -> tuple[Definitions, JavaReadings]:
        """The methods that a call may mean, and what it is called on (nothing for a plain name)."""
        receiver, _, name = chain.rpartition(".")
        if not receiver:
            return self.unqualified(file, unit, name, arity), ()
        if receiver == "this":
            return self._own(file, unit, name, arity), ()
        values = self.evaluate((file, unit), receiver)
        found = (
            method
            for value in values
            if value.definition is not None and not value.depth
            for method in self._types.methods(value.definition, name, arity)
        )
        return tuple(dict.fromkeys(found)), values

    def unqualified(self, file: int, unit: int, name: str, arity: int) -> Definitions:
        """The methods that a plain name means: of the innermost class that has any, or imported."""
        here = self._types.file(file)
        for index in here.outward(unit):
            found = self._methods_at(file, index, name, arity)
            if found:
                return found
        for module in here.static.get(name, []) or here.on_demand:
            for owner in self._types.qualified(module, file):
                found = self._types.methods(owner, name, arity)
                if found:
                    return found
        return ()

    def _own(self, file: int, unit: int, name: str, arity: int) -> Definitions:
        """The methods of what `this` is."""
        here = self._types.file(file)
        for index in here.outward(unit):
            if here.by_unit[index].kind in CLASS_KINDS or here.bound(index, "self"):
                return self._methods_at(file, index, name, arity)
        return ()

    def _methods_at(self, file: int, index: int, name: str, arity: int) -> Definitions:
        """The methods of a class; or, in a method of an anonymous class, those beside it and those it inherits."""
        here = self._types.file(file)
        one = here.by_unit[index]
        if one.kind in CLASS_KINDS:
            return self._types.methods(one, name, arity)
        if not here.bound(index, "self"):
            return ()
        beside = (other for other in here.inner[here.parents[index]] if other.owner == one.owner)
        found = tuple(
            other
            for other in beside
            if other.name == name and other.kind in FUNCTION_KINDS and here.takes(other, arity)
        )
        return found or tuple(
            method for base in self._types.extended(here, index) for method in self._types.methods(base, name, arity)
        )

    # JavaReadings

    def of_type(self, file: int, unit: int, type_: str) -> JavaReadings:
        """The values of what a binding says: a type, or an expression whose type it takes."""
        plain = type_.lstrip("[]")
        if not plain:
            return NOT_KNOWN
        if plain[-1] in ")]" or plain in ("this", "super", "?"):
            return self.evaluate((file, unit), plain)
        found = self._types.named(file, unit, plain)
        if found:
            depth = (len(type_) - len(plain)) // 2
            return tuple(JavaValue(one, depth=depth) for one in found)
        if "." not in plain and self._declared(file, unit, plain) is None:
            return OUTSIDE
        values = self.evaluate((file, unit), plain)
        last = plain.rpartition(".")[2]
        return OUTSIDE if values == NOT_KNOWN and last[:1].isupper() and not last.isupper() else values

    def head(self, place: FileUnit, chain: Chain) -> tuple[JavaReadings, int]:
        values, used = self._head(*place, chain)
        return _elements(values, chain.parts[used - 1]), used

    def step(self, place: FileUnit, found: JavaReadings, part: ChainPart) -> JavaReadings:
        stepped = (one for value in found for one in self._step(value, part.name, part.is_called))
        return _elements(tuple(dict.fromkeys(stepped)), part)

    def _head(self, file: int, unit: int, chain: Chain) -> tuple[JavaReadings, int]:
        """The value of the first part, or of as many as a class with its package takes."""
        parts = chain.parts
        name = parts[0].name
        if name in ("?", ""):
            return NOT_KNOWN, 1
        if name in ("this", "super"):
            return (self.this(file, unit) if name == "this" else self.above(file, unit)), 1
        found: JavaReadings | None
        if parts[0].is_called:
            found = self._returned(self.unqualified(file, unit, name, -1))
        else:
            found = self.variable(file, unit, name)
        found = found or tuple(JavaValue(one, depth=chain.depth) for one in self._types.visible(file, unit, name))
        if found:
            return found, 1
        if name[0].isupper():
            return OUTSIDE, 1
        for last in range(2, min(len(parts), _LONGEST_QUALIFIED) + 1):
            if ELEMENT in parts[last - 1].suffixes:
                break
            classes = self._types.qualified(".".join(part.name for part in parts[:last]), file)
            if classes:
                return tuple(JavaValue(one) for one in classes), last
        return NOT_KNOWN, 1

    def _step(self, value: JavaValue, name: str, call: bool) -> JavaReadings:
        """What a name or a call on a value gives."""
        one = value.definition
        if one is None or value.depth:
            outside = value.known and not call
            return OUTSIDE if outside else NOT_KNOWN
        if name == "this":
            return (value,)
        if name == "super":
            classes = () if one.kind == "interface" else self._types.supers(one).classes
            return tuple(map(JavaValue, classes)) or (value,)
        if call:
            returned = self._returned(self._types.methods(one, name, -1))
            if returned:
                return returned
            if one.kind == "enum" and name in ("values", "valueOf"):
                return (JavaValue(one, depth=int(name == "values")),)
        field = self._types.field(one, name)  # of a record, `name()` gives the field
        if field is not None:
            owner, types = field
            return self._union(owner.file, owner.index, types)
        return tuple(map(JavaValue, self._types.nested(one, name))) or NOT_KNOWN

    def _returned(self, methods: Definitions) -> JavaReadings:
        """What methods return; nothing for no method."""
        found: dict[JavaValue, None] = {}
        for method in methods:
            types = self._types.file(method.file).bound(method.index, RESULT)
            found.update(dict.fromkeys(self._union(method.file, method.index, types) or NOT_KNOWN))
        return tuple(found)

    def _union(self, file: int, unit: int, types: Iterable[str]) -> JavaReadings:
        found = (value for type_ in types for value in self.of_type(file, unit, type_))
        return tuple(dict.fromkeys(found))

    def variable(self, file: int, unit: int, name: str) -> JavaReadings | None:
        """The values of a local, parameter or field that is visible in a unit; None where there is none."""
        declared = self._declared(file, unit, name)
        return self._union(*declared) if declared is not None else None

    def _declared(self, file: int, unit: int, name: str) -> tuple[int, int, list[str]] | None:
        """Where a variable is declared, and its declared types."""
        here = self._types.file(file)
        for index in here.outward(unit):
            types = here.bound(index, name)
            if types:
                return file, index, types
            one = here.by_unit[index]
            found = self._field((one,) if one.kind in CLASS_KINDS else self._types.extended(here, index), name)
            if found is not None:
                return found
        for module in here.static.get(name, []) or here.on_demand:
            found = self._field(self._types.qualified(module, file), name)
            if found is not None:
                return found
        return None

    def _field(self, owners: Definitions, name: str) -> tuple[int, int, list[str]] | None:
        for owner in owners:
            field = self._types.field(owner, name)
            if field is not None:
                return field[0].file, field[0].index, field[1]
        return None

    def this(self, file: int, unit: int) -> JavaReadings:
        """What `this` is."""
        here = self._types.file(file)
        for index in here.outward(unit):
            if here.by_unit[index].kind in CLASS_KINDS:
                return (JavaValue(here.by_unit[index]),)
            if here.bound(index, "self"):
                return tuple(map(JavaValue, self._types.extended(here, index))) or OUTSIDE
        return NOT_KNOWN

    def above(self, file: int, unit: int) -> JavaReadings:
        """What `super` is."""
        here = self._types.file(file)
        for index in here.outward(unit):
            if here.by_unit[index].kind in CLASS_KINDS:
                return tuple(map(JavaValue, self._types.supers(here.by_unit[index]).classes)) or OUTSIDE
            if here.bound(index, "self"):
                return tuple(map(JavaValue, self._types.extended(here, index))) or OUTSIDE
        return NOT_KNOWN


def _elements(values: JavaReadings, part: ChainPart) -> JavaReadings:
    """Elements of arrays, once for each `[]` behind a part; elements of anything else are unknown."""
    times = part.suffixes.count(ELEMENT)
    if not times:
        return values
    return tuple(
        replace(value, depth=value.depth - times) if value.depth >= times else JavaValue(None, known=False)
        for value in values
    )
