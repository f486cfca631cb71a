"""Walks breadth-first along edges, bounded in depth, size and time, so that it ends in cycles and large graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trackdown.graph.deadline import Deadline
from trackdown.graph.edges import EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node
from trackdown.graph.graph import Graph

MOST_NODES = 2000


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The result of a walk: nodes with their distance from the start, nearest first, and the edges along the way.

    `cut` says that the walk reached its bound on size.
    """

    nodes: tuple[tuple[Node, int], ...]
    edges: tuple[Edge, ...]
    cut: bool = False


def walk(
    graph: Graph,
    starts: Sequence[Node],
    depth: int,
    types: Sequence[EdgeType] = EDGE_TYPES,
    direction: Direction = "both",
    hows: Sequence[How] = HOWS,
    most: int = MOST_NODES,
    seen: Callable[[Node], bool] | None = None,
    deadline: Deadline | None = None,
) -> Subgraph:
    """Everything within `depth` edges of the starts. A node that isn't `seen` is ignored.

    A deadline says afterwards whether it was missed: then edges may be missing, above all those of the farthest nodes.
    """
    distance = dict.fromkeys(starts, 0)
    edges: dict[Edge, None] = {}
    layer = list(distance)
    cut = False
    for step in range(1, depth + 1):
        following: list[Node] = []
        for node in layer:
            if edges and deadline is not None and deadline.passed():
                break
            for edge in graph.edges(node, types, direction, hows, deadline):
                other = edge.target if edge.source == node else edge.source
                if seen is not None and not seen(other):
                    continue
                if other not in distance:
                    if len(distance) >= most:
                        cut = True
                        continue
                    distance[other] = step
                    following.append(other)
                edges[edge] = None
        layer = following
    return Subgraph(tuple(distance.items()), tuple(edges), cut)
