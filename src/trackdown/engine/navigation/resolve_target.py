"""A target (a file, a line, a folder, a class or function) → nodes of the graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trackdown.engine.navigation.similar_names import dotted_name, nearest_names, suggestion
from trackdown.engine.searching.filters import files_below, lies_below
from trackdown.errors import UsageError
from trackdown.graph import ROOT, Definition, Graph, Node
from trackdown.index import CodeIndex

_LISTED = 3
_LINE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Starts:
    """Where a walk begins, with notes."""

    nodes: tuple[Node, ...]
    notes: tuple[str, ...] = ()


class TargetResolver:
    """Finds the nodes of a target in a snapshot.

    `relative` turns a path as typed into a path from the root. Symbols are looked up below `subfolder` first. With
    `confined`, everything outside it is ignored, and the subfolder is the root. `lacks` says what is missing from a
    partial index: without it, a target that is not indexed yet would be said not to exist.
    """

    def __init__(
        self,
        graph: Graph,
        code: CodeIndex,
        repository: str,
        relative: Callable[[str], str],
        subfolder: str = "",
        *,
        confined: bool = False,
        lacks: str = "",
    ) -> None:
        self._graph = graph
        self._code = code
        self._repository = repository
        self._relative = relative
        self._subfolder = subfolder
        self._within = subfolder if confined else ""
        self._lacks = f" ({lacks})" if lacks else ""

    def find(self, target: str) -> Starts:
        """The nodes that `target` names.

        In this order: a file or folder; FILE:LINE, FILE:SYMBOL or a node's id; a full symbol; the end of a symbol; the
        end of a path. Raises UsageError, with the most similar names, if it is none of these.
        """
        if not target.strip() or "\0" in target:
            raise UsageError(f"{target!r} is not a target: give a FILE, FILE:LINE, a folder or a SYMBOL")
        found = self._path(target) or self._inside(target) or self._symbol(target) or self._end_of_path(target)
        if found is None:
            raise self._unknown(target)
        return found

    def _path(self, target: str) -> Starts | None:
        path = self._relative(target)
        if path in (".", "/") and self._within:
            path = self._within
        if not lies_below(path, self._within):
            return None
        if path in self._code.files_by_path:
            return Starts((Node("file", path),))
        folder = ROOT if path in (".", "/") else Node("directory", f"{path.rstrip('/')}/")
        return Starts((folder,)) if self._graph.children(folder) else None

    def _inside(self, target: str) -> Starts | None:
        for colon in re.finditer(":", target):
            path, rest = self._relative(target[: colon.start()] or "/"), target[colon.end() :]
            file = self._code.files_by_path.get(path)
            if file is not None and lies_below(path, self._within):
                return self._at_line(file, path, int(rest)) if _LINE.fullmatch(rest) else self._named(file, path, rest)
        return None

    def _at_line(self, file: int, path: str, line: int) -> Starts:
        lines = max(1, int(self._code.file_lines[file]))
        if not 1 <= line <= lines:
            raise UsageError(f"{path} has no line {line}: its lines are 1 to {lines}")
        found = innermost(self._graph.program.definitions(file), line)
        if found is not None:
            return Starts((self._graph.node(found),))
        return Starts(
            (Node("file", path),), (f"line {line} of {path} is not in a function or class: this is its file",)
        )

    def _named(self, file: int, path: str, rest: str) -> Starts:
        """FILE:SYMBOL, and the id of a node: FILE:SYMBOL:LINE."""
        definitions = self._graph.program.definitions(file)
        symbol, _, line = rest.rpartition(":")
        for name, first in ((dotted_name(rest), ""), (dotted_name(symbol), line)):
            named = [one for one in definitions if one.symbol == name and first in ("", str(one.start_line))]
            found = named or [one for one in definitions if not first and one.symbol.endswith(f".{name}")]
            if name and found:
                return self._several(rest, found)
        near = nearest_names(dotted_name(rest), (one.symbol for one in definitions), ".")
        raise UsageError(
            f"{path} has no {rest!r}: give a line, counted from 1, or a class or function in it{suggestion(near)}"
        )

    def _symbol(self, target: str) -> Starts | None:
        name = dotted_name(target)
        if not name:
            return None
        program = self._graph.program
        named = [
            one for one in program.named(name.rpartition(".")[2]) if lies_below(program.path(one.file), self._within)
        ]
        whole = [one for one in named if one.symbol == name]
        found = whole or [one for one in named if one.symbol.endswith(f".{name}")]
        below = [one for one in found if lies_below(program.path(one.file), self._subfolder)]
        return self._several(target, below or found) if found else None

    def _several(self, target: str, found: Sequence[Definition]) -> Starts:
        nodes = sorted(map(self._graph.node, found), key=lambda node: (node.path, node.start_line, node.end_line))
        if len(nodes) == 1:
            return Starts(tuple(nodes))
        shown = ", ".join(f"{node.path}:{node.start_line}" for node in nodes[:_LISTED])
        more = f" and {len(nodes) - _LISTED} more" if len(nodes) > _LISTED else ""
        note = f"{target} matches {len(nodes)} places; this includes all of them: {shown}{more}. For one, use FILE:LINE"
        return Starts(tuple(nodes), (note,))

    def _end_of_path(self, target: str) -> Starts | None:
        wanted = target.rstrip("/")
        files = self._code.files_by_name.get(wanted.rpartition("/")[2], [])
        paths = [path for path, _ in files if f"/{path}".endswith(f"/{wanted}") and lies_below(path, self._within)]
        nodes = [Node("file", path) for path in sorted(paths)]
        if len(nodes) < 2:
            return Starts(tuple(nodes)) if nodes else None
        shown = ", ".join(node.path for node in nodes[:_LISTED])
        more = f" and {len(nodes) - _LISTED} more" if len(nodes) > _LISTED else ""
        return Starts(tuple(nodes), (f"{target} matches {len(nodes)} files; this includes all of them: {shown}{more}",))

    def _unknown(self, target: str) -> UsageError:
        path, _, rest = target.rpartition(":")
        if path and _LINE.fullmatch(rest):
            near = nearest_names(path, self._paths(), "/")
            return UsageError(f"{path} is not an indexed file of {self._repository}{suggestion(near)}{self._lacks}")
        near = nearest_names(dotted_name(target), self._symbols(), ".")
        if "/" in target or not near:
            near = [*nearest_names(target.rstrip("/"), self._paths(), "/"), *near][:5]
        known = f"{self._repository} has no file, folder, class or function {target!r}{suggestion(near)}"
        return UsageError(f"{known}{self._lacks}")

    def _paths(self) -> Iterator[str]:
        return (path for path in self._code.files_by_path if lies_below(path, self._within))

    def _symbols(self) -> Iterator[str]:
        code = self._code
        shown = code.unit_alive & files_below(code, self._within)[code.unit_file]
        for segment, offset in zip(code.segments, code.unit_offsets.tolist(), strict=False):
            alive = shown[offset : offset + len(segment.symbols)].tolist()
            for symbol, lives in zip(segment.symbols.all_text(), alive, strict=True):
                if symbol and lives:
                    yield symbol


def innermost(definitions: Sequence[Definition], line: int) -> Definition | None:
    """The smallest definition around a line."""
    around = [one for one in definitions if one.start_line <= line <= one.end_line]
    return min(around, key=lambda one: one.end_line - one.start_line, default=None)
