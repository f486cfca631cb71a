"""How a place relates to the rest of the code: callers, callees, siblings, base classes and subclasses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trackdown.engine.navigation.resolve_target import innermost
from trackdown.engine.searching.filters import PathFilter
from trackdown.graph import HOWS, Deadline, Direction, EdgeType, Graph, How, Node
from trackdown.index import CodeIndex

MOST_SECONDS = 4.0
"""How long to look for what refers to a place: a name like `poll` is in hundreds of files, and each has to be read."""
_MOST_BASES = 20


@dataclass(frozen=True, slots=True)
class Relative:
    """A class, function or file related to a place. `how` says how the relation was resolved.

    A caller may call a method `through` the one that it overrides: then it is never exact, because which of the
    overriding methods runs is known only at run time.
    """

    path: str
    symbol: str
    kind: str
    start_line: int
    end_line: int
    how: How
    through: str = ""


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
    """Follows the edges of a snapshot's graph; finds at most `k` relatives of a kind, in files that `shown` admits.

    After `patience` seconds it looks at no further files for what refers to a place; `cut` says that it did so.
    """

    def __init__(
        self, graph: Graph, code: CodeIndex, k: int, shown: PathFilter, patience: float = MOST_SECONDS
    ) -> None:
        self._graph = graph
        self._code = code
        self._k = k
        self._shown = shown
        self._deadline = Deadline(patience)

    @property
    def cut(self) -> bool:
        """Whether relatives may be missing because time was up."""
        return self._deadline.missed

    def node_at(self, file: int, line: int) -> Node:
        """The innermost class or function around a line, or else the file."""
        found = innermost(self._graph.program.definitions(file), line)
        return self._graph.node(found) if found is not None else self._graph.file_node(file)

    def around(self, node: Node, line: int) -> Relations:
        """The relatives of a class, function or file; siblings by their distance to the line."""
        enclosing = self._class_around(node)
        return Relations(
            self._callers(node, enclosing),
            self._along(node, "invokes", "out"),
            self._relatives((one, "exact", "") for one in self._siblings(node, line)),
            self._along(enclosing, "inherits", "in") if enclosing is not None else (),
            self._along(enclosing, "inherits", "out") if enclosing is not None else (),
            () if node.symbol else self._along(node, "imports", "out"),
            () if node.symbol else self._along(node, "imports", "in"),
        )

    def _along(self, node: Node, type_: EdgeType, direction: Direction) -> tuple[Relative, ...]:
        edges = self._graph.edges(node, (type_,), direction, deadline=self._deadline)
        return self._relatives((edge.target if direction == "out" else edge.source, edge.how, "") for edge in edges)

    def _callers(self, node: Node, enclosing: Node | None) -> tuple[Relative, ...]:
        """What calls a class or function, also through the methods of base classes that it overrides."""
        found: list[tuple[Node, How, str]] = []
        for edge in self._graph.edges(node, ("invokes",), "in", deadline=self._deadline):
            found.append((edge.source, edge.how, ""))
        if enclosing is not None and node != enclosing and self._graph.parent(node) == enclosing:
            for method in self._overridden(node, enclosing):
                for edge in self._graph.edges(method, ("invokes",), "in", deadline=self._deadline):
                    how: How = "scoped" if edge.how == "exact" else edge.how
                    if edge.source != node:  # which calls the overridden method itself
                        found.append((edge.source, how, method.symbol))
        return self._relatives(found)

    def _overridden(self, node: Node, enclosing: Node) -> Iterator[Node]:
        """The methods of the same name in base classes, nearest first."""
        name = node.symbol.rpartition(".")[2]
        seen, waiting = {enclosing}, deque([enclosing])
        while waiting and len(seen) <= _MOST_BASES:
            for edge in self._graph.edges(waiting.popleft(), ("inherits",), "out"):
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
                    members = self._graph.children(edge.target)
                    yield from (one for one in members if one.symbol.rpartition(".")[2] == name)

    def _siblings(self, node: Node, line: int) -> list[Node]:
        parent = self._graph.parent(node) if node.symbol else node
        found = [one for one in self._graph.children(parent) if one != node] if parent is not None else []
        return sorted(found, key=lambda one: max(one.start_line - line, line - one.end_line))

    def _class_around(self, node: Node) -> Node | None:
        around: Node | None = node
        while around is not None and around.kind != "class":
            around = self._graph.parent(around)
        return around

    def _relatives(self, found: Iterable[tuple[Node, How, str]]) -> tuple[Relative, ...]:
        surest: dict[Node, tuple[How, str]] = {}
        for node, how, through in found:
            if self._shown.admits(node.path):
                surest[node] = min((how, through), surest.get(node, (how, through)), key=_certainty)
        ordered = sorted(surest.items(), key=lambda item: _certainty(item[1]))
        return tuple(self._relative(node, how, through) for node, (how, through) in ordered[: self._k])

    def _relative(self, node: Node, how: How, through: str) -> Relative:
        definition = self._graph.definition(node)
        if definition is not None:
            return Relative(node.path, node.symbol, definition.kind, node.start_line, node.end_line, how, through)
        lines = int(self._code.file_lines[self._code.files_by_path[node.path]])
        return Relative(node.path, "", "file", 1, max(1, lines), how, through)


def _certainty(relation: tuple[How, str]) -> tuple[int, bool]:
    """How sure a relation is, the surest first; directly is surer than through another method."""
    return HOWS.index(relation[0]), bool(relation[1])
