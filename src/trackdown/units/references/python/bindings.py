"""The names that a Python file binds, collected while it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator

from tree_sitter import Node

from trackdown.types import CLASS_KINDS
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import UNKNOWN, Binding
from trackdown.units.references.python.chains import chain_of, head_of
from trackdown.units.references.python.statements import leaves
from trackdown.units.references.syntax import text_of

INSTANCES = ("self", "cls")
_MOST_HINTS = 3


class Bindings:
    """The types that each name of each unit may have, in the order of the text."""

    def __init__(self, units: UnitFinder) -> None:
        self._units = units
        self._types: dict[tuple[int, str], dict[str, None]] = {}
        self._hints: dict[tuple[int, str], dict[str, None]] = {}
        self._elsewhere: dict[int, dict[str, int]] = defaultdict(dict)
        self.receivers: dict[int, str] = {}

    def declare(self, statement: Node) -> None:
        """`global x`, `nonlocal x`: assignments in this unit bind the name further out."""
        unit = self._units.at(statement)
        outer = -1 if unit < 0 or statement.type == "global_statement" else self._units.units[unit].parent
        self._elsewhere[unit].update((text_of(name), outer) for name in statement.named_children)

    def unit_of(self, unit: int, name: str) -> int:
        """The unit in which a unit's assignment binds a name."""
        return self._elsewhere[unit].get(name, unit) if unit in self._elsewhere else unit

    def bind(self, unit: int, name: str, types: Iterable[str]) -> None:
        """A name may have these types."""
        key = (self.unit_of(unit, name), name)
        self._types.setdefault(key, {}).update(dict.fromkeys(types))

    def assign(self, target: Node | None, types: list[str]) -> None:
        """Bind every name and every attribute of the instance in a target. What is unpacked is unknown."""
        if target is None:
            return
        unit = self._units.at(target)
        for leaf in leaves(target):
            alone = leaf == target or (target.type in ("as_pattern_target", "type") and leaf.parent == target)
            said = types if alone else [UNKNOWN]
            if leaf.type == "identifier":
                self.bind(unit, text_of(leaf), said)
                continue
            of, name = leaf.child_by_field_name("object"), leaf.child_by_field_name("attribute")
            if of is not None and name is not None and of.type == "identifier":
                head = text_of(of)
                if head in INSTANCES or head == self.receivers.get(unit):
                    self.bind(unit, f"self.{text_of(name)}", said)

    def narrow(self, call: Node) -> None:
        """`isinstance(x, T)`: somewhere in this unit x is a T. It counts if nothing else says what x is."""
        arguments = call.child_by_field_name("arguments")
        if arguments is None or arguments.named_child_count != 2:
            return
        subject, types = arguments.named_children
        if subject.type == "identifier":
            members = types.named_children if types.type == "tuple" else [types]
            names = [f"{chain_of(one)}()" for one in members[:_MOST_HINTS] if one.type in ("identifier", "attribute")]
            self._hints.setdefault((self._units.at(call), text_of(subject)), {}).update(dict.fromkeys(names))

    def all(self, mentioned: Iterable[str]) -> Iterator[Binding]:
        """All bindings but those that only hide a name which no chain, here or `mentioned`, begins with."""
        for key, types in self._hints.items():
            if key in self._types and not any(self._types[key]):
                self._types[key].update(types)
        heads = set(map(head_of, mentioned))
        heads.update(head_of(type_) for types in self._types.values() for type_ in types)
        for (unit, name), types in self._types.items():
            if any(types) or name in heads or "." in name or self._is_seen_from_elsewhere(unit):
                yield from (Binding(unit, name, type_) for type_ in types)

    def _is_seen_from_elsewhere(self, unit: int) -> bool:
        return unit < 0 or self._units.units[unit].kind in CLASS_KINDS


def decorated_with(decorators: Iterable[str], names: Container[str]) -> bool:
    """Whether one of the decorators has one of the names, whatever it is reached by."""
    return any(chain.rpartition(".")[2] in names for chain in decorators)
