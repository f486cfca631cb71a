"""The graph of a snapshot: directories, files, classes and functions, and the edges between them.

Edges are resolved file by file on demand, and cached: an edit costs nothing until somebody asks for its edges. Incoming
edges are found by resolving the files in which the name occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module

from trackdown.graph.deadline import Deadline
from trackdown.graph.edges import EDGE_TYPES, HOWS, Direction, Edge, EdgeType, How, Node
from trackdown.graph.paths import shared_length
from trackdown.graph.program import Definition, Program
from trackdown.graph.resolver import Link, Resolver
from trackdown.types import CLASS_KINDS

RESOLVERS: Mapping[str, tuple[str, str]] = {
    "python": ("python", "PythonResolver"),
    "javascript": ("ecmascript", "EcmascriptResolver"),
    "typescript": ("ecmascript", "EcmascriptResolver"),
    "tsx": ("ecmascript", "EcmascriptResolver"),
    "java": ("java", "JavaResolver"),
    "go": ("go", "GoResolver"),
    "rust": ("scoped", "ScopedResolver"),
    "c": ("scoped", "ScopedResolver"),
    "cpp": ("scoped", "ScopedResolver"),
    "csharp": ("scoped", "ScopedResolver"),
    "ruby": ("scoped", "ScopedResolver"),
    "php": ("scoped", "ScopedResolver"),
    "kotlin": ("scoped", "ScopedResolver"),
    "scala": ("named", "NamedResolver"),
    "swift": ("named", "NamedResolver"),
    "lua": ("named", "NamedResolver"),
    "bash": ("named", "NamedResolver"),
    "elixir": ("named", "NamedResolver"),
}
"""Language → the module beside this one and the class in it that resolves its references."""
BY_NAME = frozenset(language for language, (module, _) in RESOLVERS.items() if module == "named")
"""Languages whose references are matched by name only."""
_NO_CODE = "text"
_AT_ONCE = 32
"""How many files are read together when there is a deadline."""
ROOT = Node("directory", "/")
_NAMED_BY_IMPORTER = frozenset({"javascript", "typescript", "tsx"})
_STANDS_FOR_ITS_FOLDER = frozenset({"__init__", "index", "mod"})


class Graph:
    """A snapshot's graph, resolved on demand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._resolvers: dict[str, Resolver] = {}
        self._links: dict[int, list[Link]] = {}
        self._folders: dict[str, list[Node]] | None = None

    # Nodes

    def node(self, definition: Definition) -> Node:
        """A definition as a node."""
        kind = "class" if definition.kind in CLASS_KINDS else "function"
        path = self.program.path(definition.file)
        return Node(kind, path, definition.symbol, definition.start_line, definition.end_line)

    def file_node(self, file: int) -> Node:
        """A file as a node."""
        return Node("file", self.program.path(file))

    def definition(self, node: Node) -> Definition | None:
        """The definition behind a node; None for files and directories, and if it is gone."""
        file = self.program.files.get(node.path)
        if file is None or not node.symbol:
            return None
        found = [one for one in self.program.definitions(file) if one.symbol == node.symbol]
        return next((one for one in found if one.start_line == node.start_line), found[0] if found else None)

    # Edges

    def edges(
        self,
        node: Node,
        types: Iterable[EdgeType] = EDGE_TYPES,
        direction: Direction = "both",
        hows: Sequence[How] = HOWS,
        deadline: Deadline | None = None,
    ) -> list[Edge]:
        """The edges of a node, each once, in a stable order.

        With a deadline, incoming edges are looked for in the nearest files first, and in the first of them in any case.
        """
        found: dict[Edge, None] = {}
        for type_ in types:
            if direction != "in":
                found.update(dict.fromkeys(self._out(node, type_)))
            if direction != "out":
                found.update(dict.fromkeys(self._into(node, type_, deadline)))
        return [edge for edge in found if edge.how in hows and edge.source != edge.target]

    def _out(self, node: Node, type_: EdgeType) -> Iterator[Edge]:
        if type_ == "contains":
            yield from (Edge(node, child, "contains", "exact") for child in self.children(node))
            return
        file = self.program.files.get(node.path)
        if file is None:
            return
        source = self.definition(node)
        if source is None and node.symbol:
            return
        for link in self.links(file):
            if link.type == type_ and link.source == source:
                yield self._edge(link, file)

    def _into(self, node: Node, type_: EdgeType, deadline: Deadline | None) -> Iterator[Edge]:
        if type_ == "contains":
            parent = self.parent(node)
            if parent is not None:
                yield Edge(parent, node, "contains", "exact")
            return
        target = self.definition(node) if node.symbol else self.program.files.get(node.path)
        if target is None:
            return
        if isinstance(target, int) and type_ == "imports":  # importing a definition imports its file
            for file, link in self.links_into(target, deadline):
                if link.type == "imports":
                    yield Edge(self.file_node(file), node, "imports", link.how)
            return
        for file in self._in_time(self._referring(node), node.path, deadline):
            for link in self.links(file):
                if link.target == target and link.type == type_:
                    yield self._edge(link, file)

    def links_into(self, file: int, deadline: Deadline | None = None) -> Iterator[tuple[int, Link]]:
        """(referring file, link) for all links into a file, or to its definitions, from other files that name it."""
        node = self.file_node(file)
        for other in self._in_time(self._referring(node), node.path, deadline):
            for link in self.links(other):
                if (link.target if isinstance(link.target, int) else link.target.file) == file != other:
                    yield other, link

    def _in_time(self, files: Sequence[int], path: str, deadline: Deadline | None) -> Iterator[int]:
        """The files whose links can be had before a deadline, those nearest to a path first; without one, all."""
        if deadline is None:
            self.program.expect(file for file in files if file not in self._links)
            yield from files
            return
        here = path.split("/")
        nearest = sorted(files, key=lambda file: -shared_length(here, self.program.path(file).split("/")))
        for first in range(0, len(nearest), _AT_ONCE):
            if first and deadline.passed():
                return
            some = nearest[first : first + _AT_ONCE]
            self.program.expect(file for file in some if file not in self._links)
            for file in some:
                if first and deadline.passed():
                    return
                yield file

    def links(self, file: int) -> list[Link]:
        """What a file refers to."""
        if file not in self._links:
            resolver = self._resolver(self.program.language(file))
            self._links[file] = resolver.links(file) if resolver is not None else []
        return self._links[file]

    def _resolver(self, language: str) -> Resolver | None:
        if language not in RESOLVERS:
            return None
        module, name = RESOLVERS[language]
        if name not in self._resolvers:
            self._resolvers[name] = getattr(import_module(f"trackdown.graph.{module}"), name)(self.program)
        return self._resolvers[name]

    def _referring(self, node: Node) -> list[int]:
        """Files that may refer to a node: those that mention its name. The file's name alone may refer to a file and to
        the default export of an ECMAScript module."""
        file = self.program.files.get(node.path)
        if file is None:
            return []
        *outer, last = node.symbol.split(".")
        names = {last} if last else set()
        if outer and last.startswith("__"):  # `cart()` calls Cart.__call__ without naming it
            names.add(outer[-1])
        if not node.symbol or self.program.language(file) in _NAMED_BY_IMPORTER:
            folder, _, filename = node.path.rpartition("/")
            stem = filename.split(".", 1)[0]
            names.add(folder.rsplit("/", 1)[-1] if stem in _STANDS_FOR_ITS_FOLDER else stem)
            if self.program.language(file) == "go":  # imports name the folder, and uses the package
                names |= {folder.rsplit("/", 1)[-1], self.program.references(file).package}
        found = {file for name in names if name for file in self.program.mentioning(name)}
        return sorted(found | {file})

    def _edge(self, link: Link, file: int) -> Edge:
        return Edge(self._end(link.source, file), self._end(link.target, file), link.type, link.how)

    def _end(self, end: Definition | int | None, file: int) -> Node:
        if isinstance(end, Definition):
            return self.node(end)
        return self.file_node(file if end is None else end)

    # The tree of folders, files and definitions

    def children(self, node: Node) -> list[Node]:
        """What a node contains directly."""
        if node.kind == "directory":
            return self._tree().get(node.path, [])
        file = self.program.files.get(node.path)
        if file is None:
            return []
        return [child for child in map(self.node, self.program.definitions(file)) if self.parent(child) == node]

    def parent(self, node: Node) -> Node | None:
        """What contains a node directly; None for the root."""
        if node == ROOT:
            return None
        if not node.symbol:
            folder = node.path.rstrip("/").rpartition("/")[0]
            return Node("directory", f"{folder}/") if folder else ROOT
        file = self.program.files[node.path]
        definitions = self.program.definitions(file)
        outer = enclosing(node.symbol, {one.symbol for one in definitions})
        found = [one for one in definitions if one.symbol == outer and outer]
        around = [one for one in found if one.start_line <= node.start_line <= one.end_line] or found
        return self.node(around[0]) if around else self.file_node(file)

    def _tree(self) -> dict[str, list[Node]]:
        """Every folder's folders and files."""
        if self._folders is None:
            tree: dict[str, dict[Node, None]] = {}
            for path in sorted(self.program.files):
                child = Node("file", path)
                while child != ROOT:
                    folder = self.parent(child)
                    assert folder is not None
                    known = folder.path in tree
                    tree.setdefault(folder.path, {})[child] = None
                    if known:
                        break
                    child = folder
            self._folders = {folder: list(children) for folder, children in tree.items()}
        return self._folders


def resolution_notes(languages: Iterable[str]) -> list[str]:
    """A note for each language whose references are matched by name only, or not at all."""
    notes = []
    for name in sorted(set(languages) - {_NO_CODE}):
        if name in BY_NAME:
            notes.append(f"{name.capitalize()}: calls, imports and base classes are matched by name only")
        elif name not in RESOLVERS:
            notes.append(f"{name.capitalize()}: calls, imports and base classes are not resolved")
    return notes


def enclosing(symbol: str, known: Iterable[str]) -> str:
    """The longest symbol that encloses another one, of those that are known; empty for none."""
    outer = symbol.rpartition(".")[0]
    while outer and outer not in known:
        outer = outer.rpartition(".")[0]
    return outer
