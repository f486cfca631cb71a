"""One file of JavaScript or TypeScript, arranged for looking things up."""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.graph.program import Definition
from trackdown.types import CLASS_KINDS
from trackdown.units.references.facts import BASE, BlobReferences, Export, Import

TOP = -1
THIS, WHOLE, ALL, RESULT = "this", "=", "*", "->"


class Tables:
    """What a file defines, binds, brings in and offers, by unit and name."""

    def __init__(self, file: int, definitions: Sequence[Definition], references: BlobReferences) -> None:
        self.file = file
        self.definitions = {one.index: one for one in definitions}
        self.parents = _parents(definitions)
        self.by_symbol: dict[str, list[Definition]] = {}
        self.owners: set[str] = set()
        """All that the symbols of definitions begin with."""
        self.with_methods = {one.owner for one in definitions if one.kind == "method"}
        for one in definitions:
            self.by_symbol.setdefault(one.symbol, []).append(one)
            owner = one.owner
            while owner and owner not in self.owners:
                self.owners.add(owner)
                owner = owner.rpartition(".")[0]
        self.names: dict[int, dict[str, list[str]]] = {}
        self.attributed: set[tuple[int, str]] = set()
        """Names of which attributes are bound, with the unit they belong to."""
        self.fields: dict[str, dict[str, list[tuple[int, str]]]] = {}
        self.imports: dict[int, dict[str, list[Import]]] = {}
        self.exports: dict[str, list[Export]] = {}
        self.bases: dict[int, list[str]] = {}
        self.is_script = not references.imports and not references.exports
        self._arrange(references)

    def _arrange(self, references: BlobReferences) -> None:
        for one in references.imports:
            if one.alias:
                self.imports.setdefault(one.unit, {}).setdefault(one.alias, []).append(one)
        for offered in references.exports:
            self.exports.setdefault(offered.name, []).append(offered)
        for used in references.references:
            if used.kind == BASE:
                self.bases.setdefault(used.unit, []).append(used.chain)
        for binding in references.bindings:
            self.names.setdefault(binding.unit, {}).setdefault(binding.name, []).append(binding.type)
            owner = binding.name.rpartition(".")[0]
            while owner and owner != "self":
                self.attributed.add((binding.unit, owner))
                owner = owner.rpartition(".")[0]
        for binding in references.bindings:
            if binding.name.startswith("self."):
                here = self.owner_of_this(binding.unit)
                if here:
                    fields = self.fields.setdefault(here, {})
                    fields.setdefault(binding.name[5:], []).append((binding.unit, binding.type))

    def this_unit(self, unit: int) -> int:
        """The unit that says what `this` is in a unit: a class, a method, a plain function; TOP for none."""
        while unit in self.definitions:
            kind = self.definitions[unit].kind
            if kind in CLASS_KINDS or kind == "method" or THIS in self.names.get(unit, ()):
                return unit
            outer = self.parents[unit]
            if outer == TOP:
                return unit
            unit = outer
        return TOP

    def owner_of_this(self, unit: int) -> str:
        """The symbol of what `this` has its attributes on; empty for none."""
        unit = self.this_unit(unit)
        here = self.definitions.get(unit)
        if here is None:
            return ""
        bound = self.names.get(unit, {}).get(THIS, [])
        if bound and bound[0].startswith("{"):
            return bound[0].strip("{}")
        return here.owner if here.kind == "method" and not bound else here.symbol

    def last(self, symbol: str, around: Definition | None = None) -> Definition | None:
        """The definition of a symbol: of several the last one, which is no signature, within the lines of a class."""
        found = self.by_symbol.get(symbol, [])
        if around is not None and len(found) > 1:
            found = [one for one in found if around.start_line <= one.start_line <= around.end_line] or found
        return found[-1] if found else None


def _parents(definitions: Sequence[Definition]) -> dict[int, int]:
    """Every definition's enclosing one: the last before it whose lines hold it and whose symbol it continues."""
    parents: dict[int, int] = {}
    stack: list[Definition] = []
    for one in definitions:
        while stack and (stack[-1].end_line < one.start_line or not one.symbol.startswith(f"{stack[-1].symbol}.")):
            stack.pop()
        parents[one.index] = stack[-1].index if stack else TOP
        stack.append(one)
    return parents
