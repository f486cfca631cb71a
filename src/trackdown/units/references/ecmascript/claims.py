"""Which unit is this piece of syntax? Lines alone do not tell several units on one line apart."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from trackdown.units import Unit
from trackdown.units.references.ecmascript.nodes import FUNCTIONS
from trackdown.units.references.syntax import children_of, text_of

_QUOTES = "\"'`"
_LONGEST_NAME = 120
_MOST_MEMBERS = 200
_MAY_BE_NAMED = FUNCTIONS | {
    "class",
    "binary_expression",
    "ternary_expression",
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "call_expression",
}


class UnitClaims:
    """Units by the unit around them and their name. Syntax claims them in the order of the text, each once."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = units
        self._free: dict[tuple[int, str], list[int]] = {}
        for index, unit in enumerate(units):
            if unit.kind != "window":
                self._free.setdefault((unit.parent, unit.symbol.rsplit(".", 1)[-1]), []).append(index)

    def peek(self, parent: int, name: str, node: Node) -> int:
        """The unit of a name that a node is, and that none has claimed; -1 for none."""
        row = node.start_point[0] + 1
        for index in self._free.get((parent, name), ()):
            if self.units[index].start_line <= row <= self.units[index].end_line:
                return index
        return -1

    def take(self, parent: int, name: str, node: Node) -> int:
        """The unit that a node is, claimed; -1 for none."""
        index = self.peek(parent, name, node)
        if index >= 0:
            self._free[parent, name].remove(index)
        return index

    def prefix(self, parent: int, node: Node, depth: int = 3) -> str:
        """What the symbols of an object's functions begin with; empty where it holds none that are units."""
        for child in node.named_children[:_MOST_MEMBERS]:
            value = child.child_by_field_name("value") if child.type == "pair" else None
            if child.type == "method_definition" or (value is not None and value.type in FUNCTIONS):
                name = name_of(child.child_by_field_name("name" if value is None else "key"))
                index = self.peek(parent, name, child)
                if index >= 0:
                    return self.units[index].symbol.rpartition(".")[0]
            elif (
                value is not None
                and value.type == "object"
                and depth
                and (found := self.prefix(parent, value, depth - 1))
            ):
                return found.rpartition(".")[0]
        return ""


def name_of(node: Node | None) -> str:
    """The last part of the symbol that a name gives."""
    name = text_of(node).strip()
    if name[:1] in _QUOTES:
        name = " ".join((name.strip(_QUOTES) or name).split())
    elif name[:1].isalpha() or name[:1] == "_":
        name = name.split("<", 1)[0]
        name = "".join(name.split())
    else:
        name = "".join(name.split())
    return name[:_LONGEST_NAME].rsplit(".", 1)[-1]


def may_be_named(value: Node | None) -> bool:
    """Whether a name to which this is assigned may be a unit."""
    return value is not None and value.type in _MAY_BE_NAMED


def assigned_name(left: Node, right: Node) -> str:
    """The name of the unit that `left = function …` or `left = class …` is; empty where it is none."""
    if right.type not in FUNCTIONS and right.type != "class":
        return ""
    if left.type == "identifier":
        return text_of(left)
    if left.type != "member_expression":
        return ""
    own = right.child_by_field_name("name")
    of_module = text_of(left.child_by_field_name("object")) == "module"
    return name_of(own if of_module and own is not None else left.child_by_field_name("property"))


def wrapped_function(value: Node) -> Node | None:
    """The function that `wrapper(function …)` wraps, given first."""
    arguments = children_of(value.child_by_field_name("arguments"))
    return arguments[0] if arguments and arguments[0].type in FUNCTIONS else None
