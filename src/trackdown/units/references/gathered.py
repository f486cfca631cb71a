"""What a reader gathers while it walks: each reference and binding once, and which unit a declaration is."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import Binding, BlobReferences, Import, Reference

MOST_PARTS = 24
"""Parts of a chain that are kept; what stands before them is `?`."""
_HEAD_END = re.compile(r"[.(\[]")
_LONGEST_NAME = 120
_LONGEST_CHAIN = 400


def text_of(node: Node | None) -> str:
    """The text of a node; empty for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


class Names:
    """The variables that are visible in a block, with the names by which bindings know them.

    A function's own variables go by their names. Those of a block within it, or of a closure, get a number (`x@2`): so
    that two variables of one name in a unit are told apart, and a block's variable hides nothing outside it.
    """

    __slots__ = ("_awaits_body", "_here", "_outer", "top")

    def __init__(self, outer: Names | None = None, *, top: bool = True, awaits_body: bool = False) -> None:
        self._outer = outer
        self._here: dict[str, str] = {}
        self.top = top
        self._awaits_body = awaits_body

    def function(self) -> Names:
        """The names of a function that is a unit: its body is no block of its own."""
        return Names(self, awaits_body=True)

    def closure(self) -> Names:
        """The names of a function that is none."""
        return self if self._awaits_body else Names(self, top=False, awaits_body=True)

    def block(self) -> Names:
        """The names of a block within."""
        if self._awaits_body:
            self._awaits_body = False
            return self
        return Names(self, top=False)

    def before(self, declared: Iterable[str]) -> Names:
        """The same names, with what some of them mean now, before they are declared anew."""
        names = Names(self, top=self.top)
        names._here = {name: self.known_as(name) for name in declared}
        return names

    def known_as(self, name: str) -> str:
        """The name by which bindings know a variable; the name itself for what is declared nowhere around."""
        names: Names | None = self
        while names is not None:
            if name in names._here:
                return names._here[name]
            names = names._outer
        return name

    def holds(self, name: str) -> bool:
        """Is a name declared in this very block?"""
        return name in self._here

    def declare(self, name: str, known_as: str) -> None:
        """From now on, a name means a variable."""
        self._here[name] = known_as


class Gathered:
    """References, bindings and imports, without repetitions. The first line of a repeated reference stays."""

    def __init__(self, units: UnitFinder) -> None:
        self.package = ""
        self._units = units
        self._imports: list[Import] = []
        self._references: dict[tuple[int, str, str, int], int] = {}
        self._bindings: dict[tuple[int, str, str], None] = {}
        self._waiting: dict[tuple[str, int], deque[int]] = {}
        self._aliases: dict[tuple[int, str], dict[str, str]] = {}
        self._numbers: dict[str, int] = {}
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

    def declare(self, unit: int, names: Names, name: str, type_: str) -> None:
        """A variable of a block."""
        aliases = self._aliases.setdefault((unit, name), {})
        if type_ not in aliases:
            of_itself = _HEAD_END.split(type_.lstrip("[]"), maxsplit=1)[0] == name  # `url := url.Parse()`
            if names.top and not aliases and not of_itself:
                aliases[type_] = name
            else:
                self._numbers[name] = self._numbers.get(name, 0) + 1
                aliases[type_] = f"{name}@{self._numbers[name]}"
        names.declare(name, aliases[type_])
        self.bind(unit, aliases[type_], type_)

    def facts(self) -> BlobReferences:
        """All of it."""
        references = [
            Reference(unit, line, kind, chain, arity) for (unit, kind, chain, arity), line in self._references.items()
        ]
        bindings = [Binding(*key) for key in self._bindings]
        return BlobReferences(self.package, self._imports, references, bindings, [])
