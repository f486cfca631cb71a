"""Which names C#, PHP and Kotlin see: their class, file, namespace and imports, by full names.

A full name is the namespace that the file says it is in, and the symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from trackdown.graph.file_scopes import ANY_KIND, FileScopes
from trackdown.graph.paths import joined_path
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, OUTSIDE, Link, Resolved, import_link, resolved
from trackdown.graph.scoped.rules import COMMON_NAMES, Rules
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import Import, last_name

_MOST_CANDIDATES = 200
_MOST_EXTENSIONS = 20
_MOST_ALIASES = 8


class NameRules(Rules):
    """A namespace is a tuple of the full names that a written one may mean."""

    functions_apart = False
    """Whether functions and classes are imported apart, so that an import of one does not hide the other."""

    def __init__(self, sources: Sources[FileScopes]) -> None:
        super().__init__(sources)
        self._full: dict[tuple[str, str], tuple[Definition, ...]] = {}

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a simple name means."""
        own = self.nested(scopes, unit, name, kinds) or scopes.at(name, kinds)
        if own:
            return resolved(own)
        imported = scopes.aliases.get(name)
        if imported:
            seen = [each for one in imported for each in self.full(one.module, one.name, kinds)]
            if seen:
                return resolved(seen)
            if not kinds & FUNCTION_KINDS or not self.functions_apart:
                return OUTSIDE
        local = self._behind(scopes, name)
        if local:
            return self.lookup(scopes, unit, local, kinds)
        for modules in self.visible(scopes):
            seen = [each for module in modules for each in self.full(module, name, kinds)]
            if seen:
                return resolved(seen)
        return NOWHERE

    def _behind(self, scopes: FileScopes, name: str) -> str:
        """The name that a type alias of the file resolves to; empty for other names."""
        behind = name
        for _ in range(_MOST_ALIASES):
            local = next(iter(scopes.local_names(behind)), "")
            if not local.isidentifier():
                return behind if behind != name else ""
            behind = local
        return ""  # they stand for each other

    def visible(self, scopes: FileScopes) -> Iterator[list[str]]:
        """The namespaces that a file sees, nearest first; those of one step are equal."""
        yield [scopes.package]
        yield [one.module for one in scopes.stars]

    def full(self, module: str, name: str, kinds: frozenset[str]) -> list[Definition]:
        """The definitions of a full name: a namespace, or a class in one, and a name."""
        key = (module, name)
        if key not in self._full:
            named = self.sources.named(name)[:_MOST_CANDIDATES]
            self.sources.expect(one.file for one in named)
            self._full[key] = tuple(one for one in named if self._where(one) == module)
        return [one for one in self._full[key] if one.kind in kinds]

    def _where(self, one: Definition) -> str:
        """A definition's full name without its last part."""
        package, owner = self.sources.scopes(one.file).package, self.owner(one)
        return f"{package}.{owner}" if package and owner else package or owner

    def owner(self, one: Definition) -> str:
        """The symbol of what a definition is a member of."""
        return one.owner

    def space(self, scopes: FileScopes, name: str) -> tuple[str, ...] | None:
        """The namespaces that a first name may mean; None if no namespace has that name."""
        if not name:
            return ("",)
        for one in scopes.aliases.get(name, ()):
            return (f"{one.module}.{one.name}" if one.module else one.name,)
        if name not in self._segments and name not in scopes.package.split("."):
            return None
        prefixes = [scopes.package]
        while prefixes[-1]:
            prefixes.append(prefixes[-1].rpartition(".")[0])
        return tuple(f"{prefix}.{name}" if prefix else name for prefix in prefixes)

    def below(self, space: tuple[str, ...], name: str) -> tuple[str, ...] | None:
        """A namespace in a namespace."""
        return tuple(f"{one}.{name}" if one else name for one in space)

    def inside(self, space: tuple[str, ...], name: str, kinds: frozenset[str]) -> Resolved:
        """The definitions in a namespace."""
        for one in space:
            seen = self.full(one, name, kinds)
            if seen:
                return resolved(seen)
        return NOWHERE

    def visible_extensions(
        self, scopes: FileScopes, name: str, owners: frozenset[str] | None, namespaces: set[str]
    ) -> Resolved:
        """Functions that extend one of the named types, in these namespaces or those that the file sees."""
        namespaces = namespaces.union(*self.visible(scopes))
        named = [one for one in self.sources.named(name)[:_MOST_EXTENSIONS] if one.kind in FUNCTION_KINDS]
        self.sources.expect(one.file for one in named)
        seen = []
        for one in named:
            other = self.sources.scopes(one.file)
            type_ = self.extended(other, one)
            if type_ and other.package in namespaces and (owners is None or last_name(type_) in owners):
                seen.append(one)
        return resolved(seen, sure=owners is not None) if seen else NOWHERE

    def extended(self, scopes: FileScopes, one: Definition) -> str:
        """The type that a function extends by a method; empty for none."""
        return ""

    @cached_property
    def _segments(self) -> frozenset[str]:
        """Names of folders, because most namespaces are named after them, and the parts of dotted ones."""
        segments = {part for path in self.sources.paths for part in path.split("/")[:-1]}
        return frozenset(segments | {each for part in segments for each in part.split(".")})

    def imports(self, scopes: FileScopes) -> Iterator[Link]:
        """Imports lead to the definitions of the full name."""
        for one in scopes.references.imports:
            for target in self.imported(scopes, one):
                if target != scopes.file and not (isinstance(target, Definition) and target.file == scopes.file):
                    yield import_link(target)

    def imported(self, scopes: FileScopes, one: Import) -> list[Definition] | list[int]:
        """What an import brings in."""
        if one.name and one.name != "*":
            return self.full(one.module, one.name, ANY_KIND)
        return []


