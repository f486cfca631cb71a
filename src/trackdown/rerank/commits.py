"""CommitReranker: the cross-encoder reads the query and past commit messages (system 1, stage 2).

A file scores as high as its best commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.models import normalized
from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.pair_scorer import PairScorer

Floats = npt.NDArray[np.float64]
_MAX_MESSAGE_CHARS = 2000


@dataclass(frozen=True, slots=True)
class FilesByCommits:
    """For each file its best commit's logit (nan if none of its commits was read), and that commit, or -1."""

    values: Floats
    commits: list[int]


class CommitReranker:
    """Scores past commits, best first, and through them the files they touched."""

    def __init__(self, pairs: PairScorer, messages: Callable[[Sequence[int]], list[str]]) -> None:
        self._pairs = pairs
        self._messages = messages

    def logits(self, positions: Sequence[int], budget: TimeBudget) -> dict[int, float]:
        """Commit → logit, until time is up."""
        found: dict[int, float] = {}
        try:
            for batch in budget.batches(positions, self._pairs.at_once, "read commits"):
                texts = [normalized(message[:_MAX_MESSAGE_CHARS]) for message in self._messages(batch)]
                readable = {position: text for position, text in zip(batch, texts, strict=True) if text}
                found.update(zip(readable, self._pairs.logits(list(readable.values())).tolist(), strict=True))
        finally:
            self._pairs.flush()  # even if the search is cancelled
        return found

    def files(
        self,
        files: Sequence[int],
        positions: Sequence[int],
        behind: Callable[[int], Sequence[int]],
        budget: TimeBudget,
    ) -> FilesByCommits:
        """Score files by commits, which are given best first; `behind` gives the commits of a file."""
        logits = self.logits(positions, budget)
        best = {
            file: max((one for one in behind(file) if one in logits), key=logits.__getitem__, default=-1)
            for file in set(files)
        }
        commits = [best[file] for file in files]
        return FilesByCommits(np.array([logits.get(commit, np.nan) for commit in commits]), commits)
