"""How a place relates to the rest of the code: callers, callees, siblings, base classes and subclasses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trackdown.engine.navigation.resolve_target import innermost
from trackdown.engine.searching.filters import PathFilter
from trackdown.graph import HOWS, Direction, EdgeType, Graph, How, Node
from trackdown.index import CodeIndex


@dataclass(frozen=True, slots=True)
class Relative:
    """A class, function or file related to a place. `how` says how the relation was resolved."""

    path: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    how: How


@dataclass(frozen=True, slots=True)
class Relations:
    """The relatives of a place, the most certain first.

    Siblings are the other members of its class, or the other top-level definitions of its file, nearest first. Base
    classes and subclasses are those of the enclosing class. Only a file has imports and importers.
    """

    callers: tuple[Relative, ...] = ()
    callees: tuple[Relative, ...] = ()
    siblings: tuple[Relative, ...] = ()
    subclasses: tuple[Relative, ...] = ()
    bases: tuple[Relative, ...] = ()
    imports: tuple[Relative, ...] = ()
    importers: tuple[Relative, ...] = ()


class RelativeFinder:
    """Follows the edges of a snapshot's graph; finds at most `k` relatives of a kind, in files that `shown` admits."""

    def __init__(self, graph: Graph, code: CodeIndex, k: int, shown: PathFilter) -> None:
        self._graph = graph
        self._code = code
        self._k = k
        self._shown = shown

    def node_at(self, file: int, line: int) -> Node:
        """The innermost class or function around a line, or else the file."""
        found = innermost(self._graph.program.definitions(file), line)
        return self._graph.node(found) if found is not None else self._graph.file_node(file)

    def around(self, node: Node, line: int) -> Relations:
        """The relatives of a class, function or file; siblings by their distance to the line."""
        enclosing = self._class_around(node)
        return Relations(
            self._along(node, "invokes", "in"),
            self._along(node, "invokes", "out"),
            self._relatives((one, "exact") for one in self._siblings(node, line)),
            self._along(enclosing, "inherits", "in") if enclosing is not None else (),
            self._along(enclosing, "inherits", "out") if enclosing is not None else (),
            () if node.symbol else self._along(node, "imports", "out"),
            () if node.symbol else self._along(node, "imports", "in"),
        )

    def _along(self, node: Node, type_: EdgeType, direction: Direction) -> tuple[Relative, ...]:
        edges = self._graph.edges(node, (type_,), direction)
        return self._relatives((edge.target if direction == "out" else edge.source, edge.how) for edge in edges)

    def _siblings(self, node: Node, line: int) -> list[Node]:
        parent = self._graph.parent(node) if node.symbol else node
        found = [one for one in self._graph.children(parent) if one != node] if parent is not None else []
        return sorted(found, key=lambda one: max(one.start_line - line, line - one.end_line))

    def _class_around(self, node: Node) -> Node | None:
        around: Node | None = node
        while around is not None and around.kind != "class":
            around = self._graph.parent(around)
        return around

    def _relatives(self, found: Iterable[tuple[Node, How]]) -> tuple[Relative, ...]:
        surest: dict[Node, How] = {}
        for node, how in found:
            if not self._shown.admits(node.path):
                continue
            surest[node] = min(how, surest.get(node, how), key=HOWS.index)
        ordered = sorted(surest.items(), key=lambda item: HOWS.index(item[1]))
        return tuple(self._relative(node, how) for node, how in ordered[: self._k])

    def _relative(self, node: Node, how: How) -> Relative:
        definition = self._graph.definition(node)
        if definition is not None:
            return Relative(node.path, node.symbol, definition.kind, node.start_line, node.end_line, how)
        lines = int(self._code.file_lines[self._code.files_by_path[node.path]])
        return Relative(node.path, "", "file", 1, max(1, lines), how)
