"""CommitReranker: the cross-encoder reads the query and past commit messages (system 1, stage 2).

A file is worth as much as the best of its commits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.models.normalization import normalized
from trackdown.rerank.budget import TimeBudget
from trackdown.rerank.pair_scorer import PairScorer

Floats = npt.NDArray[np.float64]
_LONGEST_MESSAGE = 2000


@dataclass(frozen=True, slots=True)
class FilesByCommits:
    """For each file the logit of its best commit (nan: none of its commits was judged) and that commit, or -1."""

    values: Floats
    commits: list[int]


class CommitReranker:
    """Judges past commits, best first, and with them the files they touched."""

    def __init__(self, pairs: PairScorer, messages: Callable[[Sequence[int]], list[str]]) -> None:
        self._pairs = pairs
        self._messages = messages

    def logits(self, positions: Sequence[int], budget: TimeBudget) -> dict[int, float]:
        """Commit → logit, until time is up."""
        found: dict[int, float] = {}
        try:
            for batch in budget.batches(positions, self._pairs.at_once, "read commits"):
                texts = [normalized(message[:_LONGEST_MESSAGE]) for message in self._messages(batch)]
                said = {position: text for position, text in zip(batch, texts, strict=True) if text}
                found.update(zip(said, self._pairs.logits(list(said.values())).tolist(), strict=True))
        finally:
            self._pairs.keep()  # also of a search that is cancelled
        return found

    def files(
        self,
        files: Sequence[int],
        positions: Sequence[int],
        behind: Callable[[int], Sequence[int]],
        budget: TimeBudget,
    ) -> FilesByCommits:
        """Judge files by commits, given best first; `behind` names the commits that speak for a file."""
        logits = self.logits(positions, budget)
        best = {
            file: max((one for one in behind(file) if one in logits), key=logits.__getitem__, default=-1)
            for file in set(files)
        }
        commits = [best[file] for file in files]
        return FilesByCommits(np.array([logits.get(commit, np.nan) for commit in commits]), commits)
