"""What is searched: the code index of a snapshot, the history that its commit can see, and what models need of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex

if TYPE_CHECKING:
    from trackdown.graph.graph import Graph
    from trackdown.index.neural import Neural
    from trackdown.index.vectors import UnitVectors


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot's indexes. `history` is the commit index and the commit to look from; None where there is none.

    `named_at` is the commit whose names the files have, where that is not the commit to look from: an evaluation may
    search the present code and still see an earlier past only. `graph` makes the snapshot's graph when a stage asks,
    `vectors` the vectors of its units. Without `neural` nothing is judged.
    """

    code: CodeIndex
    history: tuple[CommitIndex, str] | None
    named_at: str | None = None
    graph: Callable[[], Graph] | None = None
    vectors: Callable[[], UnitVectors | None] | None = None
    neural: Neural | None = None
