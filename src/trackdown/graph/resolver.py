"""Links, and how every language's resolver makes them.

A resolver is a class in a package beside this file. `graph.RESOLVERS` says which languages it resolves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Generic, NamedTuple, Protocol

from trackdown.graph.edges import HOWS, EdgeType, How
from trackdown.graph.program import Definition
from trackdown.graph.sources import Scopes, Sources
from trackdown.units.references import BASE, IMPLEMENTS, Reference

_MOST_REFERENCES = 50_000
_MOST_NAMESAKES = 3
_RANK: dict[How, int] = {how: rank for rank, how in enumerate(HOWS)}
Target = Definition | int
"""What a link leads to: a definition, or a file by its number."""


@dataclass(frozen=True, slots=True)
class Link:
    """A resolved reference of a file. `source` None is the file itself.

    A call of a class leads to the class. Imports lead from the file to a file, or to the imported definition.
    """

    source: Definition | None
    target: Target
    type: EdgeType
    how: How


class Resolver(Protocol):
    """Resolves the references of files in some languages. Made once for a program; may keep what it finds."""

    def links(self, file: int) -> list[Link]:
        """All that a file refers to within the program. Never raises for any content, never loops."""
        ...


class Resolved(NamedTuple):
    """The definitions that a name or use may mean. `outside`: it means something that the program doesn't contain."""

    definitions: tuple[Definition, ...] = ()
    how: How = "exact"
    outside: bool = False


NOWHERE = Resolved()
OUTSIDE = Resolved(outside=True)


def resolved(definitions: Iterable[Definition], sure: bool = True) -> Resolved:
    """Each definition once; exact if it is a single one and the way to it was `sure`."""
    unique = tuple(dict.fromkeys(definitions))
    return Resolved(unique, "exact" if sure and len(unique) == 1 else "scoped")


def import_link(target: Target, sure: bool = True) -> Link:
    """The link of an import."""
    return Link(None, target, "imports", "exact" if sure else "scoped")


class ReferenceResolver(ABC, Generic[Scopes]):
    """Makes links of a file's imports and uses: each target of a definition once, by the surest way.

    A language's resolver says what an import or use means.
    """

    most_targets = 12
    """A use that may mean more definitions than this says too little to become a link."""
    common_names: frozenset[str] = frozenset()
    """Methods that are too common, in libraries too, to identify anything by their name."""

    def __init__(self, sources: Sources[Scopes]) -> None:
        self.sources = sources

    @abstractmethod
    def import_links(self, scopes: Scopes) -> Iterable[Link]:
        """The links of a file's imports."""

    @abstractmethod
    def resolve(self, scopes: Scopes, use: Reference) -> Resolved:
        """The definitions that a call, construction, decorator or base class means."""

    def links(self, file: int) -> list[Link]:
        """All that a file refers to within the program. Never raises for any content, never loops."""
        scopes = self.sources.scopes(file)
        best: dict[tuple[Definition | None, Target, EdgeType], Link] = {}
        for link in chain(self.import_links(scopes), self._use_links(scopes)):
            key = (link.source, link.target, link.type)
            known = best.get(key)
            if known is None or _RANK[link.how] < _RANK[known.how]:
                best[key] = link
        return list(best.values())

    def _use_links(self, scopes: Scopes) -> Iterator[Link]:
        known: set[tuple[int, str, str, int]] = set()
        for use in scopes.references.references[:_MOST_REFERENCES]:
            key = (use.unit, use.kind, use.chain, use.arity)
            if key in known:
                continue
            known.add(key)
            found = self.resolve(scopes, use)
            if not 0 < len(found.definitions) <= self.most_targets:
                continue
            source = scopes.by_unit.get(use.unit)
            type_: EdgeType = "inherits" if use.kind in (BASE, IMPLEMENTS) else "invokes"
            yield from (Link(source, target, type_, found.how) for target in found.definitions if target != source)

    def by_name(
        self,
        name: str,
        fits: Callable[[Definition], bool],
        counts: Callable[[Definition], bool] = lambda _: True,
    ) -> Resolved:
        """The last resort for a rare name: definitions that share nothing with a use but the name.

        If more than a few definitions that count have the name, none is meant; else all of them that fit.
        """
        if name in self.common_names:
            return NOWHERE
        named = [one for one in self.sources.named(name) if counts(one)]
        return Resolved(tuple(filter(fits, named)), "name") if len(named) <= _MOST_NAMESAKES else NOWHERE
