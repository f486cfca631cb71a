"""The plan of a search, and its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.excerpts import Sought
from trackdown.index import Mask
from trackdown.query import THE_QUERY, Filters
from trackdown.rerank import Listwise, RerankPlan
from trackdown.retrieve import MatchedTerms, commits, dense
from trackdown.types import Aggregation, Fusion, Level, Why

if TYPE_CHECKING:
    from trackdown.expand import Expansion

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What each stage of one search does. `engine.plan` makes it from a request and the settings.

    With the fusion "ranker", the trees in the folder `ranker` rank. A weight of 0 leaves a retriever out; `adaptive`
    adjusts the weights to the query. `roles` False ranks all files like code, `foreign` False only third-party and
    generated ones. With `declarations`, a function without code of its own gives way to what implements it. `folders`,
    `filters` and `among` (paths of files) restrict the answer, not the statistics behind it. `kinds` of units, if there
    are any, replace those of the level. Files whose role is in `without_roles` are left out. `commit_depth` is how many
    past commits count. `expansion` promotes neighbours of the best candidates in the code graph, `judging` lets models
    read the best, and `listwise` lets a language model order the first of them. `exemplars` is how many answers a
    language model writes, to be searched for along with the query or, with `exemplars_only`, instead of it. `rewritten`
    searches units together with their rewrites. `explained` False gives results without reasons; `numbers` adds the
    figures behind reasons. `models_by_effort` says that the mode names no stage, so the effort decides what models
    read; `expects_models` that the caller asked for models, so a missing one is worth a note. `word_forms` False finds
    only the query's own words. `deep` True means that the mode names the deep index, False that it leaves it out;
    otherwise it takes part where models read anyway.
    """

    level: Level = "function"
    k: int = 10
    without_roles: frozenset[int] = frozenset()
    folders: tuple[str, ...] = ()
    fusion: Fusion = "weighted"
    ranker: Path | None = None
    aggregation: Aggregation = "blend"
    weights: tuple[tuple[str, float], ...] = (
        ("lexical", 1.0),
        ("commits", 0.5),
        ("mentions", 0.5),
        ("messages", 2.0),
        ("references", 0.5),
        ("dense", 0.5),
        ("deep", 0.5),
    )
    adaptive: bool = False
    roles: bool = True
    foreign: bool = True
    declarations: bool = True
    among: tuple[str, ...] = ()
    commit_depth: int = commits.DEPTH
    explained: bool = True
    numbers: bool = False
    expansion: Expansion | None = None
    judging: RerankPlan | None = None
    listwise: Listwise | None = None
    exemplars: int = 0
    exemplars_only: bool = False
    rewritten: bool = False
    filters: tuple[Filters, ...] = ()
    kinds: frozenset[str] = frozenset()
    models_by_effort: bool = False
    expects_models: bool = False
    word_forms: bool = True
    deep: bool | None = None

    @property
    def goes_deep(self) -> bool:
        """Whether the deep index takes part if it is ready: a search that runs no model does not open the encoder."""
        return self.judging is not None if self.deep is None else self.deep

    @property
    def asks_llm(self) -> bool:
        """Whether a language model takes part if there is one."""
        return self.listwise is not None or self.exemplars > 0 or self.rewritten or self._llm_selects

    @property
    def needs_llm(self) -> bool:
        """Whether the caller asked for a stage that needs a language model."""
        return (self.listwise is not None and not self.listwise.optional) or self._llm_selects

    @property
    def llm_is_optional(self) -> bool:
        """Whether the search can run without a language model, because the caller did not ask for one by name."""
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
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it.

    `parts` are all reasons, `reason` is the strongest of them in one line, and `sought` what to look for in its lines.
    """

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Why, ...]
    reason: str = ""
    sought: Sought = field(default_factory=Sought, compare=False)


@dataclass(frozen=True, slots=True)
class Tapped:
    """The unweighted scores of every stage, best fused candidate first: what a search knows of its own answer.

    `scores` are the scores of the channels and `best` the best of each among all candidates. `factors` is what each
    candidate's score was multiplied by for its role. `judged` are the models' raw values by signal, nan where there is
    none. `order` are the places in the order of the answer and `final` their scores by place. `matched` tells which of
    the query's terms the candidates at some places have. `elsewhere` says where strong evidence is that no candidate
    has, and `speaker` whose text was searched for. `matching` says how many candidates match a query of filters or
    quoted phrases alone, which chooses among none of them, and `meant` which places are all that the query can mean.
    """

    files: Sequence[int]
    scores: Mapping[str, Floats]
    best: Mapping[str, float]
    factors: Floats
    judged: Mapping[str, Floats]
    order: Sequence[int]
    final: Floats
    matched: Callable[[Sequence[int]], MatchedTerms] | None = None
    elsewhere: str = ""
    speaker: str = THE_QUERY
    matching: int | None = None
    meant: Mask | None = None


Tap = Callable[[Tapped], None]
Early = Callable[[list[Ranked]], None]
"""A callback for the ranking before reranking."""


class Stopwatch:
    """Milliseconds by stage. `check` is called at the end of every stage and may raise, to stop the search."""

    def __init__(self, check: Callable[[], None] | None = None) -> None:
        self.timings: dict[str, float] = {}
        self._check = check
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now
        if self._check is not None:
            self._check()

    def rounded(self) -> dict[str, float]:
        """The timings so far, rounded for display."""
        return {stage: round(value, 3) for stage, value in self.timings.items()}
