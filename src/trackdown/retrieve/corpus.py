"""What is searched: the code index of a snapshot, and the history that its commit can see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trackdown.graph.graph import Graph
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot's indexes. `history` is the commit index and the commit to look from; None where there is none.

    `named_at` is the commit whose names the files have, where that is not the commit to look from: an evaluation may
    search the present code and still see an earlier past only. `graph` makes the snapshot's graph when a stage asks.
    """

    code: CodeIndex
    history: tuple[CommitIndex, str] | None
    named_at: str | None = None
    graph: Callable[[], Graph] | None = None
