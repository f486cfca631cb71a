"""Finds the candidates near a centre along the edges that an expansion names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trackdown.expand.linked import LinkNeighbours
from trackdown.expand.nearby import ContainmentNeighbours
from trackdown.expand.spider import Expansion, Neighbour, Neighbours
from trackdown.graph import Graph
from trackdown.index import CodeIndex
from trackdown.types import Level

_DEEPEST_FOR_CLASSES = 2


def neighbour_finder(
    code: CodeIndex,
    graph: Callable[[], Graph] | None,
    units: Sequence[int],
    files: Sequence[int],
    level: Level,
    expansion: Expansion,
) -> Neighbours:
    """A function that finds neighbours among candidates (candidate c is the unit `units[c]` of the file `files[c]`).

    Walks along *contains* and along resolved edges are separate; a candidate that both reach counts once.
    """
    ways: list[Neighbours] = []
    if set(expansion.edges) - {"contains"} and graph is not None:
        ways.append(LinkNeighbours(graph(), code, units, files, level, expansion))
    if "contains" in expansion.edges:
        depth = min(expansion.depth, _DEEPEST_FOR_CLASSES) if level == "class" else expansion.depth
        ways.append(ContainmentNeighbours(code, units, files, depth))

    def find(centre: int, candidates: Sequence[int]) -> list[Neighbour]:
        found: dict[int, Neighbour] = {}
        for way in ways:
            for near in way(centre, candidates):
                found.setdefault(near.candidate, near)
        return [found[candidate] for candidate in candidates if candidate in found]

    return find
