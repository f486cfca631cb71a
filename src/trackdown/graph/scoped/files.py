"""Files as the scoped resolver sees them: definitions by symbol, what encloses what, what names are bound to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from trackdown.graph.edges import How
from trackdown.graph.program import Definition, Program
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references.facts import BASE, IMPLEMENTS, BlobReferences, Import

ANY_KIND = CLASS_KINDS | FUNCTION_KINDS
FAMILIES = {name: frozenset({name}) for name in ("rust", "csharp", "ruby", "php", "kotlin")} | {
    name: frozenset({"c", "cpp"}) for name in ("c", "cpp")
}
"""Languages whose definitions can be referred to from each of them."""


class Found(NamedTuple):
    """Definitions that a name stands for. `outside` says that it stands for something the program does not hold."""

    definitions: tuple[Definition, ...] = ()
    how: How = "exact"
    outside: bool = False


NOWHERE = Found()
OUTSIDE = Found(outside=True)


def found(definitions: Iterable[Definition], sure: bool = True) -> Found:
    """What was found, each once; several are not sure."""
    unique = tuple(dict.fromkeys(definitions))
    return Found(unique, "exact" if sure and len(unique) == 1 else "scoped")


class View:
    """One file: its references, and its definitions by symbol and by unit."""

    def __init__(self, program: Program, file: int, language: str) -> None:
        self.file = file
        self.path = program.path(file)
        self.folder = self.path.rpartition("/")[0]
        self.language = language
        self.definitions: Sequence[Definition] = program.definitions(file)
        self.references: BlobReferences = program.references(file)
        self.by_unit = {one.index: one for one in self.definitions}
        self.by_symbol: dict[str, list[Definition]] = {}
        for one in self.definitions:
            self.by_symbol.setdefault(one.symbol, []).append(one)

    @property
    def package(self) -> str:
        """The package or namespace that the file says it is in."""
        return self.references.package

    @cached_property
    def _outer(self) -> dict[int, Definition]:
        outer: dict[int, Definition] = {}
        stack: list[Definition] = []
        for one in self.definitions:
            while stack and stack[-1].end_line < one.end_line:
                stack.pop()
            if stack:
                outer[one.index] = stack[-1]
            stack.append(one)
        return outer

    def outer(self, one: Definition) -> Definition | None:
        """The definition that encloses another one by its lines."""
        return self._outer.get(one.index)

    def around(self, unit: Definition | None) -> Iterator[Definition]:
        """A definition and those that enclose it, inner ones first."""
        while unit is not None:
            yield unit
            unit = self.outer(unit)

    def at(self, symbol: str, kinds: frozenset[str] = ANY_KIND) -> list[Definition]:
        """Definitions with a symbol."""
        return [one for one in self.by_symbol.get(symbol, ()) if one.kind in kinds]

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
        """Imports of all that a module offers."""
        return [one for one in self.references.imports if one.name == "*"]

    @cached_property
    def exports(self) -> dict[str, list[tuple[str, str]]]:
        """What is offered under a name: the local name and the module, both empty for what is just declared."""
        exports: dict[str, list[tuple[str, str]]] = {}
        for one in self.references.exports:
            exports.setdefault(one.name, []).append((one.local, one.module))
        return exports

    def local_names(self, name: str) -> list[str]:
        """The other names of what is offered under a name."""
        return [local for local, _ in self.exports.get(name, ()) if local and local != name]

    @cached_property
    def bindings(self) -> dict[tuple[int, str], list[str]]:
        """(unit, name) → what it is bound to there."""
        bound: dict[tuple[int, str], list[str]] = {}
        for one in self.references.bindings:
            bound.setdefault((one.unit, one.name), []).append(one.type)
        return bound

    @cached_property
    def fields(self) -> dict[tuple[str, str], list[tuple[int, str]]]:
        """(symbol of a class, field) → the units in which it is bound, and to what."""
        fields: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for one in self.references.bindings:
            if one.name.startswith("self."):
                owner = self.class_symbol(self.by_unit.get(one.unit))
                fields.setdefault((owner, one.name[5:]), []).append((one.unit, one.type))
        return fields

    def class_symbol(self, unit: Definition | None) -> str:
        """The symbol of the class that a definition is or belongs to; empty for none."""
        for one in self.around(unit):
            if one.kind in CLASS_KINDS:
                return one.symbol
            if one.owner and (self.at(one.owner, CLASS_KINDS) or self.outer(one) is None):
                return one.owner
        return ""

    @cached_property
    def bases(self) -> dict[int, list[str]]:
        """Unit → chains of its base classes, interfaces and traits."""
        bases: dict[int, list[str]] = {}
        for one in self.references.references:
            if one.kind in (BASE, IMPLEMENTS):
                bases.setdefault(one.unit, []).append(one.chain)
        return bases


class Sources:
    """Views and definitions by name, of one family of languages, each made once."""

    def __init__(self, program: Program, family: frozenset[str]) -> None:
        self.program = program
        self.family = family
        self._views: dict[int, View] = {}
        self._languages: dict[int, str] = {}
        self._named: dict[str, tuple[Definition, ...]] = {}
        self._by_owner: dict[str, dict[str, list[Definition]]] = {}

    def language(self, file: int) -> str:
        """The language of a file."""
        if file not in self._languages:
            self._languages[file] = self.program.language(file)
        return self._languages[file]

    def view(self, file: int) -> View:
        """A file."""
        if file not in self._views:
            self._views[file] = View(self.program, file, self.language(file))
        return self._views[file]

    def expect(self, files: Iterable[int]) -> None:
        """These files will be looked at."""
        missing = {file for file in files if file not in self._views}
        if len(missing) > 1:
            self.program.expect(missing)

    def named(self, name: str) -> tuple[Definition, ...]:
        """All definitions of the family with a last name."""
        if name not in self._named:
            self._named[name] = tuple(
                one for one in self.program.named(name) if self.language(one.file) in self.family
            )  # fmt: skip
        return self._named[name]

    def owned(self, name: str, owner: str) -> Sequence[Definition]:
        """Definitions with a last name whose owner has a last name."""
        if name not in self._by_owner:
            by_owner: dict[str, list[Definition]] = {}
            for one in self.named(name):
                by_owner.setdefault(one.owner.rsplit(".", 1)[-1], []).append(one)
            self._by_owner[name] = by_owner
        return self._by_owner[name].get(owner, ())

    @cached_property
    def paths(self) -> dict[str, int]:
        """The files of the family by path."""
        return {path: file for path, file in self.program.files.items() if self.language(file) in self.family}

    @cached_property
    def by_filename(self) -> dict[str, list[str]]:
        """The paths of the family by their last part."""
        by_filename: dict[str, list[str]] = {}
        for path in self.paths:
            by_filename.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        return by_filename
