"""What a Go expression is, and which functions a call means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trackdown.graph.evaluator import ChainEvaluator, FileUnit
from trackdown.graph.file_scopes import MODULE_SCOPE
from trackdown.graph.go.packages import GoFile, GoPackage, GoPackages
from trackdown.graph.program import Definition
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import ELEMENT, Chain, ChainPart

Definitions = tuple[Definition, ...]
_MOST_EMBEDDED = 60


@dataclass(frozen=True, slots=True)
class GoValue:
    """One reading of an expression.

    It is a package (`folder`, `clause`), a value of a type of that package (`type`, of which `depth` says how often
    elements can be taken from it), or the `functions` of a name. Without any of these it is `known` to lie outside the
    program, or not known at all.
    """

    folder: str = ""
    clause: str = ""
    type: str = ""
    depth: int = 0
    functions: Definitions = ()
    known: bool = True


GoReadings = tuple[GoValue, ...]
OUTSIDE: GoReadings = (GoValue(),)
NOT_KNOWN: GoReadings = (GoValue(known=False),)


class GoEvaluator(ChainEvaluator[FileUnit, GoReadings]):
    """Follows chains through variables, fields, functions and packages."""

    deepest = 20

    def __init__(self, packages: GoPackages) -> None:
        super().__init__(NOT_KNOWN)
        self._packages = packages

    # What is meant

    def called(self, file: int, unit: int, chain: str) -> tuple[Definitions, GoReadings]:
        """The functions or types that a call may mean, and what it is called on (nothing for a plain name)."""
        receiver, _, name = chain.rpartition(".")
        here = self._packages.file(file)
        values = self.evaluate((file, unit), receiver) if receiver else ()
        meant: GoReadings = ()
        for value in values:
            meant += self._member(here, value, name)
        if not receiver:
            meant = self._name(here, unit, name) or ()
            if self.is_local(here, unit, name):
                meant = tuple(value for value in meant if value.functions)
        found: dict[Definition, None] = {}
        for value in meant:
            found.update(dict.fromkeys(value.functions or self.definitions(value, here)))
        return tuple(found), values

    def definitions(self, value: GoValue, here: GoFile) -> Definitions:
        """The units of a type itself."""
        if not value.type or value.depth:
            return ()
        package = self._packages.package(value.folder, value.clause)
        return self._packages.visible(package.types.get(value.type, ()), here, value.folder)

    def is_local(self, here: GoFile, unit: int, name: str) -> bool:
        """Whether a name is a parameter or variable of a function around a unit."""
        return any(here.bound(index, name) for index in here.outward(unit))

    # GoReadings

    def of_type(self, file: int, unit: int, type_: str) -> GoReadings:
        """The values of what a binding says: a type, or an expression whose type it takes."""
        plain = type_.lstrip("[]")
        depth = (len(type_) - len(plain)) // 2
        if not plain or plain == "?":
            return NOT_KNOWN
        if plain[-1] not in ")]" and plain.count(".") < 2:
            found = self._named_type(self._packages.file(file), unit, plain)
            if found:
                return tuple(replace(value, depth=value.depth + depth) for value in found)
        values = self.evaluate((file, unit), plain)
        return tuple(replace(value, depth=value.depth + depth) if value.type else value for value in values)

    def _named_type(self, here: GoFile, unit: int, name: str) -> GoReadings:
        """A type by its name, even if a variable has the same name."""
        first, _, second = name.partition(".")
        if second:
            folder = self._packages.imported(here).get(first)
            if folder is None:
                return OUTSIDE if first in here.named else ()
            return self._type_in(folder, self._packages.clause(folder), second)
        for index in here.outward(unit):
            one = here.by_unit[index]
            symbol = f"{one.symbol}.{name}"
            package = self._packages.package(here.folder, here.package)
            if symbol in package.types:
                return (GoValue(here.folder, here.package, symbol),)
        found = self._type_in(here.folder, here.package, name)
        for path in here.dots if not found else ():
            folder = self._packages.folder(path, here.folder)
            found = found or (self._type_in(folder, self._packages.clause(folder), name) if folder is not None else ())
        return found

    def _type_in(self, folder: str, clause: str, name: str) -> GoReadings:
        package = self._packages.package(folder, clause)
        if name in package.types or name in package.methods:
            return (GoValue(folder, clause, name),)
        return ()

    def head(self, place: FileUnit, chain: Chain) -> tuple[GoReadings, int]:
        file, unit = place
        first = chain.parts[0]
        values = (
            (self._name(self._packages.file(file), unit, first.name) or OUTSIDE) if first.name != "?" else NOT_KNOWN
        )
        return self._suffixed(values, first), 1

    def step(self, place: FileUnit, found: GoReadings, part: ChainPart) -> GoReadings:
        here = self._packages.file(place[0])
        return self._suffixed(_once(one for value in found for one in self._member(here, value, part.name)), part)

    def _suffixed(self, values: GoReadings, part: ChainPart) -> GoReadings:
        for suffix in part.suffixes:
            values = _once(found for value in values for found in self._used(value, suffix))
        return values

    def _name(self, here: GoFile, unit: int, name: str) -> GoReadings | None:
        """What a plain name is in a unit; None where nothing says so."""
        for index in here.outward(unit):
            if chains := here.bound(index, name):
                return self._union(here.file, index, chains)
            inner = [one for one in here.members(here.by_unit[index]) if one.name == name]
            if functions := tuple(one for one in inner if one.kind in FUNCTION_KINDS):
                return (GoValue(functions=functions),)
            if inner:
                return (GoValue(here.folder, here.package, inner[0].symbol),)
        folder = self._packages.imported(here).get(name)
        if folder is not None:
            return (GoValue(folder, self._packages.clause(folder)),)
        if name in here.named:
            return OUTSIDE
        found = self._top(here, here.folder, here.package, name)
        for path in here.dots if found is None else ():
            dotted = self._packages.folder(path, here.folder)
            if dotted is not None and found is None:
                found = self._top(here, dotted, self._packages.clause(dotted), name)
        return found

    def _top(self, here: GoFile, folder: str, clause: str, name: str) -> GoReadings | None:
        """What a package declares under a name."""
        package = self._packages.package(folder, clause)
        found = self._packages.visible(package.top.get(name, ()), here, folder)
        functions = tuple(one for one in found if one.kind in FUNCTION_KINDS)
        if functions:
            return (GoValue(functions=functions),)
        if any(one.kind in CLASS_KINDS for one in found) or name in package.methods:
            return (GoValue(folder, clause, name),)
        if name in package.values:
            return _once(
                value for file, chain in package.values[name] for value in self.of_type(file, MODULE_SCOPE, chain)
            )
        return None

    def _member(self, here: GoFile, value: GoValue, name: str) -> GoReadings:
        """What a name is on a value: of a package what it declares, of a type its methods and fields."""
        if value.functions or value.depth:
            return NOT_KNOWN
        if not value.clause:
            return (value,)
        if not value.type:
            return self._top(here, value.folder, value.clause, name) or OUTSIDE
        return self._selected(here, value, name)

    def _selected(self, here: GoFile, value: GoValue, name: str) -> GoReadings:
        """Methods and fields, of the type itself before those of what it embeds."""
        level: GoReadings = (value,)
        seen: set[GoValue] = set()
        while level and len(seen) < _MOST_EMBEDDED:
            found: GoReadings = ()
            for each in level:
                found += self._direct(here, each, name)
            if found:
                return _once(found)
            seen.update(level)
            embedded = _once(base for each in level for base in self._embedded(each))
            level = tuple(base for base in embedded if base.type and base not in seen)
        return OUTSIDE

    def _direct(self, here: GoFile, value: GoValue, name: str) -> GoReadings:
        package = self._packages.package(value.folder, value.clause)
        methods = package.methods.get(value.type, {}).get(name, ())
        functions = self._packages.visible(methods, here, value.folder)
        if functions:
            return (GoValue(functions=functions),)
        return _once(
            found
            for one in package.types.get(value.type, ())
            for found in self._union(
                one.file, one.index, self._packages.file(one.file).bound(one.index, f"self.{name}")
            )
        )

    def _embedded(self, value: GoValue) -> GoReadings:
        """The types that a struct or interface embeds, or that a type without a unit is made of."""
        package = self._packages.package(value.folder, value.clause)
        found = [
            base
            for one in package.types.get(value.type, ())
            for chain in self._packages.file(one.file).bases.get(one.index, ())
            for base in self.of_type(one.file, self._packages.file(one.file).parents[one.index], chain)
        ]
        return _once(found) or self._made_of(package, value)

    def _made_of(self, package: GoPackage, value: GoValue) -> GoReadings:
        chains = () if value.type in package.types else package.values.get(value.type, ())
        return _once(
            found for file, chain in chains for found in self.of_type(file, MODULE_SCOPE, chain) if found != value
        )

    def _used(self, value: GoValue, suffix: str) -> GoReadings:
        """What an index `[]` or a call gives: `()` its first result, `(2)` its second."""
        if suffix == ELEMENT:
            return self._element(value)
        return self._result(value, f"->{suffix[1:-1]}")

    def _result(self, value: GoValue, which: str) -> GoReadings:
        """A result of a function; calling a type converts to it."""
        if not value.functions:
            return (value,) if (value.type or not value.clause) and which == "->" else NOT_KNOWN
        return _once(
            found
            for one in value.functions
            for found in self._union(one.file, one.index, self._packages.file(one.file).bound(one.index, which))
        )

    def _element(self, value: GoValue) -> GoReadings:
        """What an index gives."""
        if value.depth:
            return (replace(value, depth=value.depth - 1),)
        if value.functions or not (value.type or value.clause):
            return (value,)  # of a generic function it is an instance
        package = self._packages.package(value.folder, value.clause)
        made_of = self._made_of(package, value)
        return _once(replace(one, depth=one.depth - 1) for one in made_of if one.depth) or NOT_KNOWN

    def _union(self, file: int, unit: int, chains: Iterable[str]) -> GoReadings:
        return _once(found for chain in chains for found in self.of_type(file, unit, chain))


def _once(values: Iterable[GoValue]) -> GoReadings:
    return tuple(dict.fromkeys(values))
