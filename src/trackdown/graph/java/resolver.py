"""Resolves Java: packages as files declare them, imports, nested and inherited members, overloads by their arity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trackdown.graph.edges import EdgeType, How
from trackdown.graph.java.types import Definitions, JavaFile, JavaTypes
from trackdown.graph.java.values import JavaValues
from trackdown.graph.nesting import MOST_NAMESAKES, MOST_TARGETS
from trackdown.graph.program import Program
from trackdown.graph.resolver import Link
from trackdown.types import FUNCTION_KINDS
from trackdown.units.references.facts import BASE, CALL, IMPLEMENTS, NEW, Import, Reference

COMMON_NAMES = frozenset(
    "accept add addAll append apply asList build call clear clone close compare compareTo contains containsKey copy"
    " count create delete entrySet equals execute exists filter find finalize first flush forEach format get getClass"
    " getId getKey getMessage getName getType getValue handle hasNext hashCode index init insert isEmpty isPresent"
    " iterator join keySet last length list load main map matches name next notify of open parse peek poll pop print"
    " println process push put putAll read remove replace reset resolve run save send set setName setValue size skip"
    " sort split start stop stream submit substring test toArray toList toString trim update valueOf values visit wait"
    " write".split()
)
"""Methods that everything has: their name alone says nothing."""


class JavaResolver:
    """The links of Java files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._types = JavaTypes(program)
        self._values = JavaValues(self._types)

    def links(self, file: int) -> list[Link]:
        """All that a file refers to and that the program holds. Never raises for any content, never loops."""
        here = self._types.file(file)
        found = dict.fromkeys(self._imports(here))
        for reference in here.references.references:
            found.update(dict.fromkeys(self._linked(here, reference)))
        return list(found)

    def _linked(self, here: JavaFile, reference: Reference) -> Iterator[Link]:
        source = here.definitions.get(reference.unit)
        type_: EdgeType = "inherits" if reference.kind in (BASE, IMPLEMENTS) else "invokes"
        how: How = "exact"
        if reference.kind == CALL:
            targets, how = self._called(here, reference)
        elif reference.kind == NEW:
            targets = self._constructed(here, reference.unit, reference.chain)
        else:
            around = here.outer.get(reference.unit, -1) if type_ == "inherits" else reference.unit
            targets = self._types.named(here.file, around, reference.chain)
        if len(targets) > 1 and how == "exact":
            how = "scoped"
        if len(targets) <= MOST_TARGETS:
            yield from (Link(source, target, type_, how, reference.line) for target in targets if target != source)

    def _called(self, here: JavaFile, reference: Reference) -> tuple[Definitions, How]:
        targets, receivers = self._values.called(here.file, reference.unit, reference.chain, reference.arity)
        if targets:
            return targets, "exact" if len(receivers) < 2 else "scoped"
        if receivers and not any(value.known for value in receivers):
            return self._namesakes(reference), "name"
        return (), "exact"

    def _namesakes(self, reference: Reference) -> Definitions:
        """The methods that have a name, if that name is rare."""
        name = reference.chain.rpartition(".")[2]
        if name in COMMON_NAMES:
            return ()
        found = [
            one
            for one in self._program.named(name)
            if one.kind in FUNCTION_KINDS and one.owner and self._program.path(one.file).endswith(".java")
        ]
        if len(found) > MOST_NAMESAKES:
            return ()
        return tuple(one for one in found if self._types.file(one.file).takes(one, reference.arity))

    def _constructed(self, here: JavaFile, unit: int, chain: str) -> Definitions:
        """The classes that are made: also by `this(..)` and `super(..)`, and as `outer.new Inner()`."""
        if chain in ("this", "super"):
            values = self._values.this(here.file, unit) if chain == "this" else self._values.above(here.file, unit)
            return tuple(value.definition for value in values if value.definition is not None)
        found = self._types.named(here.file, unit, chain)
        outer, _, inner = chain.rpartition(".")
        if found or not outer:
            return found
        values = self._values.of_chain(here.file, unit, outer)
        owners = (value.definition for value in values if value.definition is not None)
        return tuple(nested for owner in owners for nested in self._types.nested(owner, inner))

    # Imports

    def _imports(self, here: JavaFile) -> Iterator[Link]:
        for one in here.references.imports:
            targets = self._imported(here, one)
            how: How = "exact" if len(targets) == 1 or one.name == "*" else "scoped"
            if one.name == "*" or len(targets) <= MOST_TARGETS:
                yield from (Link(None, target, "imports", how, one.line) for target in targets)

    def _imported(self, here: JavaFile, one: Import) -> Definitions:
        """A class, a static member (or its class, for one that has no unit), or what a file uses of a whole package."""
        owners = self._types.qualified(one.module, here.file)
        if one.name == "*" and not owners:
            used = (self._types.find(one.module, name, here.file) for name in sorted(_names_used(here)))
            return tuple(found for each in used for found in each if found in self._seen(here, found.name))
        if not one.name or one.name == "*":
            return owners
        members = [
            self._types.methods(owner, one.name, -1) or self._types.nested(owner, one.name) or (owner,)
            for owner in owners
        ]
        return tuple(found for each in members for found in each)

    def _seen(self, here: JavaFile, name: str) -> Definitions:
        return self._types.visible(here.file, -1, name)


def _names_used(here: JavaFile) -> set[str]:
    """All names with which chains and types begin in a file."""
    chains: Iterable[str] = (reference.chain for reference in here.references.references)
    types: Iterable[str] = (binding.type for binding in here.references.bindings)
    return {chain.split(".", 1)[0].strip("[]()") for each in (chains, types) for chain in each} - {""}