class CSharpRules(NameRules):
    """Partial classes, enclosing namespaces, `using static`, extension methods."""

    common_names = COMMON_NAMES | frozenset(
        "containskey dispose foreach getenumerator getvalue isnullorempty toarray tolist tostring trygetvalue".split()
    )
    same_value = frozenset("ConfigureAwait GetAwaiter GetResult Value".split())
    gives_element = frozenset("First FirstOrDefault Last LastOrDefault Single SingleOrDefault".split())
    gives_container = frozenset(
        "Where OrderBy OrderByDescending ToList ToArray Values Skip Take AsEnumerable Reverse Distinct".split()
    )

    callable = FUNCTION_KINDS

    def visible(self, scopes: FileScopes) -> Iterator[list[str]]:
        """The namespace and those around it, then what is used."""
        package = scopes.package
        yield [package]
        while package:
            package = package.rpartition(".")[0]
            yield [package]
        yield [one.module for one in scopes.stars]

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a simple name means; of a partial class, its chief part."""
        return self._chief(super().lookup(scopes, unit, name, kinds))

    def inside(self, space: tuple[str, ...], name: str, kinds: frozenset[str]) -> Resolved:
        """The definitions in a namespace; of a partial class, its chief part."""
        return self._chief(super().inside(space, name, kinds))

    def _chief(self, seen: Resolved) -> Resolved:
        if not seen.definitions or any(one.kind not in CLASS_KINDS for one in seen.definitions):
            return seen
        parts = self.parts(seen.definitions[0])
        if len(parts) == 1 or not set(seen.definitions) <= set(parts):
            return seen
        chief = min(parts, key=lambda one: (not self._names_base(one), one.start_line - one.end_line, one.file))
        return Resolved((chief,), "exact")

    def _names_base(self, one: Definition) -> bool:
        return one.index in self.sources.scopes(one.file).bases

    def parts(self, one: Definition) -> list[Definition]:
        """The parts of a partial class."""
        where = self._where(one)
        others = [each for each in self.full(where, one.name, CLASS_KINDS) if each.symbol == one.symbol]
        return [one, *(each for each in others if each != one)]

    def nested(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> list[Definition]:
        """Definitions in another part of an enclosing class count, too."""
        own = super().nested(scopes, unit, name, kinds)
        if own or not kinds & CLASS_KINDS or not self.sources.named(name):
            return own
        enclosing = (one for one in scopes.around(unit) if one.kind in CLASS_KINDS)
        return next((inner for one in enclosing if (inner := self.member_class(one, name))), [])

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in any part of a class."""
        return [each for part in self.parts(one) for each in super(CSharpRules, self).member_class(part, name)]

    def imported(self, scopes: FileScopes, one: Import) -> list[Definition] | list[int]:
        """A class whose static members are used, or that gets another name."""
        if one.name == "*" and one.alias:
            module, _, name = one.module.rpartition(".")
            return self.full(module, name, CLASS_KINDS)
        return super().imported(scopes, one)

    def extensions(self, scopes: FileScopes, name: str, owners: frozenset[str] | None) -> Resolved:
        """Methods with a `this` parameter in a namespace that the file sees."""
        return self.visible_extensions(scopes, name, owners, set())

    def extended(self, scopes: FileScopes, one: Definition) -> str:
        """The type of the `this` parameter."""
        return next(iter(scopes.bound(one.index, "self")), "")


