"""What readers of syntax trees share: a walk that calls what a table names, a place for what they find, and chains.

A reader is two tables: `Grammar` says how expressions and types become chains, and a mapping from node type to
function says what is noted of which node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tree_sitter import Node

from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import (
    CALL,
    UNKNOWN,
    Binding,
    BlobReferences,
    Export,
    Import,
    Reference,
)

SELF, SUPER = "self", "super"
"""How chains write the instance (or its class) and its base, whatever the language calls them."""
NOTHING = "?"
RETURNS, ARITY = "->", "()"
"""Names of bindings: what a unit returns, and how many arguments it takes (`2`, `1-2`, `1-`)."""
_LONGEST_CHAIN = 8
_LONGEST_NAME = 120


def text(node: Node | None) -> str:
    """The text of a node, empty for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def field_of(node: Node, name: str) -> Node | None:
    """A child by the name of its field."""
    return node.child_by_field_name(name)


def first_of(node: Node, *types: str) -> Node | None:
    """The first child of one of these types."""
    return next((child for child in node.named_children if child.type in types), None)


def only_child(node: Node) -> Node | None:
    """The first child that is no comment."""
    return next((child for child in node.named_children if not child.is_extra), None)


def below(node: Node, types: frozenset[str] | set[str], most: int = 60) -> Iterator[Node]:
    """Descendants of some types, without what stands below those, from the first `most` nodes."""
    stack = [node]
    while stack and most > 0:
        most -= 1
        here = stack.pop()
        if here.type in types:
            yield here
        else:
            stack.extend(reversed(here.named_children))


class Notes:
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
        self._by_name: dict[str, list[int]] = {}
        for index, unit in enumerate(units.units):
            if unit.kind != "window":
                self._by_name.setdefault(unit.symbol.rsplit(".", 1)[-1], []).append(index)

    def at(self, node: Node) -> int:
        """The unit in which a node begins."""
        return self.units.at(node)

    def declared(self, node: Node, name: str) -> int:
        """The unit that a declaration is: several may stand on its line."""
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        for index in self._by_name.get(name, ()):
            unit = self.units.units[index]
            if unit.start_line <= first <= unit.end_line and last - 1 <= unit.end_line <= last:
                return index
        return self.at(node)

    def class_of(self, unit: int) -> int:
        """The class in which a unit stands (itself, if it is one), -1 for none."""
        while unit >= 0 and self.units.units[unit].kind not in CLASS_KINDS:
            unit = self.units.units[unit].parent
        return unit

    def is_class(self, unit: int) -> bool:
        """Whether a unit is a class, and not a function or nothing."""
        return unit >= 0 and self.units.units[unit].kind in CLASS_KINDS

    def is_function(self, unit: int) -> bool:
        """Whether a unit is a function or method."""
        return unit >= 0 and self.units.units[unit].kind in FUNCTION_KINDS

    def name_of(self, unit: int) -> str:
        """The last name of a unit."""
        return self.units.units[unit].symbol.rsplit(".", 1)[-1] if unit >= 0 else ""

    def take(self, node: Node, module: str, name: str = "", alias: str = "") -> None:
        """Note an import."""
        if module or name:
            self._imports[Import(self.at(node), node.start_point[0] + 1, module, name, alias)] = None

    def refer(self, node: Node, chain: str, arity: int, kind: str = CALL, unit: int | None = None) -> None:
        """Note a use; a chain of which nothing is known but that something is called is none."""
        last = chain.rsplit(".", 1)[-1]
        if last in ("", NOTHING) or last.endswith(("()", "[]")) or (chain == SELF and kind == CALL):
            return
        where = self.at(node) if unit is None else unit
        key = (where, kind, chain, arity)
        if key not in self._references:
            self._references[key] = Reference(where, node.start_point[0] + 1, kind, chain, arity)

    def bind(self, unit: int, name: str, type_: str) -> None:
        """Note what a name stands for."""
        if name and name != NOTHING:
            self._bindings[Binding(unit, name, UNKNOWN if type_.startswith(NOTHING) else type_)] = None

    def export(self, name: str, local: str = "", module: str = "") -> None:
        """Note what the blob offers to others."""
        if name:
            self._exports[Export(name, local, module)] = None

    def arity(self, unit: int, least: int, most: int | None) -> None:
        """Note how many arguments a unit takes; `most` None is any number."""
        self.bind(unit, ARITY, str(least) if least == most else f"{least}-{'' if most is None else most}")

    def result(self) -> BlobReferences:
        """All that was noted."""
        references = sorted(self._references.values(), key=lambda one: one.line)
        return BlobReferences(
            self.package, list(self._imports), references, list(self._bindings), list(self._exports)
        )  # fmt: skip


