"""Which names are visible where: one class of rules for each language or family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, Link, Resolved, import_link, resolved
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references import Import

Space = Any
"""A module or namespace, in whatever form the rules of its language represent it."""
COMMON_NAMES = frozenset(
    "add advance after all and any append apply args before begin build call check class clear clone close collect "
    "compare contains context copy count create data debug default delete describe drop empty end equals error execute "
    "exists exit expect extend fail fetch filter find finish first flush format free from get handle hash id include "
    "index info init initialize insert inspect invoke item items iter join key keys last len length list load lock log "
    "main make map match max merge min name names new next nil none not open options order parse path peek poll pop "
    "print process push put read record release remove render replace require reset resize resolve result reverse run "
    "save search select send set setup shift show size skip sort split start state stop string sub substring sum swap "
    "sync take tap test then trim type unlock unwrap update use validate value values verify version wait with write "
    "zip".split()
)
"""Names, in lower case, that say too little in any language."""


class Rules:
    """The rules of a language; this base only knows nesting within one file."""

    implicit_self = True
    """Whether a method calls another one of its class by the name alone."""
    callable = CLASS_KINDS | FUNCTION_KINDS
    """What can be called like a function."""
    all_bound = False
    """Whether every variable is bound somewhere, so that an unbound name means something else."""
    common_names = COMMON_NAMES
    """Names in lower case, without `?`, `!` and `=`, that are too common to find a definition by."""
    same_value: frozenset[str] = frozenset()
    """Methods of libraries that return, more or less, what they are called on."""
    gives_element: frozenset[str] = frozenset()
    """Methods of libraries that return an element of a container."""
    gives_container: frozenset[str] = frozenset()
    """Methods of libraries that return a container of the same elements."""

    def __init__(self, sources: Sources[FileScopes]) -> None:
        self.sources = sources

    def lookup(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> Resolved:
        """What a simple name means in a unit."""
        own = self.nested(scopes, unit, name, kinds)
        return resolved(own) if own else resolved(scopes.at(name, kinds))

    def nested(self, scopes: FileScopes, unit: Definition | None, name: str, kinds: frozenset[str]) -> list[Definition]:
        """The definitions of a name within those that enclose a unit: a function in a function, a class in a class."""
        for one in scopes.around(unit):
            inner = kinds if one.kind in FUNCTION_KINDS else kinds & CLASS_KINDS
            own = scopes.at(f"{one.symbol}.{name}", inner)
            if own:
                return own
            if one.owner and scopes.outer(one) is None:
                own = scopes.at(f"{one.owner}.{name}", kinds & CLASS_KINDS)
                if own:
                    return own
        return []

    def macro(self, scopes: FileScopes, name: str) -> Resolved | None:
        """The macro of a name; None for languages whose macros are not definitions."""
        return None

    def owned(self, scopes: FileScopes, head: str, name: str) -> Resolved:
        """A function of a type that has functions but no definition."""
        return NOWHERE

    def space(self, scopes: FileScopes, name: str) -> Space | None:
        """The module or namespace that a name means in a file; the empty name is the root."""
        return None

    def below(self, space: Space, name: str) -> Space | None:
        """A module or namespace in another."""
        return None

    def inside(self, space: Space, name: str, kinds: frozenset[str]) -> Resolved:
        """The definitions of a name in a module or namespace."""
        return NOWHERE

    def parts(self, one: Definition) -> Iterable[Definition]:
        """All parts of a class, itself first."""
        return (one,)

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in a class."""
        return self.sources.scopes(one.file).at(f"{one.symbol}.{name}", CLASS_KINDS)

    def extensions(self, scopes: FileScopes, name: str, owners: frozenset[str] | None) -> Resolved:
        """Visible functions that extend one of the named types (None: an unknown one) by a method."""
        return NOWHERE

    def by_member(self, scopes: FileScopes) -> bool:
        """Whether a call on an unknown object may be resolved by its name."""
        return True

    def reachable(self, scopes: FileScopes, one: Definition) -> bool:
        """Whether a file can refer to a definition of another file."""
        return True

    def imports(self, scopes: FileScopes) -> Iterator[Link]:
        """The links of a file's imports."""
        return iter(())


class IncludingRules(Rules):
    """The rules of a language whose files see what they include or require."""

    most_reached = 400
    """How many files are followed from one."""

    def __init__(self, sources: Sources[FileScopes]) -> None:
        super().__init__(sources)
        self._included: dict[int, tuple[int, ...]] = {}
        self._reached: dict[int, dict[int, None]] = {}

    def target(self, scopes: FileScopes, one: Import) -> int | None:
        """The file that an import includes; None if it is outside the program."""
        raise NotImplementedError

    def included(self, file: int) -> tuple[int, ...]:
        """The files that a file includes itself."""
        if file not in self._included:
            scopes = self.sources.scopes(file)
            targets = (self.target(scopes, one) for one in scopes.references.imports)
            self._included[file] = tuple(dict.fromkeys(target for target in targets if target is not None))
        return self._included[file]

    def reached(self, file: int) -> dict[int, None]:
        """The files that a file includes, directly or not, nearest first."""
        if file not in self._reached:
            reached: dict[int, None] = {}
            layer = list(self.included(file))
            while layer and len(reached) < self.most_reached:
                self.sources.expect(layer)
                reached.update(dict.fromkeys(layer))
                following = dict.fromkeys(each for one in layer for each in self.included(one))
                layer = [each for each in following if each not in reached]
            reached.pop(file, None)
            self._reached[file] = reached
        return self._reached[file]

    def imports(self, scopes: FileScopes) -> Iterator[Link]:
        """Includes lead to files."""
        return (import_link(target) for target in self.included(scopes.file) if target != scopes.file)
