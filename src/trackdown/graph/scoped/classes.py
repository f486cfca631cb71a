"""Classes: which one a unit belongs to, what it inherits, which methods and fields it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trackdown.graph.file_scopes import FileScopes
from trackdown.graph.memo import RecursiveMemo
from trackdown.graph.program import Definition
from trackdown.graph.resolver import NOWHERE, Resolved, resolved
from trackdown.graph.scoped.rules import Rules
from trackdown.graph.sources import Sources
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS

_MOST_BASES = 32
_MOST_IMPLEMENTERS = 12

TypeOf = Callable[[FileScopes, Definition | None, str], tuple[Definition, ...]]
"""The classes that a written type means in a unit."""


class Classes:
    """Looks up classes by their members and the other way round; what it found out is kept."""

    def __init__(self, sources: Sources[FileScopes], rules: Rules, memo: RecursiveMemo, type_of: TypeOf) -> None:
        self._sources = sources
        self._rules = rules
        self._memo = memo
        self._type_of = type_of
        self._selves: dict[tuple[int, str], tuple[Definition, ...]] = {}
        self._lines: dict[Definition, tuple[Definition, ...]] = {}
        self._members: dict[tuple[Definition, str], tuple[Definition, ...]] = {}

    def selves(self, scopes: FileScopes, unit: Definition | None) -> tuple[Definition, ...]:
        """The class that a unit belongs to, wherever that is defined."""
        symbol = scopes.class_symbol(unit)
        if not symbol:
            return ()
        own = scopes.at(symbol, CLASS_KINDS)
        if own:
            return tuple(own)
        key = (scopes.file, symbol)
        return self._memo.once(self._selves, key, lambda: self._type_of(scopes, None, symbol), ())

    def line(self, one: Definition) -> tuple[Definition, ...]:
        """A class, its other parts, and its bases, nearest first."""
        return self._memo.once(self._lines, one, lambda: self._lined_up(one), (one,))

    def _lined_up(self, one: Definition) -> tuple[Definition, ...]:
        line: dict[Definition, None] = {}
        layer = [one]
        while layer and len(line) < _MOST_BASES:
            parts = [part for each in layer if each not in line for part in self._rules.parts(each)]
            line.update(dict.fromkeys(parts))
            layer = [base for part in parts for base in self._bases_of_part(part)]
        return tuple(line)

    def bases(self, scopes: FileScopes, unit: Definition | None) -> tuple[Definition, ...]:
        """The classes that a unit's class inherits from directly."""
        parts = [part for one in self.selves(scopes, unit) for part in self._rules.parts(one)]
        return tuple(dict.fromkeys(base for part in parts for base in self._bases_of_part(part)))

    def _bases_of_part(self, one: Definition) -> list[Definition]:
        scopes = self._sources.scopes(one.file)
        outer = scopes.outer(one)
        chains = scopes.bases.get(one.index, ())
        return [base for chain in chains for base in self._type_of(scopes, outer, chain) if base != one]

    def members(self, classes: Sequence[Definition], name: str) -> Resolved:
        """The methods of a name that classes have or inherit."""
        if not self._sources.named(name):
            return NOWHERE
        own = [method for one in classes[:_MOST_BASES] for method in self._members_of(one, name)]
        return resolved(own) if own else NOWHERE

    def _members_of(self, one: Definition, name: str) -> tuple[Definition, ...]:
        return self._memo.once(self._members, (one, name), lambda: self._nearest_members(one, name), ())

    def _nearest_members(self, one: Definition, name: str) -> tuple[Definition, ...]:
        for each in self.line(one):
            owned = self._sources.owned(name, each.name)
            if name == each.name or not owned:
                continue  # constructors are not called like methods
            self._sources.expect(method.file for method in owned)
            own = tuple(one for one in owned if one.kind in FUNCTION_KINDS and self._belongs(one, each))
            if own:
                return own
        return ()

    def _belongs(self, method: Definition, one: Definition) -> bool:
        if method.file == one.file:
            return method.owner == one.symbol or one.symbol.endswith(f".{method.owner}")
        owners = self.selves(self._sources.scopes(method.file), method)
        return one in owners or any(part in owners for part in self._rules.parts(one))

    def implementers(self, classes: Iterable[Definition], name: str) -> Resolved:
        """The methods of a name in classes that inherit from one of these."""
        candidates = [method for method in self._sources.named(name) if method.owner][:_MOST_IMPLEMENTERS]
        self._sources.expect(method.file for method in candidates)
        wanted = set(classes)
        own = []
        for method in candidates:
            owners = self.selves(self._sources.scopes(method.file), method)
            if any(not wanted.isdisjoint(self.line(owner)) for owner in owners):
                own.append(method)
        return resolved(own, sure=False) if own else NOWHERE

    def field(self, one: Definition, name: str) -> tuple[FileScopes, list[tuple[int, str]]] | None:
        """Where a field of a class or its bases is bound, and to what; also a method that is only declared."""
        for each in self.line(one):
            scopes = self._sources.scopes(each.file)
            bound = scopes.fields.get(each.symbol, {}).get(name)
            if bound:
                return scopes, bound
        return None

    def names(self, classes: Iterable[Definition]) -> frozenset[str]:
        """The last names of classes and of what they inherit."""
        return frozenset(each.name for one in classes for each in self.line(one))
