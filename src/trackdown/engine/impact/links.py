"""The graph around a diff: what calls, overrides, extends, tests or imports what it changes, and what that calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from trackdown.engine.impact.changed_files import PatchedFile
from trackdown.engine.impact.evidence import Evidence
from trackdown.graph import Graph, How, Node
from trackdown.index import CodeIndex
from trackdown.types import CLASS_KINDS, TEST

SIGNAL = "graph"
_SURENESS: dict[How, float] = {"exact": 1.0, "scoped": 0.6, "name": 0.3}
_MOST_UNITS = 40
"""Of a diff that changes more classes and functions, the links of the first ones are followed."""
_MOST_FILES = 300
"""A name that more files mention is not looked up: it says little, and resolving them takes long."""


class _Tie(NamedTuple):
    """A link between a changed place and another one; `says` has the other's part in it."""

    file: int
    unit: int
    strength: float
    says: str


def links(code: CodeIndex, graph: Graph, changed: Sequence[PatchedFile]) -> Evidence:
    """How closely each file and unit is linked to what the diff changes."""
    ties: dict[int, list[_Tie]] = {}
    followed = _MOST_UNITS
    for one in changed:
        if one.file < 0:
            continue
        finder = _Finder(code, graph, one.file, one.units[: max(followed, 0)])
        followed -= len(one.units)
        for tie in finder.ties():
            ties.setdefault(tie.file, []).append(tie)
    files, units = np.zeros(len(code.file_alive)), np.zeros(len(code.unit_file))
    for file, found in ties.items():
        total = sum(tie.strength for tie in found)
        files[file] = total / (total + 1.0)
        for tie in found:
            if tie.unit >= 0:
                units[tie.unit] += tie.strength
    units /= units + 1.0

    def reason(file: int, unit: int) -> str:
        found = [tie for tie in ties[file] if unit < 0 or tie.unit == unit] or ties[file]
        best = max(found, key=lambda tie: tie.strength)
        part = code.symbol(best.unit).rsplit(".", 1)[-1] if best.unit >= 0 and best.unit != unit else ""
        return f"{f'in {part}: ' if part else ''}{best.says}"

    return Evidence(SIGNAL, files, reason, units)


class _Finder:
    """The ties of one changed file. Ties within the file are only of use below file level."""

    def __init__(self, code: CodeIndex, graph: Graph, file: int, units: Sequence[int]) -> None:
        self._code = code
        self._graph = graph
        self._program = graph.program
        self._file = file
        first = code.units_of(file).start
        changed = {unit - first for unit in units}
        self._changed = [one for one in self._program.definitions(file) if one.index in changed]

    def ties(self) -> Iterator[_Tie]:
        yield from self._used()
        for definition in self._changed:
            if len(self._program.mentioning(definition.name)) > _MOST_FILES:
                continue
            node = self._graph.node(definition)
            yield from self._users(node)
            if definition.owner and definition.kind not in CLASS_KINDS:
                yield from self._overriders(node, definition.owner, definition.name)
        yield from self._importers()

    def _users(self, node: Node) -> Iterator[_Tie]:
        """Callers and subclasses."""
        for edge in self._graph.edges(node, ("invokes", "inherits"), "in"):
            verb = "calls" if edge.type == "invokes" else "extends"
            yield from self._tie(edge.source, edge.how, f"{verb} {node.symbol}, which changed")

    def _used(self) -> Iterator[_Tie]:
        """What changed code calls and extends, and what its file imports."""
        for link in self._graph.links(self._file):
            target = link.target
            if isinstance(target, int):
                if target != self._file:
                    path = self._program.path(self._file)
                    yield _Tie(target, -1, 0.3 * _SURENESS[link.how], f"imported by {path}, which changed")
            elif link.source in self._changed and link.source is not None:
                verb = "called" if link.type == "invokes" else "extended"
                says = f"{verb} by {link.source.symbol}, which changed"
                yield from self._tie(self._graph.node(target), link.how, says, 0.7)

    def _overriders(self, node: Node, owner: str, name: str) -> Iterator[_Tie]:
        """The same method in subclasses and base classes."""
        around = self._graph.parent(node)
        if around is None or around.kind != "class" or len(self._program.mentioning(owner)) > _MOST_FILES:
            return
        for edge in self._graph.edges(around, ("inherits",), "both"):
            below = edge.target == around
            other = edge.source if below else edge.target
            file = self._program.files.get(other.path)
            for one in self._program.definitions(file) if file is not None else ():
                if one.owner == other.symbol and one.name == name:
                    verb = "overrides" if below else "is overridden by"
                    yield from self._tie(self._graph.node(one), edge.how, f"{verb} {node.symbol}, which changed")

    def _importers(self) -> Iterator[_Tie]:
        node = self._graph.file_node(self._file)
        if len(self._program.mentioning(_stem(node.path))) > _MOST_FILES:
            return
        for file, link in self._graph.links_into(self._file):
            if link.type == "imports":
                yield _Tie(file, -1, 0.3 * _SURENESS[link.how], f"imports {node.path}, which changed")

    def _tie(self, node: Node, how: How, says: str, factor: float = 1.0) -> Iterator[_Tie]:
        file = self._program.files.get(node.path)
        definition = self._graph.definition(node)
        if file is None or definition in self._changed:
            return
        unit = self._code.units_of(file).start + definition.index if definition is not None else -1
        test = self._code.file_role[file] == TEST
        yield _Tie(file, unit, factor * _SURENESS[how], says.replace("calls ", "tests ", 1) if test else says)


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[-1].split(".", 1)[0]
