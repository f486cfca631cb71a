"""A neighbourhood as a tree: every edge once, every place unfolded once. What comes again is marked, so cycles end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from trackdown.engine import Edge, Neighbourhood, Node


@dataclass(slots=True)
class Branch:
    """A place in the tree. `edges` lead to it from the branch above (`outward`) or from it to there; none at a start.

    `again` says that it is unfolded elsewhere.
    """

    node: Node
    edges: tuple[Edge, ...] = ()
    outward: bool = True
    again: bool = False
    branches: list[Branch] = field(default_factory=list)


def as_tree(answer: Neighbourhood) -> list[Branch]:
    """One branch for each start."""
    return _Grower(answer).roots()


class _Grower:
    def __init__(self, answer: Neighbourhood) -> None:
        self._starts = answer.starts
        self._edges: dict[Node, list[Edge]] = {node: [] for node in answer.nodes}
        for edge in answer.edges:
            self._edges[edge.source].append(edge)
            self._edges[edge.target].append(edge)
        self._drawn: set[Edge] = set()

    def roots(self) -> list[Branch]:
        """Grown layer by layer, so that a place is unfolded where it is nearest to a start."""
        roots = [Branch(node) for node in self._starts]
        unfolded = set(self._starts)
        layer = roots
        while layer:
            following: list[Branch] = []
            for branch in layer:
                for new in self._around(branch.node):
                    new.again = new.node in unfolded
                    unfolded.add(new.node)
                    branch.branches.append(new)
                    if not new.again:
                        following.append(new)
            layer = following
        return roots

    def _around(self, node: Node) -> Iterator[Branch]:
        """A branch for each neighbour and direction, with the edges that no other branch shows."""
        found: dict[tuple[Node, bool], list[Edge]] = {}
        for edge in self._edges[node]:
            if edge not in self._drawn:
                self._drawn.add(edge)
                outward = edge.source == node
                found.setdefault((edge.target if outward else edge.source, outward), []).append(edge)
        for (other, outward), edges in sorted(found.items(), key=lambda item: item[0][1]):
            yield Branch(other, tuple(edges), outward)
