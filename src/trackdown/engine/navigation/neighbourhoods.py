"""The graph around a place: everything within some edges of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trackdown.engine.navigation.resolve_target import Starts
from trackdown.engine.searching.filters import lies_below
from trackdown.errors import UsageError
from trackdown.graph.edges import DIRECTIONS, EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node
from trackdown.graph.graph import RESOLVERS, Graph
from trackdown.graph.walk import MOST_NODES, walk
from trackdown.types import SnapshotInfo

MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes, nearest first, and edges around the starts, which are the first nodes. `cut`: there was more than fits."""

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
    """How far a walk goes, and along what. Raises UsageError for what there is not."""

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
    graph: Graph, target: str, starts: Starts, reach: Reach, most: int = MOST_NODES, within: str = ""
) -> Neighbourhood:
    """Walk from the starts as far as asked, and not out of the folder `within`. Notes say what did not fit."""
    notes = [*starts.notes, *_unresolved(graph, starts.nodes, reach)]
    first = starts.nodes[:most]
    types = tuple(type_ for type_ in EDGE_TYPES if type_ in reach.edges)
    seen = (lambda node: lies_below(node.path.strip("/"), within)) if within else None
    found = walk(graph, first, reach.depth, types, reach.direction, reach.hows, most, seen)
    cut = found.cut or len(first) < len(starts.nodes)
    if cut:
        notes.append(f"cut at {most:,} places, the nearest: there are more. Ask for less depth or fewer edge types")
    return Neighbourhood(
        target, first, tuple(node for node, _ in found.nodes), found.edges, cut, notes=tuple(dict.fromkeys(notes))
    )


def _unresolved(graph: Graph, starts: Sequence[Node], reach: Reach) -> list[str]:
    """A note for each language of the starts whose references nobody can resolve, if they were asked for."""
    if set(reach.edges) <= {"contains"}:
        return []
    files = {graph.program.files[node.path] for node in starts if node.path in graph.program.files}
    languages = {graph.program.language(file) for file in files} - set(RESOLVERS) - {"text"}
    return [f"references in {language} are not resolved: only what contains what is known" for language in
            sorted(languages)]  # fmt: skip


def _check(what: str, values: Collection[str], known: Sequence[str]) -> None:
    for value in values:
        if value not in known:
            raise UsageError(f"there is no {what} {value!r}; there are {', '.join(known)}")
    if not values:
        raise UsageError(f"name at least one {what}: {', '.join(known)}")