def many(chain: str) -> str:
    """The type of what holds many of something, and the chain of one of many."""
    return NOTHING if chain.startswith(NOTHING) or not chain else f"{chain}[]"


def instance(chain: str) -> str:
    """The chain of an instance of a type."""
    return chain if chain.startswith(NOTHING) or chain.endswith("]") else f"{chain}()"


N = TypeVar("N", bound=Notes)


def visit(root: Node, visitors: Mapping[str, Callable[[N, Node], None]], notes: N) -> BlobReferences:
    """Call the function that belongs to each node's type, outer nodes before inner ones."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None:
            visitor = visitors.get(node.type)
            if visitor is not None:
                try:
                    visitor(notes, node)
                except RecursionError:
                    pass  # types nested hundreds deep: nobody wrote them
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return notes.result()


Step = Callable[[Node], Node | None]
Pair = Callable[[Node], tuple[Node | None, Node | None]]


def by_field(name: str) -> Step:
    """The step to a field."""
    return lambda node: node.child_by_field_name(name)


def by_fields(left: str, right: str) -> Pair:
    """The step to two fields."""
    return lambda node: (node.child_by_field_name(left), node.child_by_field_name(right))


def ends(node: Node) -> tuple[Node | None, Node | None]:
    """The first and the last child, for grammars without fields."""
    children = node.named_children
    return (children[0], children[-1]) if len(children) > 1 else (None, None)


@dataclass(frozen=True)
class Grammar:
    """How expressions and types of a language become chains, by node type.

    `words` are nodes with a fixed text; `members` have an object and a name; `calls` have what is called; `sends` are
    calls of a member in one node; `elements` have what they are taken from; `through` is passed over to a child;
    `special` gives the rest of the chain itself, and may be empty for a call like any other. An element of `x` is
    `x[]`, and so is the type of what holds many.
    """

    leaves: frozenset[str]
    words: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, Pair] = field(default_factory=dict)
    calls: Mapping[str, Step] = field(default_factory=dict)
    sends: Mapping[str, Pair] = field(default_factory=dict)
    elements: Mapping[str, Step] = field(default_factory=dict)
    through: Mapping[str, Step] = field(default_factory=dict)
    special: Mapping[str, Callable[[Node], str]] = field(default_factory=dict)

    def chain(self, node: Node | None) -> str:
        """The chain of an expression or a type. What cannot be told is `?`, and only ever its first part."""
        parts: list[str] = []
        suffix = ""
        for _ in range(4 * _LONGEST_CHAIN):
            if node is None or len(parts) >= _LONGEST_CHAIN or len(suffix) > 4:
                break
            kind = node.type
            if kind in self.leaves:
                return ".".join([text(node)[:_LONGEST_NAME] + suffix, *reversed(parts)])
            if (kind in self.words or kind in self.special) and (found := self._whole(node, kind)):
                return ".".join([found if found == NOTHING else found + suffix, *reversed(parts)])
            if kind in self.members or kind in self.sends:
                suffix = suffix if kind in self.members else f"(){suffix}"
                node, name = (self.members.get(kind) or self.sends[kind])(node)
                parts.append(self._name(name) + suffix)
                suffix = ""
                if node is None:
                    return ".".join([*([""] if kind in self.members else []), *reversed(parts)])
            elif kind in self.calls:
                node, suffix = self.calls[kind](node), f"(){suffix}"
            elif kind in self.elements:
                node, suffix = self.elements[kind](node), f"[]{suffix}"
            elif kind in self.through:
                node = self.through[kind](node)
            else:
                break
        return ".".join([NOTHING, *reversed(parts)])

    def _whole(self, node: Node, kind: str) -> str:
        return self.words[kind] if kind in self.words else self.special[kind](node)

    def _name(self, node: Node | None) -> str:
        """The name in a member: its text, without type arguments."""
        while node is not None and node.type in self.through:
            node = self.through[node.type](node)
        if node is None or (node.type not in self.leaves and node.type not in self.special):
            return NOTHING
        return (text(node) if node.type in self.leaves else self.special[node.type](node))[:_LONGEST_NAME]

    def called(self, node: Node) -> str:
        """What a call calls: its chain without the last brackets."""
        return self.chain(node).removesuffix("()")
