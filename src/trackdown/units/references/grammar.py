"""The tables that make a reader: how expressions and types become chains, and what is noted of which node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING, instance_of, last_name, many_of
from trackdown.units.references.facts import BlobReferences
from trackdown.units.references.notes import ReferenceNotes
from trackdown.units.references.syntax import field_of, only_child, text_of

_LONGEST_CHAIN = 8
_LONGEST_NAME = 120

Notes = TypeVar("Notes", bound=ReferenceNotes)
Function = TypeVar("Function", bound=Callable[..., Any])
Step = Callable[[Node], Node | None]
Pair = Callable[[Node], tuple[Node | None, Node | None]]
Special = Callable[[Node], str]
_NONE: Mapping[Any, str] = MappingProxyType({})


def by_node_type(functions: Mapping[Function, str]) -> dict[str, Function]:
    """Function → the node types it is for, with spaces between them; turned into node type → function."""
    return {node_type: function for function, types in functions.items() for node_type in types.split()}


def visit(root: Node, visitors: Mapping[str, Callable[[Notes, Node], None]], notes: Notes) -> BlobReferences:
    """Call the function for each node's type, outer nodes before inner ones."""
    cursor = root.walk()
    while True:
        node = cursor.node
        if node is not None:
            visitor = visitors.get(node.type)
            if visitor is not None:
                try:
                    visitor(notes, node)
                except RecursionError:
                    pass  # types nested hundreds deep: generated, or an attack
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return notes.result()


def ends(node: Node) -> tuple[Node | None, Node | None]:
    """The first and the last child, for grammars without fields."""
    children = node.named_children
    return (children[0], children[-1]) if len(children) > 1 else (None, None)


class Grammar:
    """How expressions and types of a language become chains.

    Each table names node types, with spaces between them. `leaves` are names. `words` maps a fixed chain to its node
    types. `members` are written `type.object.name`, with the fields of the object and the name; `sends`, likewise, are
    calls of a member in one node. `calls` are written `type.field` with the field of what is called, `elements` with
    that of what they are taken from, and `through` with that of a child that says the same; without a field it is the
    only child. `instances` (constructions and casts) and `arrays` have the field of a type. `steps` and `pairs` are
    functions for nodes that fields don't describe. A function in `special` gives the rest of the chain itself; if it
    gives an empty text, the node is a call like any other.

    An element of `x` is `x[]`, and so is the type of a container of `x`. `wrappers` are generic types that mean
    what they wrap, `containers` those that hold many of their last argument.
    """

    def __init__(
        self,
        *,
        leaves: str,
        words: Mapping[str, str] = _NONE,
        members: str = "",
        sends: str = "",
        calls: str = "",
        elements: str = "",
        through: str = "",
        instances: str = "",
        arrays: str = "",
        steps: Mapping[Step, str] = _NONE,
        pairs: Mapping[Pair, str] = _NONE,
        special: Mapping[Special, str] = _NONE,
        wrappers: str = "",
        containers: str = "",
    ) -> None:
        self._leaves = frozenset(leaves.split())
        self.words = {node_type: word for word, types in words.items() for node_type in types.split()}
        self._members = _pairs(members, by_node_type(pairs))
        self._sends = _pairs(sends, {})
        own_steps = by_node_type(steps)
        self._calls = _steps(calls, own_steps)
        self._elements = _steps(elements, own_steps)
        self._through = _steps(through, own_steps)
        self._special = by_node_type(special)
        for node_type, step in _steps(instances, {}).items():
            self._special[node_type] = self._typed(step, instance_of)
        for node_type, step in _steps(arrays, {}).items():
            self._special[node_type] = self._typed(step, many_of)
        self._wrappers = frozenset(wrappers.split())
        self._containers = frozenset(containers.split())

    def chain(self, node: Node | None) -> str:
        """The chain of an expression or a type. An unknown part is `?`, and only ever the first one."""
        parts: list[str] = []
        suffix = ""
        for _ in range(4 * _LONGEST_CHAIN):
            if node is None or len(parts) >= _LONGEST_CHAIN or len(suffix) > 4:
                break
            kind = node.type
            if kind in self._leaves:
                return ".".join([text_of(node)[:_LONGEST_NAME] + suffix, *reversed(parts)])
            if (kind in self.words or kind in self._special) and (found := self._whole(node, kind)):
                return ".".join([found if found == NOTHING else found + suffix, *reversed(parts)])
            if kind in self._members or kind in self._sends:
                suffix = suffix if kind in self._members else f"(){suffix}"
                node, name = (self._members.get(kind) or self._sends[kind])(node)
                parts.append(self._name(name) + suffix)
                suffix = ""
                if node is None:
                    return ".".join([*([""] if kind in self._members else []), *reversed(parts)])
            elif kind in self._calls:
                node, suffix = self._calls[kind](node), f"(){suffix}"
            elif kind in self._elements:
                node, suffix = self._elements[kind](node), f"[]{suffix}"
            elif kind in self._through:
                node = self._through[kind](node)
            else:
                break
        return ".".join([NOTHING, *reversed(parts)])

    def _whole(self, node: Node, kind: str) -> str:
        return self.words[kind] if kind in self.words else self._special[kind](node)

    def _name(self, node: Node | None) -> str:
        """The name in a member: its text, without type arguments."""
        while node is not None and node.type in self._through:
            node = self._through[node.type](node)
        if node is None or (node.type not in self._leaves and node.type not in self._special):
            return NOTHING
        return (text_of(node) if node.type in self._leaves else self._special[node.type](node))[:_LONGEST_NAME]

    def called(self, node: Node) -> str:
        """What a call calls: its chain without the last brackets."""
        return self.chain(node).removesuffix("()")

    def field(self, node: Node | None, name: str) -> str:
        """The chain of what is in a field."""
        return self.chain(field_of(node, name))

    def _typed(self, step: Step, made: Callable[[str], str]) -> Special:
        return lambda node: made(self.chain(step(node)))

    def generic(self, base: str, arguments: Sequence[Node]) -> str:
        """A generic type: what it wraps or contains, or else the type without its arguments."""
        name = last_name(base)
        if arguments and name in self._wrappers:
            return self.chain(arguments[0])
        return many_of(self.chain(arguments[-1])) if arguments and name in self._containers else base


def _steps(table: str, steps: Mapping[str, Step]) -> dict[str, Step]:
    found: dict[str, Step] = {}
    for entry in table.split():
        node_type, _, field = entry.partition(".")
        found[node_type] = steps.get(node_type) or (_by_field(field) if field else only_child)
    return found


def _pairs(table: str, pairs: Mapping[str, Pair]) -> dict[str, Pair]:
    found = dict(pairs)
    for entry in table.split():
        node_type, left, right = entry.split(".")
        found[node_type] = _by_fields(left, right)
    return found


def _by_field(name: str) -> Step:
    return lambda node: node.child_by_field_name(name)


def _by_fields(left: str, right: str) -> Pair:
    return lambda node: (node.child_by_field_name(left), node.child_by_field_name(right))
