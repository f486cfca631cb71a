"""A syntax tree, walked in document order without its comments. Metrics of style start from here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

_CALL = re.compile(
    r"call|command|apply|new_expression|function_call|\w*call_expression|\w*invocation\w*|\w*object_creation_expression"
)
_CALLEE_FIELDS = ("method", "name", "function", "target", "constructor", "type", "macro")


@dataclass(frozen=True, slots=True)
class Place:
    """A node, the field of its parent that it fills, its parent (None for the root), and how deep it stands."""

    node: Node
    field: str
    above: Node | None
    depth: int


def walk(root: Node) -> Iterator[Place]:
    """Every node of a tree, parents before children, left to right; comments and what is in them left out."""
    cursor = root.walk()
    above: list[Node] = []
    while True:
        node = cursor.node
        assert node is not None
        if "comment" not in node.type:
            yield Place(node, cursor.field_name or "", above[-1] if above else None, len(above))
            if cursor.goto_first_child():
                above.append(node)
                continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            above.pop()


def text_of(node: Node) -> str:
    """The source of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def is_call(node: Node) -> bool:
    """Whether a node calls something, in any language that has a grammar here: functions, methods, constructors."""
    return node.is_named and node.child_count > 0 and _CALL.fullmatch(node.type) is not None


def callee(call: Node) -> Node | None:
    """The part of a call that says what is called."""
    for field in _CALLEE_FIELDS:
        found = call.child_by_field_name(field)
        if found is not None:
            return found
    return call.named_children[0] if call.named_children else None
