"""What a reader gathers while it walks: each reference and binding once, and which unit a declaration is."""

from __future__ import annotations

from collections import deque

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import Binding, BlobReferences, Import, Reference

MOST_PARTS = 24
"""Parts of a chain that are kept; what stands before them is `?`."""
_LONGEST_NAME = 120
_LONGEST_CHAIN = 400


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


class Gathered:
    """References, bindings and imports, without repetitions. The first line of a repeated reference stays."""

    def __init__(self, units: UnitFinder) -> None:
        self.package = ""
        self._units = units
        self._imports: list[Import] = []
        self._references: dict[tuple[int, str, str, int], int] = {}
        self._bindings: dict[tuple[int, str, str], None] = {}
        self._waiting: dict[tuple[str, int], deque[int]] = {}
        for index, unit in enumerate(units.units):
            if unit.kind != "window":
                place = (unit.symbol.rsplit(".", 1)[-1], unit.end_line)
                self._waiting.setdefault(place, deque()).append(index)

    def unit_of(self, node: Node, name: str) -> int:
        """The unit that a declaration is. Declarations are asked for in the order of the text, so that several of one
        name on one line are told apart."""
        waiting = self._waiting.get((name[:_LONGEST_NAME], node.end_point[0] + 1))
        return waiting.popleft() if waiting else self._units.at(node)

    def bring_in(self, node: Node, module: str, name: str, alias: str) -> None:
        """An import."""
        self._imports.append(Import(self._units.at(node), node.start_point[0] + 1, module, name, alias))

    def refer(self, unit: int, node: Node, kind: str, chain: str, arity: int) -> None:
        """A reference; passed over where its last part is no name."""
        if chain and not chain.endswith("?") and len(chain) <= _LONGEST_CHAIN:
            self._references.setdefault((unit, kind, chain, arity), node.start_point[0] + 1)

    def bind(self, unit: int, name: str, type_: str) -> None:
        """A binding; one whose type holds nothing but `?` says nothing."""
        if name and len(name) + len(type_) <= _LONGEST_CHAIN:
            self._bindings[unit, name, "" if type_.strip("?[]") == "" else type_] = None

    def facts(self) -> BlobReferences:
        """All of it."""
        references = [
            Reference(unit, line, kind, chain, arity) for (unit, kind, chain, arity), line in self._references.items()
        ]
        bindings = [Binding(*key) for key in self._bindings]
        return BlobReferences(self.package, self._imports, references, bindings, [])
