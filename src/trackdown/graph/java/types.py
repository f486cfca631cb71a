"""Java's types: which class a name means in a unit, what it inherits, which members it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.paths import shared_length
from trackdown.graph.program import Definition, Program
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import BASE, IMPLEMENTS, last_name

Definitions = tuple[Definition, ...]
_MOST_NAMESAKES = 60
_LARGEST_LINEAGE = 200
_DEEPEST = 12


class JavaFile(FileScopes):
    """One Java file: its imports by what they are."""

    def __init__(self, program: Program, file: int) -> None:
        super().__init__(program, file)
        self.single: dict[str, str] = {}
        self.static: dict[str, list[str]] = {}
        self.on_demand: list[str] = []
        for one in self.references.imports:
            if one.name == "*":
                self.on_demand.append(one.module)
            elif one.name:
                self.static.setdefault(one.name, []).append(one.module)
            else:
                self.single[one.alias] = one.module
        self.kinds_of_bases: dict[int, list[tuple[str, str]]] = {}
        """Unit → the kind and chain of each of its bases."""
        for reference in self.references.references:
            if reference.kind in (BASE, IMPLEMENTS):
                self.kinds_of_bases.setdefault(reference.unit, []).append((reference.kind, reference.chain))

    def takes(self, method: Definition, arity: int) -> bool:
        """Whether a method can be called with this number of arguments; -1 means any number."""
        said = self.bound(method.index, "()")
        if arity < 0 or not said:
            return True
        count, more = said[0].removesuffix("+"), said[0].endswith("+")
        return not count.isdecimal() or int(count) == arity or (more and arity >= int(count))


@dataclass(frozen=True, slots=True)
class Supers:
    """What a class extends and implements within the program."""

    classes: Definitions = ()
    interfaces: Definitions = ()


class JavaTypes:
    """Finds types and members, each once."""

    def __init__(self, sources: Sources[JavaFile]) -> None:
        self.file = sources.scopes
        self._sources = sources
        self._program = sources.program
        self._found: dict[tuple[str, str], Definitions] = {}
        self._visible: dict[tuple[int, int, str], Definitions] = {}
        self._supers: dict[Definition, Supers] = {}
        self._pending: set[Definition] = set()
        self._lineages: dict[Definition, Definitions] = {}
        self._members: dict[Definition, dict[str, list[Definition]]] = {}

    # Names

    def expect(self, here: JavaFile, names: Iterable[str]) -> None:
        """Get the references of the files together in which imported classes and those of the package may be."""
        wanted = {(one.module, last_name(one.module)) for one in here.references.imports if one.name != "*"}
        wanted |= {(f"{here.package}.{name}", name) for name in names}
        files = (
            one.file
            for qualified, name in wanted
            for one in self._sources.named(name)[:_MOST_NAMESAKES]
            if one.symbol == name and self._program.path(one.file).endswith(f"{qualified.replace('.', '/')}.java")
        )
        self._sources.expect(files)

    def find(self, package: str, name: str, near: int) -> Definitions:
        """The classes of a name at the top of a package; of several, those whose paths are nearest to a file."""
        key = (package, name)
        if key not in self._found:
            self._found[key] = self._declared(package, name)
        found = self._found[key]
        if len(found) < 2:
            return found
        here = self._program.path(near).split("/")
        shared = [shared_length(here, self._program.path(one.file).split("/")) for one in found]
        return tuple(one for one, count in zip(found, shared, strict=True) if count == max(shared))

    def _declared(self, package: str, name: str) -> Definitions:
        namesakes = [one for one in self._sources.named(name) if one.symbol == name and one.kind in CLASS_KINDS]
        folder = package.replace(".", "/")
        usual = [one for one in namesakes if self._program.path(one.file).rpartition("/")[0].endswith(folder)]
        return self._in_package(usual, package) or self._in_package(namesakes[:_MOST_NAMESAKES], package)

    def _in_package(self, classes: Sequence[Definition], package: str) -> Definitions:
        self._sources.expect(one.file for one in classes)
        return tuple(one for one in classes if self.file(one.file).package == package)

    def visible(self, file: int, unit: int, name: str) -> Definitions:
        """The classes that a simple name may mean in a unit."""
        key = (file, unit, name)
        if key not in self._visible:
            self._visible[key] = ()  # while the lookup is under way
            self._visible[key] = self._in_scope(file, unit, name)
        return self._visible[key]

    def _in_scope(self, file: int, unit: int, name: str) -> Definitions:
        here = self.file(file)
        for index in here.outward(unit):
            one = here.by_unit[index]
            if one.kind not in CLASS_KINDS:
                found = tuple(local for local in here.members(one) if _is_class(local, name))
                found = found or tuple(each for base in self.extended(here, index) for each in self.nested(base, name))
            else:
                found = (one,) if one.name == name else self.nested(one, name)
            if found:
                return found
        if unit >= 0:
            return self.visible(file, -1, name)
        if name in here.single:
            return self.qualified(here.single[name], file)
        found = tuple(one for one in here.inner.get(-1, ()) if _is_class(one, name))
        found = found or tuple(
            nested
            for module in here.static.get(name, ())
            for owner in self.qualified(module, file)
            for nested in self.nested(owner, name)
        )
        return found or self.find(here.package, name, file) or self._on_demand(here, name)

    def extended(self, here: JavaFile, method: int) -> Definitions:
        """What the anonymous class of a method extends; nothing for a method of any other class."""
        found = (self.named(here.file, here.parents[method], name) for name in here.bound(method, "self"))
        return tuple(one for each in found for one in each)

    def _on_demand(self, here: JavaFile, name: str) -> Definitions:
        found: dict[Definition, None] = {}
        for module in here.on_demand:
            found.update(dict.fromkeys(self.find(module, name, here.file)))
            for owner in self.qualified(module, here.file):
                found.update(dict.fromkeys(self.nested(owner, name)))
        return tuple(found)

    def qualified(self, name: str, near: int) -> Definitions:
        """The classes of a name with its package: `a.b.Outer.Inner`."""
        parts = name.split(".")
        for first in range(len(parts)):
            found = self.find(".".join(parts[:first]), parts[first], near)
            for part in parts[first + 1 :]:
                found = tuple(nested for one in found for nested in self.nested(one, part))
            if found:
                return found
        return ()

    def named(self, file: int, unit: int, name: str) -> Definitions:
        """The classes that a name means in a unit: `Inner`, `Outer.Inner`, `a.b.Outer`."""
        first, *rest = name.split(".")
        found = self.visible(file, unit, first)
        for part in rest:
            found = tuple(nested for one in found for nested in self.nested(one, part))
        return found or (self.qualified(name, file) if rest else ())

    # Classes

    def supers(self, one: Definition) -> Supers:
        """What a class extends and implements directly."""
        if one not in self._supers:
            if one in self._pending or len(self._pending) >= _DEEPEST:
                return Supers()  # a class that extends itself extends nothing
            self._pending.add(one)
            here = self.file(one.file)
            found: dict[str, dict[Definition, None]] = {BASE: {}, IMPLEMENTS: {}}
            for kind, chain in here.kinds_of_bases.get(one.index, ()):
                kind = IMPLEMENTS if one.kind == "interface" else kind
                found[kind].update(dict.fromkeys(self.named(one.file, here.parents[one.index], chain)))
            self._supers[one] = Supers(tuple(found[BASE]), tuple(found[IMPLEMENTS]))
            self._pending.remove(one)
        return self._supers[one]

    def lineage(self, one: Definition) -> Definitions:
        """A class, what it extends, and then all interfaces: the order in which members are looked for."""
        if one in self._lineages:
            return self._lineages[one]
        seen: dict[Definition, None] = {one: None}
        _spread(seen, lambda each: self.supers(each).classes)
        _spread(seen, lambda each: self.supers(each).classes + self.supers(each).interfaces)
        if not self._pending:  # else something may still be missing
            self._lineages[one] = tuple(seen)
        return tuple(seen)

    def members(self, one: Definition) -> dict[str, list[Definition]]:
        """What a class itself defines, by name."""
        if one not in self._members:
            found: dict[str, list[Definition]] = {}
            for member in self.file(one.file).members(one):
                found.setdefault(member.name, []).append(member)
            self._members[one] = found
        return self._members[one]

    def nested(self, one: Definition, name: str) -> Definitions:
        """The classes of a name in a class, or in the nearest that it inherits from."""
        for each in self.lineage(one):
            found = tuple(member for member in self.members(each).get(name, ()) if member.kind in CLASS_KINDS)
            if found:
                return found
        return ()

    def methods(self, one: Definition, name: str, arity: int) -> Definitions:
        """The methods that a call means: of the nearest class in the lineage that has one for that arity."""
        for each in self.lineage(one):
            if name == each.name:
                continue  # constructors are not methods
            here = self.file(each.file)
            named = [member for member in self.members(each).get(name, ()) if member.kind in FUNCTION_KINDS]
            found = tuple(member for member in named if here.takes(member, arity))
            if found:
                return found
        return ()

    def takes(self, method: Definition, arity: int) -> bool:
        """Whether a method can be called with this number of arguments; -1 means any number."""
        return self.file(method.file).takes(method, arity)

    def field(self, one: Definition, name: str) -> tuple[Definition, list[str]] | None:
        """The class of the lineage that declares a field, and its type."""
        for each in self.lineage(one):
            types = self.file(each.file).bound(each.index, f"self.{name}")
            if types:
                return each, types
        return None


def _is_class(one: Definition, name: str) -> bool:
    return one.kind in CLASS_KINDS and one.name == name


def _spread(seen: dict[Definition, None], following: Callable[[Definition], Definitions]) -> None:
    """Add all that can be reached, level by level."""
    waiting = list(seen)
    while waiting and len(seen) < _LARGEST_LINEAGE:
        waiting = [other for one in waiting for other in following(one)]
        waiting = [other for other in dict.fromkeys(waiting) if other not in seen]
        seen.update(dict.fromkeys(waiting))
