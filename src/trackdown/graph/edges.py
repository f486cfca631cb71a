"""Nodes and edges, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EdgeType = Literal["contains", "imports", "invokes", "inherits"]
How = Literal["exact", "scoped", "name"]
Direction = Literal["in", "out", "both"]

EDGE_TYPES: tuple[EdgeType, ...] = ("contains", "imports", "invokes", "inherits")
HOWS: tuple[How, ...] = ("exact", "scoped", "name")
"""How an edge was resolved, surest first: along declarations and imports to the definition itself; by what is visible
in its scope, with more than one possible reading; by the name alone."""
DIRECTIONS: tuple[Direction, ...] = ("both", "in", "out")


@dataclass(frozen=True, slots=True)
class Node:
    """A directory (its path ends with `/`; the root is `/`), a file, or with a symbol a class or function in it."""

    kind: str
    path: str
    symbol: str = ""
    start_line: int = 0
    end_line: int = 0

    @property
    def id(self) -> str:
        """A unique name within the snapshot."""
        return f"{self.path}:{self.symbol}:{self.start_line}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Edge:
    """One node's relation to another."""

    source: Node
    target: Node
    type: EdgeType
    how: How
