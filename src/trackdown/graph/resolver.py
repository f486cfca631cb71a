"""What a language's resolver gets and gives.

A resolver is a class in a file beside this one with `links(file)`. `graph.RESOLVERS` says which languages it speaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trackdown.graph.edges import EdgeType, How
from trackdown.graph.program import Definition


@dataclass(frozen=True, slots=True)
class Link:
    """What a file refers to, resolved. `source` None is the file itself; `target` is a definition or a file's number.

    A call of a class leads to the class. Imports lead from the file to a file, or to the definition that is imported.
    """

    source: Definition | None
    target: Definition | int
    type: EdgeType
    how: How
    line: int = 0


class Resolver(Protocol):
    """Resolves the references of files in some languages. Made once for a program; may keep what it finds."""

    def links(self, file: int) -> list[Link]:
        """All that a file refers to and that the program holds. Never raises for any content, never loops."""
        ...
