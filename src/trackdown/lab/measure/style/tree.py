"""Code → the tree whose edit distance is taken: the named nodes of the syntax tree, labelled by their kind.

Punctuation and reserved words have no name in a grammar and follow from the kind of what they stand in, so they are
left out; an operator is part of its expression's label. Names and literals count by kind only, since other terms
compare them.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from trackdown.lab.measure.style.syntax import Place, text_of, walk

_OPERATOR_FIELDS = ("operator", "operators")


@dataclass(frozen=True, slots=True)
class Tree:
    """An ordered tree: the labels of its nodes in postorder, and for each the place of the leftmost leaf below it."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]

    def preorder(self) -> list[str]:
        """The labels in preorder: what begins further left comes first, and what encloses before what it holds."""
        places = sorted(range(len(self.labels)), key=lambda place: (self.leftmost[place], -place))
        return [self.labels[place] for place in places]


def tree(root: Node) -> Tree:
    """The tree of named nodes below and with a root."""
    labels: list[str] = []
    leftmost: list[int] = []
    open_nodes: list[tuple[Place, int, list[str]]] = []

    def close() -> None:
        place, first, operators = open_nodes.pop()
        leftmost.append(first)
        labels.append(" ".join([place.node.type, *operators]))

    for place in walk(root):
        while open_nodes and open_nodes[-1][0].depth >= place.depth:
            close()
        if place.node.is_named:
            open_nodes.append((place, len(labels), []))
        elif place.field in _OPERATOR_FIELDS and open_nodes:
            open_nodes[-1][2].append(text_of(place.node))
    while open_nodes:
        close()
    return Tree(tuple(labels), tuple(leftmost))
