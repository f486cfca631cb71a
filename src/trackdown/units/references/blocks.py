"""Readers of languages whose blocks declare variables (Go, Java).

Facts only know units, so variables of one name in different blocks of a unit are told apart by a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from tree_sitter import Node

from trackdown.units.references.chain import parse_chain
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BlobReferences
from trackdown.units.references.grammar import by_node_type
from trackdown.units.references.notes import ReferenceNotes


class BlockNames:
    """The variables that are visible in a block, with the names by which bindings know them.

    A function's own variables go by their names. Those of a block within it, or of a closure, get a number (`x@2`), so
    that a block's variable hides nothing outside it.
    """

    __slots__ = ("_awaits_body", "_here", "_outer", "top")

    def __init__(self, outer: BlockNames | None = None, *, top: bool = True, awaits_body: bool = False) -> None:
        self._outer = outer
        self._here: dict[str, str] = {}
        self.top = top
        self._awaits_body = awaits_body

    def function(self) -> BlockNames:
        """The names of a function that is a unit: its body is not a block of its own."""
        return BlockNames(self, awaits_body=True)

    def closure(self) -> BlockNames:
        """The names of a function that is not a unit."""
        return self if self._awaits_body else BlockNames(self, top=False, awaits_body=True)

    def block(self) -> BlockNames:
        """The names of a block within."""
        if self._awaits_body:
            self._awaits_body = False
            return self
        return BlockNames(self, top=False)

    def before(self, declared: Iterable[str]) -> BlockNames:
        """The same names, with the present meaning of those that are about to be declared anew."""
        names = BlockNames(self, top=self.top)
        names._here = {name: self.known_as(name) for name in declared}
        return names

    def known_as(self, name: str) -> str:
        """The name by which bindings know a variable; the name itself if no block around declares it."""
        names: BlockNames | None = self
        while names is not None:
            if name in names._here:
                return names._here[name]
            names = names._outer
        return name

    def holds(self, name: str) -> bool:
        """Whether this very block declares a name."""
        return name in self._here

    def declare(self, name: str, known_as: str) -> None:
        """From now on, a name means a variable."""
        self._here[name] = known_as


class BlockNotes(ReferenceNotes):
    """Notes of a language with variables in blocks."""

    def __init__(self, units: UnitFinder) -> None:
        super().__init__(units)
        self._aliases: dict[tuple[int, str], dict[str, str]] = {}
        self._numbers: dict[str, int] = {}

    def declare(self, unit: int, names: BlockNames, name: str, type_: str) -> None:
        """Note a variable of a block."""
        aliases = self._aliases.setdefault((unit, name), {})
        if type_ not in aliases:
            of_itself = parse_chain(type_).parts[0].name == name  # `url := url.Parse()`
            if names.top and not aliases and not of_itself:
                aliases[type_] = name
            else:
                self._numbers[name] = self._numbers.get(name, 0) + 1
                aliases[type_] = f"{name}@{self._numbers[name]}"
        names.declare(name, aliases[type_])
        self.bind(unit, aliases[type_], type_)


class BlockScope(NamedTuple):
    """Where a node is: in which unit, under which type parameters with their bounds, among which variables.

    `kind` is the kind of body that it is in, and `self_type` the class around it, or what an anonymous one extends.
    """

    unit: int
    types: Mapping[str, str]
    names: BlockNames
    kind: str = ""
    self_type: str = ""


SKIP = BlockScope(-1, {}, BlockNames())
"""What a handler returns for a node whose children it has dealt with."""
Handler = Callable[[Node, BlockScope], BlockScope | None]


class BlockReader:
    """Walks a syntax tree with the scope of each node, and calls the handler for its type.

    A handler returns the scope of the node's children, None where that is the node's own, or SKIP.
    """

    leaves: frozenset[str]
    """Types of nodes that contain nothing to note."""

    def __init__(self, units: UnitFinder) -> None:
        self._found = BlockNotes(units)
        self._stack: list[tuple[Node, BlockScope]] = []

    def handlers(self) -> Mapping[Handler, str]:
        """Handlers, and the types of nodes that they are for."""
        raise NotImplementedError

    def read(self, root: Node) -> BlobReferences:
        """All references below a root."""
        stack, handlers = self._stack, by_node_type(self.handlers())
        stack.append((root, BlockScope(-1, {}, BlockNames())))
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(node.type)
            within = (handler(node, scope) if handler is not None else None) or scope
            if within is not SKIP:
                stack += [(child, within) for child in reversed(node.named_children) if child.type not in self.leaves]
        return self._found.result()

    def _block(self, node: Node, scope: BlockScope) -> BlockScope:
        return scope._replace(names=scope.names.block())

    def _closure(self, node: Node, scope: BlockScope) -> BlockScope:
        return scope._replace(names=scope.names.closure())
