"""Programs in memory, and how well their graphs agree with edges that people have checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.graph.edges import Edge, How
from trackdown.graph.graph import Graph
from trackdown.graph.program import Definition
from trackdown.units.extraction import extract
from trackdown.units.languages import language_of
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import BlobReferences


class MemoryProgram:
    """A `Program` of texts by path: parsed by the real extractors, without a store."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)
        self._paths = sorted(texts)
        self.files = {path: number for number, path in enumerate(self._paths)}
        self._facts = [extract(texts[path].encode(), language_of(path)) for path in self._paths]
        self._definitions = [self._defined(number) for number in range(len(self._paths))]
        self._references: dict[int, BlobReferences] = {}

    def _defined(self, file: int) -> list[Definition]:
        return [
            Definition(file, index, unit.kind, unit.symbol, unit.start_line, unit.end_line)
            for index, unit in enumerate(self._facts[file].units)
            if unit.kind != "window"
        ]

    def path(self, file: int) -> str:
        return self._paths[file]

    def language(self, file: int) -> str:
        return self._facts[file].language

    def definitions(self, file: int) -> Sequence[Definition]:
        return self._definitions[file]

    def references(self, file: int) -> BlobReferences:
        if file not in self._references:
            path = self._paths[file]
            self._references[file] = extract_references(self._texts[path].encode(), language_of(path))
        return self._references[file]

    def expect(self, files: Iterable[int]) -> None:
        for file in files:
            self.references(file)

    def named(self, name: str) -> Sequence[Definition]:
        return [one for found in self._definitions for one in found if one.name == name]

    def mentioning(self, name: str) -> Sequence[int]:
        return [self.files[path] for path in self._paths if name in self._texts[path]]

    def text(self, path: str) -> str | None:
        return self._texts.get(path)


def read_program(folder: Path) -> MemoryProgram:
    """All files below a folder."""
    return MemoryProgram(
        {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}
    )


def all_edges(program: MemoryProgram) -> list[Edge]:
    """Every edge but the contained ones."""
    graph = Graph(program)
    found: dict[Edge, None] = {}
    for file in program.files.values():
        nodes = [graph.file_node(file), *map(graph.node, program.definitions(file))]
        for node in nodes:
            found.update(dict.fromkeys(graph.edges(node, ("imports", "invokes", "inherits"), "out")))
    return list(found)


def shown(edge: Edge) -> str:
    """An edge as fixture files write it: `invokes a.py:f -> b.py:C.m`."""

    def end(path: str, symbol: str) -> str:
        return f"{path}:{symbol}" if symbol else path

    source, target = edge.source, edge.target
    return f"{edge.type} {end(source.path, source.symbol)} -> {end(target.path, target.symbol)}"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the edges of a program compare with checked ones."""

    wrong: tuple[str, ...]
    missed: tuple[str, ...]
    right: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + len(self.missed))


def agreement(folder: Path, hows: Sequence[How] = ("exact", "scoped")) -> Agreement:
    """Compare the program in `folder/repo` with `folder/edges.txt`: one edge a line, `#` begins a remark.

    Only edges that were resolved in one of the ways count.
    """
    lines = (line.split("#")[0].strip() for line in (folder / "edges.txt").read_text("utf-8").splitlines())
    expected = {line for line in lines if line}
    found = {shown(edge) for edge in all_edges(read_program(folder / "repo")) if edge.how in hows}
    return Agreement(tuple(sorted(found - expected)), tuple(sorted(expected - found)), len(found & expected))
