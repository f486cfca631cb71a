"""What readers of syntax trees find, each reference, binding, import and export once."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references.chain import CALLED, ELEMENT, NOTHING, last_name
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import CALL, UNKNOWN, Binding, BlobReferences, Export, Import, Reference
from trackdown.units.references.syntax import line_of

SELF, SUPER = "self", "super"
"""How chains write the instance (or its class) and its base, whatever the language calls them."""
RETURNS, ARITY = "->", "()"
"""Names of bindings: what a unit returns, and how many arguments it takes (`2`, `1-2`, `1-`)."""
_LONGEST_NAME = 120
_LONGEST_CHAIN = 400


class ReferenceNotes:
    """Collects the references of one blob."""

    def __init__(self, units: UnitFinder) -> None:
        self.units = units
        self.package = ""
        self._imports: dict[Import, None] = {}
        self._references: dict[tuple[int, str, str, int], Reference] = {}
        self._bindings: dict[Binding, None] = {}
        self._exports: dict[Export, None] = {}
        self.seen: set[int] = set()
        """Nodes that another node's function has dealt with."""
        self._declared: dict[int, int] = {}
        self._unclaimed: dict[str, list[int]] = {}
        for index, unit in enumerate(units.units):
            if unit.kind != "window":
                self._unclaimed.setdefault(last_name(unit.symbol), []).append(index)

    # Units

    def at(self, node: Node) -> int:
        """The unit in which a node begins."""
        return self.units.at(node)

    def declared(self, node: Node, name: str) -> int:
        """The unit that a declaration is. Declarations claim units in the order of the text, each unit once: so that
        several of one name on one line are told apart."""
        if node.id not in self._declared:
            self._declared[node.id] = self._claim(node, name)
        return self._declared[node.id]

    def _claim(self, node: Node, name: str) -> int:
        unclaimed = self._unclaimed.get(name[:_LONGEST_NAME], [])
        first, last = line_of(node), node.end_point[0] + 1
        for index in unclaimed:
            unit = self.units.units[index]
            if unit.start_line <= first <= unit.end_line and last - 1 <= unit.end_line <= last:
                unclaimed.remove(index)
                return index
        return self.at(node)

    def class_of(self, unit: int) -> int:
        """The class around a unit (or the unit itself, if it is a class), -1 for none."""
        while unit >= 0 and self.units.units[unit].kind not in CLASS_KINDS:
            unit = self.units.units[unit].parent
        return unit

    def is_class(self, unit: int) -> bool:
        """Whether a unit is a class."""
        return unit >= 0 and self.units.units[unit].kind in CLASS_KINDS

    def is_function(self, unit: int) -> bool:
        """Whether a unit is a function or method."""
        return unit >= 0 and self.units.units[unit].kind in FUNCTION_KINDS

    def name_of(self, unit: int) -> str:
        """The last name of a unit."""
        return last_name(self.units.units[unit].symbol) if unit >= 0 else ""

    # Notes

    def take(self, node: Node, module: str, name: str = "", alias: str = "") -> None:
        """Note an import."""
        if module or name:
            self._imports[Import(self.at(node), line_of(node), module, name, alias)] = None

    def refer(self, node: Node, chain: str, arity: int, kind: str = CALL, unit: int | None = None) -> None:
        """Note a use. A chain that ends in something other than a name says nothing and is dropped."""
        last = last_name(chain)
        if last in ("", NOTHING) or last.endswith((CALLED, ELEMENT)) or len(chain) > _LONGEST_CHAIN:
            return
        if chain == SELF and kind == CALL:
            return
        where = self.at(node) if unit is None else unit
        key = (where, kind, chain, arity)
        if key not in self._references:
            self._references[key] = Reference(where, line_of(node), kind, chain, arity)

    def bind(self, unit: int, name: str, type_: str) -> None:
        """Note what a name means."""
        if name and name != NOTHING and len(name) + len(type_) <= _LONGEST_CHAIN:
            unknown = type_.startswith(NOTHING) or not type_.strip("?[]")
            self._bindings[Binding(unit, name, UNKNOWN if unknown else type_)] = None

    def bind_arity(self, unit: int, least: int, most: int | None) -> None:
        """Note how many arguments a unit takes; `most` None is any number."""
        self.bind(unit, ARITY, str(least) if least == most else f"{least}-{'' if most is None else most}")

    def export(self, name: str, local: str = "", module: str = "") -> None:
        """Note what the blob offers to others."""
        if name:
            self._exports[Export(name, local, module)] = None

    def result(self) -> BlobReferences:
        """All notes."""
        references = sorted(self._references.values(), key=lambda one: one.line)
        return BlobReferences(self.package, list(self._imports), references, list(self._bindings), list(self._exports))
