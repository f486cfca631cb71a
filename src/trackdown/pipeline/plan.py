"""What each stage of a search does, and what comes out of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.rerank.llm import Listwise
from trackdown.rerank.plan import RerankPlan
from trackdown.retrieve import commits, dense
from trackdown.types import Aggregation, Fusion, Level, Why

if TYPE_CHECKING:
    from trackdown.expand.spider import Expansion
    from trackdown.fuse.learned import LearnedFusion

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What each stage of one search does. `engine.plan` makes it from a request and the settings.

    A weight of 0 leaves a retriever out; `adaptive` adjusts the weights to the query; `repository_weights` replaces
    them with weights fitted to the repository's own past, where there are any. `roles` False ranks tests and prose
    like code. `folders`, `languages` and `among` (paths of files) restrict the answer, not the statistics behind it.
    `commit_depth` is how many past commits count. `expansion` promotes neighbours of the best candidates in the code
    graph, `judging` lets models read the best, and `listwise` lets a language model order the first of them.
    `exemplars` is how many answers a language model writes, to be searched for beside the query or, with
    `exemplars_only`, instead of it. `rewritten` searches units together with their rewrites. `explained` False gives
    results without reasons. `models_by_effort` says that the mode names no stage, so the request's effort decides
    what models read; `expects_models` that the caller asked for models, so a missing one is worth a note.
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
    judging: RerankPlan | None = None
    learned: LearnedFusion | None = None
    listwise: Listwise | None = None
    exemplars: int = 0
    exemplars_only: bool = False
    rewritten: bool = False
    languages: tuple[str, ...] = ()
    models_by_effort: bool = False
    repository_weights: bool = False
    expects_models: bool = False

    @property
    def asks_llm(self) -> bool:
        """Whether a language model takes part where there is one."""
        return self.listwise is not None or self.exemplars > 0 or self.rewritten or self._llm_selects

    @property
    def needs_llm(self) -> bool:
        """Whether a stage was asked for that only a language model can do."""
        return (self.listwise is not None and not self.listwise.optional) or self._llm_selects

    @property
    def llm_is_optional(self) -> bool:
        """Whether nobody asked for a language model by name, so that the search goes on without one."""
        optional = self.listwise is None or self.listwise.optional
        return optional and not self.exemplars and not self.rewritten and not self._llm_selects

    @property
    def only_dense(self) -> bool:
        """Whether static vectors are the only retriever."""
        return [signal for signal, weight in self.weights if weight] == [dense.SIGNAL]

    def without_llm(self) -> SearchPlan:
        """The same search without a language model."""
        plain = replace(self, listwise=None, exemplars=0, exemplars_only=False, rewritten=False)
        return replace(plain, expansion=None) if self._llm_selects else plain

    @property
    def _llm_selects(self) -> bool:
        return self.expansion is not None and self.expansion.selector == "llm"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it."""

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Why, ...]


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
    """Milliseconds by stage. `check` is called at the end of every stage and may raise, to stop the search."""

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self.timings: dict[str, float] = {}
        self._check = check
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Book the time since the last lap under a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now
        if self._check is not None:
            self._check()

    def rounded(self) -> dict[str, float]:
        """The timings so far, as they are shown."""
        return {stage: round(value, 3) for stage, value in self.timings.items()}
