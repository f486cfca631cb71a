"""Neighbours along *contains*: the number of edges between two nodes in the tree of folders, files and classes.

Two methods of a class are 2 apart, functions in two files of a folder 4. Two names determine the path between their
nodes, so no walk is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from trackdown.expand.spider import Neighbour
from trackdown.graph import shared_length
from trackdown.index import CodeIndex

Way = tuple[str, ...]


class ContainmentNeighbours:
    """Finds candidates within `depth` edges of each other. A candidate is a unit's row, or a file (unit -1)."""

    def __init__(self, code: CodeIndex, units: Sequence[int], files: Sequence[int], depth: int) -> None:
        self._code = code
        self._units = units
        self._files = files
        self._depth = depth
        self._ways: dict[int, Way] = {}

    def __call__(self, centre: int, candidates: Sequence[int]) -> list[Neighbour]:
        """The candidates near the centre, in their order."""
        own = self._way(centre)
        found = []
        for candidate in candidates:
            other = self._way(candidate)
            shared = shared_length(own, other)
            if len(own) + len(other) - 2 * shared <= self._depth:
                found.append(Neighbour(candidate, _relation(own[:shared])))
        return found

    def _way(self, candidate: int) -> Way:
        """The names from the root down to a candidate: folders, file, classes, itself."""
        if candidate not in self._ways:
            file, unit = int(self._files[candidate]), int(self._units[candidate])
            path = self._code.path(file)
            way = [f"{folder}/" for folder in path.split("/")[:-1]]
            way.append(path)
            if unit >= 0:
                *outer, _ = symbol = self._code.symbol(unit).split(".")
                way += [f"{'.'.join(symbol[: depth + 1])}." for depth in range(len(outer))]
                way.append(f"{unit}")
            self._ways[candidate] = tuple(way)
        return self._ways[candidate]


def _relation(shared: Way) -> str:
    """What two nodes have in common, in words."""
    if not shared:
        return "in the root folder, too"
    last = shared[-1]
    return f"in the folder {last}, too" if last.endswith("/") else f"in {last.rstrip('.')}, too"
