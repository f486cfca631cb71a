"""One file of JavaScript or TypeScript, arranged for looking things up."""

from __future__ import annotations

from functools import cached_property

from trackdown.graph.file_scopes import MODULE_SCOPE, FileScopes
from trackdown.graph.program import Definition, Program
from trackdown.types import CLASS_KINDS
from trackdown.units.references import BASE, Import

THIS, WHOLE, ALL = "this", "=", "*"


class EcmascriptScopes(FileScopes):
    """What a file defines, binds, imports and exports, by unit and name."""

    def __init__(self, program: Program, file: int) -> None:
        super().__init__(program, file)
        self.owners: set[str] = set()
        """Every symbol that the symbols of definitions begin with."""
        self.with_methods = {one.owner for one in self.definitions if one.kind == "method"}
        for one in self.definitions:
            _add_prefixes(self.owners, one.owner)
        self.attributed: set[tuple[int, str]] = set()
        """Units and names of which attributes are bound."""
        for binding in self.references.bindings:
            outer: set[str] = set()
            _add_prefixes(outer, binding.name.rpartition(".")[0])
            self.attributed.update((binding.unit, name) for name in outer if name != "self")
        self.is_script = not self.references.imports and not self.references.exports

    @cached_property
    def imports(self) -> dict[int, dict[str, list[Import]]]:
        """Unit → name → the imports that bind it."""
        imports: dict[int, dict[str, list[Import]]] = {}
        for one in self.references.imports:
            if one.alias:
                imports.setdefault(one.unit, {}).setdefault(one.alias, []).append(one)
        return imports

    @cached_property
    def superclasses(self) -> dict[int, list[str]]:
        """Unit → chains of what it extends; interfaces that it implements have nothing to inherit."""
        found: dict[int, list[str]] = {}
        for one in self.references.references:
            if one.kind == BASE:
                found.setdefault(one.unit, []).append(one.chain)
        return found

    def this_unit(self, unit: int) -> int:
        """The unit that says what `this` is in a unit: a class, a method, a plain function; -1 for none."""
        while unit in self.by_unit:
            kind = self.by_unit[unit].kind
            outer = self.parents[unit]
            if kind in CLASS_KINDS or kind == "method" or self.bound(unit, THIS) or outer == MODULE_SCOPE:
                return unit
            unit = outer
        return MODULE_SCOPE

    def owner_of_fields(self, unit: int) -> str:
        """The symbol of what `this` has its attributes on; empty for none."""
        unit = self.this_unit(unit)
        here = self.by_unit.get(unit)
        if here is None:
            return ""
        bound = self.bound(unit, THIS)
        if bound and bound[0].startswith("{"):
            return bound[0].strip("{}")
        return here.owner if here.kind == "method" and not bound else here.symbol

    def last(self, symbol: str, around: Definition | None = None) -> Definition | None:
        """The definition of a symbol within the lines of a class: of several the last, which is not a signature."""
        found = self.by_symbol.get(symbol, [])
        if around is not None and len(found) > 1:
            found = [one for one in found if around.start_line <= one.start_line <= around.end_line] or found
        return found[-1] if found else None


def _add_prefixes(prefixes: set[str], symbol: str) -> None:
    """Add a symbol and all symbols around it."""
    while symbol and symbol not in prefixes:
        prefixes.add(symbol)
        symbol = symbol.rpartition(".")[0]
