"""The scopes of one Python file: which names each of its functions and classes binds, and to what."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.graph.program import Definition
from trackdown.types import CLASS_KINDS
from trackdown.units.references.facts import BASE, DECORATOR, Binding, BlobReferences, Import

MODULE_SCOPE = -1
Entry = Definition | Binding | Import
"""What binds a name: a definition, an assignment or parameter, an import."""


class Scopes:
    """A file's definitions and references, arranged by the unit that binds them."""

    def __init__(self, file: int, definitions: Sequence[Definition], references: BlobReferences) -> None:
        self.file = file
        self.units = {one.index: one for one in definitions}
        self.parents = _parents(definitions)
        self.classes = {one.index for one in definitions if one.kind in CLASS_KINDS}
        self.bases: dict[int, list[str]] = {}
        self.decorators: dict[int, list[str]] = {}
        self.names: dict[int, dict[str, list[Entry]]] = {}
        self.attributes: dict[int, dict[str, list[Binding]]] = {}
        self.returns: dict[int, tuple[list[str], list[str]]] = {}
        self.stars: list[Import] = []
        self.offered = frozenset(one.name for one in references.exports)
        self._gather_references(references)
        self._gather_names(definitions, references)
        self.module_names = self.names.get(MODULE_SCOPE, {})

    def _gather_references(self, references: BlobReferences) -> None:
        for one in references.references:
            if one.kind == BASE:
                self.bases.setdefault(one.unit, []).append(one.chain)
            elif one.kind == DECORATOR:
                self.decorators.setdefault(one.unit, []).append(one.chain)

    def _gather_names(self, definitions: Sequence[Definition], references: BlobReferences) -> None:
        names = self.names
        for definition in definitions:
            scope = names.setdefault(self.parents[definition.index], {})
            scope.setdefault(definition.name, []).append(definition)
        for one in references.imports:
            if one.name == "*":
                self.stars.append(one)
            else:
                names.setdefault(one.unit, {}).setdefault(one.alias.partition(".")[0], []).append(one)
        for binding in references.bindings:
            unit, name = binding.unit, binding.name
            if name == "->":
                self.returns.setdefault(unit, ([], []))[0].append(binding.type)
            elif name == "return":
                self.returns.setdefault(unit, ([], []))[1].append(binding.type)
            elif name.startswith("self."):
                owner = self.class_around(unit)
                if owner is not None:
                    self.attributes.setdefault(owner, {}).setdefault(name[5:], []).append(binding)
            else:
                names.setdefault(unit, {}).setdefault(name, []).append(binding)

    def class_around(self, unit: int) -> int | None:
        """The class whose instance `self` is in a unit: that of the outermost function around it within a class."""
        while unit >= 0 and unit not in self.classes:
            unit = self.parents.get(unit, MODULE_SCOPE)
        return unit if unit >= 0 else None

    def is_property(self, unit: int) -> bool:
        """Whether a function is read like an attribute."""
        return any(chain.endswith("property") for chain in self.decorators.get(unit, ()))

    def is_overload(self, unit: int) -> bool:
        """Whether a function only declares one of several signatures."""
        return any(chain.rpartition(".")[2] == "overload" for chain in self.decorators.get(unit, ()))

    def is_fixture(self, unit: int) -> bool:
        """Whether pytest hands a function's result to the tests that ask for it."""
        return any(chain.rpartition(".")[2] == "fixture" for chain in self.decorators.get(unit, ()))

    def exports(self, name: str) -> bool:
        """Whether `from module import *` brings a name."""
        if self.offered and "*" not in self.offered:
            return name in self.offered
        return name in self.offered or not name.startswith("_")


def _parents(definitions: Sequence[Definition]) -> dict[int, int]:
    """Each unit's innermost surrounding one, by lines."""
    parents: dict[int, int] = {}
    stack: list[Definition] = []
    for one in definitions:
        while stack and stack[-1].end_line < one.end_line:
            stack.pop()
        while stack and not one.symbol.startswith(f"{stack[-1].symbol}."):
            stack.pop()
        parents[one.index] = stack[-1].index if stack else MODULE_SCOPE
        stack.append(one)
    return parents
