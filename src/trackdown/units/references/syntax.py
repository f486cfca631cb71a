"""Nodes of syntax trees. Every function accepts None for a node that isn't there."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node


def text_of(node: Node | None) -> str:
    """The text of a node, empty for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def line_of(node: Node) -> int:
    """The line in which a node begins."""
    return node.start_point[0] + 1


def field_of(node: Node | None, name: str) -> Node | None:
    """A child by the name of its field."""
    return node.child_by_field_name(name) if node is not None else None


def named_of(node: Node | None) -> list[Node]:
    """The named children, with comments; none for no node."""
    return node.named_children if node is not None else []


def children_of(node: Node | None) -> list[Node]:
    """The named children without comments; none for no node."""
    return [child for child in named_of(node) if not child.is_extra]


def first_child(node: Node | None) -> Node | None:
    """The first named child, even if it is a comment."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def only_child(node: Node | None) -> Node | None:
    """The first named child that isn't a comment."""
    return next((child for child in named_of(node) if not child.is_extra), None)


def first_of(node: Node | None, *types: str) -> Node | None:
    """The first child of one of these types."""
    return next((child for child in named_of(node) if child.type in types), None)


def has_token(node: Node, *types: str) -> bool:
    """Whether one of the children, named or not, has one of these types."""
    return any(child.type in types for child in node.children)


def argument_count(arguments: Node | None, missing: int = -1) -> int:
    """The number of arguments in a list of them; `missing` where there is no list."""
    return arguments.named_child_count if arguments is not None else missing


def below(node: Node | None, types: frozenset[str] | set[str], most: int = 60) -> Iterator[Node]:
    """Descendants of some types, without those below them, from the first `most` nodes."""
    stack = [node] if node is not None else []
    while stack and most > 0:
        most -= 1
        here = stack.pop()
        if here.type in types:
            yield here
        else:
            stack.extend(reversed(here.named_children))
