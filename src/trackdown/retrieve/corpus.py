"""What is searched: the code index of a snapshot, and the history that its commit can see."""

from __future__ import annotations

from dataclasses import dataclass

from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex


@dataclass(frozen=True, slots=True)
class Corpus:
    """A snapshot's indexes. `history` is the commit index and the commit to look from; None where there is none."""

    code: CodeIndex
    history: tuple[CommitIndex, str] | None
