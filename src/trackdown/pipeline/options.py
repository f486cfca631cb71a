"""What can be asked of the pipeline, and what comes out of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.explain import Part
from trackdown.rerank.judging import Judging
from trackdown.rerank.llm import Listwise
from trackdown.retrieve import commits
from trackdown.types import Aggregation, Fusion, Level

if TYPE_CHECKING:
    from trackdown.expand.spider import Expansion
    from trackdown.fuse.learned import LearnedFusion

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `folders`, `languages` and `among` (paths of files) restrict the answer, not the statistics
    behind it.

    A weight of 0 leaves a retriever out. `adaptive` bends the weights to the query. `roles` False ranks tests and prose
    like code. `commit_depth` is how many past commits speak. `explained` False gives results without reasons.
    `expansion` moves up what stands near the best in the code's structure. `judging` lets models read the best.
    `listwise` lets a language model order the first of them; `exemplars` lets it write so many answers to search for
    beside the query, or with `exemplars_only` in its place; `rewritten` searches units with their rewrites. `learned`
    are weights to use for learned fusion instead of those that come with the program.
    """

    level: Level = "function"
    k: int = 10
    tests: bool = True
    folders: tuple[str, ...] = ()
    fusion: Fusion = "weighted"
    aggregation: Aggregation = "blend"
    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0), ("commits", 0.5), ("mentions", 0.5), ("dense", 0.5))
    adaptive: bool = False
    roles: bool = True
    among: tuple[str, ...] = ()
    commit_depth: int = commits.DEPTH
    explained: bool = True
    expansion: Expansion | None = None
    judging: Judging | None = None
    learned: LearnedFusion | None = None
    listwise: Listwise | None = None
    exemplars: int = 0
    exemplars_only: bool = False
    rewritten: bool = False
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it."""

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Tapped:
    """What every stage said of the candidates before it was weighed, best fused first: what weights are fitted to.

    `scores` are those of the channels and `best` the best of each among all candidates; `fused` is what fusion made of
    them, `factors` what roles multiply by. `judged` are the models' raw values by signal, nan where there is none.
    """

    units: Sequence[int]
    files: Sequence[int]
    scores: Mapping[str, Floats]
    best: Mapping[str, float]
    floors: Mapping[str, float]
    fused: Floats
    factors: Floats
    judged: Mapping[str, Floats]


Tap = Callable[[Tapped], None]
Early = Callable[[list[Ranked]], None]
"""Hears of the order that the stages before the models have found, while these are still to come."""


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Book the time since the last lap under a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now

    def rounded(self) -> dict[str, float]:
        """The timings so far, as they are shown."""
        return {stage: round(value, 3) for stage, value in self.timings.items()}
