"""One file as resolvers see it: definitions by unit and symbol, what encloses what, what names are bound to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from trackdown.graph.program import Definition, Program
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import BASE, IMPLEMENTS, BlobReferences, Export, Import

MODULE_SCOPE = -1
"""The unit of code outside all units."""
RESULT = "->"
"""The name of the binding that says what a unit returns."""
INSTANCE_PREFIX = "self."
"""What the names of an instance's attributes begin with."""
ANY_KIND = CLASS_KINDS | FUNCTION_KINDS


class FileScopes:
    """A file's definitions and references, arranged for looking things up. Units go by their index."""

    def __init__(self, program: Program, file: int) -> None:
        self.file = file
        self.path = program.path(file)
        self.folder = self.path.rpartition("/")[0]
        self.language = program.language(file)
        self.definitions: Sequence[Definition] = program.definitions(file)
        self.references: BlobReferences = program.references(file)
        self.by_unit = {one.index: one for one in self.definitions}
        self.parents = _parents(self.definitions)
        """Unit → the unit around it, MODULE_SCOPE for none."""

    @property
    def package(self) -> str:
        """The package or namespace that the file declares."""
        return self.references.package

    # Definitions

    @cached_property
    def by_symbol(self) -> dict[str, list[Definition]]:
        """Definitions by their whole symbol."""
        found: dict[str, list[Definition]] = {}
        for one in self.definitions:
            found.setdefault(one.symbol, []).append(one)
        return found

    def at(self, symbol: str, kinds: frozenset[str] = ANY_KIND) -> list[Definition]:
        """The definitions of some kinds with a symbol."""
        return [one for one in self.by_symbol.get(symbol, ()) if one.kind in kinds]

    def outer(self, one: Definition) -> Definition | None:
        """The definition that encloses another one."""
        return self.by_unit.get(self.parents[one.index])

    def around(self, unit: Definition | None) -> Iterator[Definition]:
        """A definition and those that enclose it, inner ones first."""
        while unit is not None:
            yield unit
            unit = self.outer(unit)

    def outward(self, unit: int) -> Iterator[int]:
        """A unit and those that enclose it, inner ones first."""
        return (one.index for one in self.around(self.by_unit.get(unit)))

    @cached_property
    def inner(self) -> dict[int, list[Definition]]:
        """Unit → the definitions that it encloses directly."""
        inner: dict[int, list[Definition]] = {}
        for one in self.definitions:
            inner.setdefault(self.parents[one.index], []).append(one)
        return inner

    def members(self, one: Definition) -> list[Definition]:
        """The definitions directly in another one, without those in a nested scope that isn't a unit."""
        return [member for member in self.inner.get(one.index, []) if member.owner == one.symbol]

    def class_symbol(self, unit: Definition | None) -> str:
        """The symbol of the class that a definition is or belongs to; empty for none."""
        for one in self.around(unit):
            if one.kind in CLASS_KINDS:
                return one.symbol
            if one.owner and (self.at(one.owner, CLASS_KINDS) or self.outer(one) is None):
                return one.owner
        return ""

    # Imports, exports and base classes

    @cached_property
    def aliases(self) -> dict[str, list[Import]]:
        """Imports by the name that they have here."""
        named: dict[str, list[Import]] = {}
        for one in self.references.imports:
            if one.alias and one.name != "*":
                named.setdefault(one.alias, []).append(one)
        return named

    @cached_property
    def stars(self) -> list[Import]:
        """Imports of everything that a module offers."""
        return [one for one in self.references.imports if one.name == "*"]

    @cached_property
    def exports(self) -> dict[str, list[Export]]:
        """Exports by name."""
        exports: dict[str, list[Export]] = {}
        for one in self.references.exports:
            exports.setdefault(one.name, []).append(one)
        return exports

    def local_names(self, name: str) -> list[str]:
        """The other names of what is exported under a name."""
        return [one.local for one in self.exports.get(name, ()) if one.local and one.local != name]

    @cached_property
    def bases(self) -> dict[int, list[str]]:
        """Unit → chains of its base classes, interfaces and traits."""
        bases: dict[int, list[str]] = {}
        for one in self.references.references:
            if one.kind in (BASE, IMPLEMENTS):
                bases.setdefault(one.unit, []).append(one.chain)
        return bases

    # Bindings

    @cached_property
    def bindings(self) -> dict[int, dict[str, list[str]]]:
        """Unit → name → the types that it is bound to there."""
        bound: dict[int, dict[str, list[str]]] = {}
        for one in self.references.bindings:
            bound.setdefault(one.unit, {}).setdefault(one.name, []).append(one.type)
        return bound

    def bound(self, unit: int, name: str) -> list[str]:
        """The types that a name is bound to in a unit itself."""
        return self.bindings.get(unit, {}).get(name, [])

    @cached_property
    def fields(self) -> dict[str, dict[str, list[tuple[int, str]]]]:
        """Symbol of a class → field → the units in which it is bound, and the types that it is bound to."""
        fields: dict[str, dict[str, list[tuple[int, str]]]] = {}
        for one in self.references.bindings:
            if one.name.startswith(INSTANCE_PREFIX):
                named = fields.setdefault(self.owner_of_fields(one.unit), {})
                named.setdefault(one.name.removeprefix(INSTANCE_PREFIX), []).append((one.unit, one.type))
        return fields

    def owner_of_fields(self, unit: int) -> str:
        """The symbol of the class whose fields a unit binds."""
        return self.class_symbol(self.by_unit.get(unit))


def _parents(definitions: Sequence[Definition]) -> dict[int, int]:
    """Each unit's innermost enclosing one: by lines, and by what its symbol begins with."""
    parents: dict[int, int] = {}
    stack: list[Definition] = []
    for one in definitions:
        while stack and not (one.end_line <= stack[-1].end_line and one.symbol.startswith(f"{stack[-1].symbol}.")):
            stack.pop()
        parents[one.index] = stack[-1].index if stack else MODULE_SCOPE
        stack.append(one)
    return parents
