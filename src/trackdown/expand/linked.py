"""Neighbours along resolved edges: callers and callees, base classes and subclasses, importers and imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trackdown.expand.spider import Expansion, Neighbour
from trackdown.graph import Edge, EdgeType, Graph, Node
from trackdown.index import CodeIndex
from trackdown.types import CLASS_KINDS, Level

_OUT: Mapping[EdgeType, str] = {"invokes": "called by", "inherits": "a base of", "imports": "imported by"}
_INTO: Mapping[EdgeType, str] = {"invokes": "calls", "inherits": "inherits from", "imports": "imports"}
_MOST_SEEN = 300


class LinkNeighbours:
    """Walks the graph from a centre, breadth first, and keeps the candidates."""

    def __init__(
        self,
        graph: Graph,
        code: CodeIndex,
        units: Sequence[int],
        files: Sequence[int],
        level: Level,
        settings: Expansion,
    ) -> None:
        self._graph = graph
        self._code = code
        self._units = units
        self._files = files
        self._level = level
        self._settings = settings
        self._types = tuple(type_ for type_ in settings.edges if type_ != "contains")
        self._by_row = {int(unit): number for number, unit in enumerate(units) if unit >= 0}
        self._by_file = {int(file): number for number, file in enumerate(files)} if level == "file" else {}

    def __call__(self, centre: int, candidates: Sequence[int]) -> list[Neighbour]:
        """The candidates that the walk reaches, in their order."""
        start = self._node(centre)
        seen = {start: ""}
        layer = [start]
        for _ in range(self._settings.hops):
            following: list[Node] = []
            for node in layer:
                for edge in self._edges(node):
                    other = edge.target if edge.source == node else edge.source
                    if other not in seen and len(seen) < _MOST_SEEN:
                        words = _OUT if edge.source == node else _INTO
                        seen[other] = f"{words[edge.type]} {node.symbol or node.path}"
                        following.append(other)
            layer = following
        reached = {number: said for node, said in seen.items() if (number := self._candidate(node)) is not None}
        return [Neighbour(one, reached[one]) for one in candidates if one in reached and one != centre]

    def _edges(self, node: Node) -> list[Edge]:
        settings = self._settings
        if self._level != "file":
            return self._graph.edges(node, self._types, settings.direction, settings.hows)
        return [edge for edge in self._between_files(node) if edge.how in settings.hows and edge.source != edge.target]

    def _between_files(self, node: Node) -> Iterator[Edge]:
        """Edges between files: from what a file and its definitions refer to, and from its importers."""
        graph, direction = self._graph, self._settings.direction
        if direction != "in":
            for link in graph.links(self._code.files_by_path[node.path]):
                if link.type in self._types:
                    target = link.target if isinstance(link.target, int) else link.target.file
                    yield Edge(node, graph.file_node(target), link.type, link.how)
        if direction != "out":
            for file, link in graph.links_into(self._code.files_by_path[node.path]):
                if link.type in self._types:
                    yield Edge(graph.file_node(file), node, link.type, link.how)

    def _node(self, candidate: int) -> Node:
        file, unit = int(self._files[candidate]), int(self._units[candidate])
        path = self._code.path(file)
        if unit < 0:
            return Node("file", path)
        kind = "class" if self._code.kind(unit) in CLASS_KINDS else "function"
        return Node(
            kind, path, self._code.symbol(unit), int(self._code.unit_start[unit]), int(self._code.unit_end[unit])
        )

    def _candidate(self, node: Node) -> int | None:
        file = self._code.files_by_path.get(node.path)
        if file is None:
            return None
        if self._level == "file":
            return self._by_file.get(file)
        definition = self._graph.definition(node)
        return None if definition is None else self._by_row.get(self._code.units_of(file).start + definition.index)