class PhpRules(NameRules):
    """Functions and classes are names apart; a function that a namespace does not have is the global one."""

    common_names = COMMON_NAMES | frozenset("call_user_func method_exists tostring toarray".split())

    implicit_self = False
    callable = FUNCTION_KINDS
    functions_apart = True

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a simple name means; a function may be a global one."""
        seen = super().lookup(scopes, unit, name, kinds)
        if not seen.definitions and not seen.outside and kinds & FUNCTION_KINDS:
            return resolved(self.full("", name, kinds))
        return seen

    def nested(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> list[Definition]:
        """A function in a function is one of the namespace, and a variable's function is called by its variable."""
        return []

    def space(self, scopes: FileScopes, name: str) -> tuple[str, ...] | None:
        """A namespace below the file's own, or one that is imported."""
        if name.startswith("$"):
            return None
        if not name or name in scopes.aliases:
            return super().space(scopes, name)
        return (f"{scopes.package}.{name}" if scopes.package else name,) if name in self._segments else None

    def imported(self, scopes: FileScopes, one: Import) -> list[Definition] | list[int]:
        """A class or function, or a file that is required."""
        if one.name:
            return super().imported(scopes, one)
        relative = one.module.removeprefix("./")
        candidates = [joined_path(scopes.folder, relative)]
        if not one.module.startswith("./"):
            candidates.append(joined_path("", relative))
        return [self.sources.paths[path] for path in candidates if path in self.sources.paths][:1]


class KotlinRules(NameRules):
    """Extension functions belong to their package, although their symbol begins with the type they extend."""

    common_names = COMMON_NAMES | frozenset(
        "containskey foreach getorelse getorput getvalue isempty isnotempty orempty padend toarray tolist "
        "tostring".split()
    )
    same_value = frozenset("also apply await get value".split())
    gives_element = frozenset(
        "find first firstOrNull get getOrNull getValue last lastOrNull next remove single".split()
    )
    gives_container = frozenset("asSequence distinct filter reversed sortedBy toList toSet values".split())

    def owner(self, one: Definition) -> str:
        """The class of a member; none for an extension of a class that is not around it."""
        scopes = self.sources.scopes(one.file)
        if one.kind in FUNCTION_KINDS and one.owner and not scopes.at(one.owner):
            return ""
        outer = scopes.outer(one)
        return "" if outer is None else one.owner

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a simple name means; of several extensions, those of the type that the unit itself extends."""
        seen = super().lookup(scopes, unit, name, kinds)
        if len(seen.definitions) < 2 or unit is None:
            return seen
        owner = scopes.class_symbol(unit)
        own = [one for one in seen.definitions if one.owner == owner]
        return resolved(own, sure=False) if own else seen

    def extensions(self, scopes: FileScopes, name: str, owners: frozenset[str] | None) -> Resolved:
        """Extension functions that are imported or in a package that the file sees."""
        return self.visible_extensions(scopes, name, owners, {one.module for one in scopes.aliases.get(name, ())})

    def extended(self, scopes: FileScopes, one: Definition) -> str:
        """The type that an extension's symbol begins with."""
        return one.owner if scopes.outer(one) is None else ""
