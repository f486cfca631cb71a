"""What a language says about which names are visible where. One class of rules per language or family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from trackdown.graph.program import Definition
from trackdown.graph.resolver import Link
from trackdown.graph.scoped.files import NOWHERE, Found, Sources, View, found
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS

Space = Any
"""A module or namespace: whatever the rules that made it understand."""


class Rules:
    """The rules of a language; this base knows nesting inside one file and nothing else."""

    implicit_self = True
    """Whether a method calls another one of its class by the name alone."""
    callable = CLASS_KINDS | FUNCTION_KINDS
    """What can be called like a function."""
    all_bound = False
    """Whether every variable is bound somewhere, so that a name that is not stands for something else."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def lookup(self, view: View, unit: Definition | None, name: str, kinds: frozenset[str]) -> Found:
        """What a simple name stands for in a unit."""
        own = self.nested(view, unit, name, kinds)
        return found(own) if own else found(view.at(name, kinds))

    def nested(self, view: View, unit: Definition | None, name: str, kinds: frozenset[str]) -> list[Definition]:
        """What stands under a name in what encloses a unit: a function in a function, a class in a class."""
        for one in view.around(unit):
            inner = kinds if one.kind in FUNCTION_KINDS else kinds & CLASS_KINDS
            own = view.at(f"{one.symbol}.{name}", inner)
            if own:
                return own
            if one.owner and view.outer(one) is None:
                own = view.at(f"{one.owner}.{name}", kinds & CLASS_KINDS)
                if own:
                    return own
        return []

    def macro(self, view: View, name: str) -> Found | None:
        """The macro of a name; None for languages whose macros are no definitions."""
        return None

    def owned(self, view: View, head: str, name: str) -> Found:
        """A function of a type that nothing defines, though something is defined for it."""
        return NOWHERE

    def space(self, view: View, name: str) -> Space | None:
        """The module or namespace that a name stands for in a file; the empty name is the root of all."""
        return None

    def below(self, space: Space, name: str) -> Space | None:
        """A module or namespace in another."""
        return None

    def inside(self, space: Space, name: str, kinds: frozenset[str]) -> Found:
        """What stands under a name in a module or namespace."""
        return NOWHERE

    def parts(self, one: Definition) -> Iterable[Definition]:
        """All parts of a class, itself first."""
        return (one,)

    def member_class(self, one: Definition, name: str) -> list[Definition]:
        """A class in a class."""
        return self.sources.view(one.file).at(f"{one.symbol}.{name}", CLASS_KINDS)

    def extensions(self, view: View, name: str, owners: frozenset[str] | None) -> Found:
        """Visible functions that extend one of the named types (None: an unknown one) by a method."""
        return NOWHERE

    def by_member(self, view: View) -> bool:
        """Whether a call on an unknown object may be found by its name."""
        return True

    def reachable(self, view: View, one: Definition) -> bool:
        """Whether a file can refer to a definition of another one at all."""
        return True

    def imports(self, view: View) -> Iterator[Link]:
        """The links of a file's imports."""
        return iter(())


def import_link(target: Definition | int, line: int, sure: bool = True) -> Link:
    """An import as a link."""
    return Link(None, target, "imports", "exact" if sure else "scoped", line)


def nearest(path: str, candidates: Iterable[str]) -> str | None:
    """The candidate that shares most folders with a path; the first one by name of several."""

    def shared(other: str) -> int:
        count = 0
        for one, two in zip(path.split("/")[:-1], other.split("/")[:-1], strict=False):
            if one != two:
                break
            count += 1
        return count

    return min(candidates, key=lambda other: (-shared(other), len(other), other), default=None)


def joined(folder: str, relative: str) -> str:
    """A path relative to a folder, without dots; it may begin with `..` when it leaves the root."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
