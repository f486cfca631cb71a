"""The graph around a place: everything within a number of edges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trackdown.engine.navigation.resolve_target import Starts
from trackdown.engine.searching.filters import lies_below
from trackdown.errors import UsageError
from trackdown.graph import (
    DIRECTIONS,
    EDGE_TYPES,
    HOWS,
    MOST_NODES,
    Deadline,
    Direction,
    Edge,
    EdgeType,
    Graph,
    How,
    Node,
    resolution_notes,
    walk,
)
from trackdown.types import SnapshotInfo

MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes, nearest first, and edges around the starts, which are the first nodes.

    `cut` if it was too large or took too long; `partial` if time was up, or if the index is behind the disk.
    """

    target: str
    starts: tuple[Node, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cut: bool = False
    snapshots: tuple[SnapshotInfo, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a walk goes, and along which edges. Raises UsageError for invalid values."""

    depth: int = 1
    edges: Sequence[EdgeType] = EDGE_TYPES
    direction: Direction = "both"
    hows: Sequence[How] = HOWS

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MOST_DEPTH:
            raise UsageError(f"depth must be between 1 and {MOST_DEPTH}, not {self.depth}")
        _check("edge type", self.edges, EDGE_TYPES)
        _check("direction", [self.direction], DIRECTIONS)
        _check("how", self.hows, HOWS)


def neighbourhood(
    graph: Graph,
    target: str,
    starts: Starts,
    reach: Reach,
    most: int = MOST_NODES,
    within: str = "",
    seconds: float | None = None,
) -> Neighbourhood:
    """Walk from the starts within `reach` and the folder `within`.

    A note says if it was cut at `most` nodes, or because `seconds` were over.
    """
    notes = [*starts.notes, *_unresolved(graph, starts.nodes, reach)]
    first = starts.nodes[:most]
    types = tuple(type_ for type_ in EDGE_TYPES if type_ in reach.edges)
    seen = (lambda node: lies_below(node.path.strip("/"), within)) if within else None
    deadline = Deadline(seconds) if seconds is not None else None
    found = walk(graph, first, reach.depth, types, reach.direction, reach.hows, most, seen, deadline)
    cut = found.cut or len(first) < len(starts.nodes)
    if cut:
        notes.append(f"cut at {most:,} places (the nearest). To see all of them, use less depth or fewer edge types")
    late = deadline is not None and deadline.missed
    if late:
        notes.append(
            f"incomplete: not all files that may have an edge were read within {seconds:g} seconds. Ask again to see "
            "more, since what was read is kept, or use less depth or fewer edge types"
        )
    nodes = tuple(node for node, _ in found.nodes)
    said = tuple(dict.fromkeys(notes))
    return Neighbourhood(target, first, nodes, found.edges, cut or late, notes=said, partial=late)


def _unresolved(graph: Graph, starts: Sequence[Node], reach: Reach) -> list[str]:
    """Notes on the languages of the starts, if the walk follows references."""
    if set(reach.edges) <= {"contains"}:
        return []
    files = {graph.program.files[node.path] for node in starts if node.path in graph.program.files}
    return resolution_notes(map(graph.program.language, files))


def _check(what: str, values: Collection[str], known: Sequence[str]) -> None:
    for value in values:
        if value not in known:
            raise UsageError(f"unknown {what} {value!r}; known are {', '.join(known)}")
    if not values:
        raise UsageError(f"name at least one {what}: {', '.join(known)}")
