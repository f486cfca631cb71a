"""Cases: a query, what should be found for it, and the state of the repository it is asked of.

As JSONL, one case per line: {"query", "relevant_files", "relevant_symbols", "id", "source"} and, where it was mined,
"commit" and "protocol". Only `query` and one of the lists are needed; symbols are `path:Class.method` or bare names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Protocol = Literal["head", "past"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or with a symbol a function or class in it. A bare name has no path and is found in any file."""

    path: str
    symbol: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.symbol}" if self.symbol else self.path


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its truth. `commit` is the one whose changes are the truth; hand-written cases have none."""

    id: str
    query: str
    files: tuple[str, ...] = ()
    symbols: tuple[Place, ...] = ()
    source: str = ""
    commit: str = ""
    protocol: Protocol = "head"
