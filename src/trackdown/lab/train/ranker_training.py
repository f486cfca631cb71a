"""Cases → a ranker, and what it is worth on repositories that its fit did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import UsageError
from trackdown.lab import joined
from trackdown.lab.benches import read_swe
from trackdown.lab.train.ranker_fit import FitPlan, cross_validated, fit_ranker
from trackdown.lab.train.ranking_data import RankingExample, collect_examples, read_ranking_examples
from trackdown.rank import write_ranker
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress

Floats = npt.NDArray[np.float64]
STAGES = ("without models", "+ encoder", "+ code reranker")
HAND_SET = "hand-set sum"
_DEPTHS = (5, 10, 200)


@dataclass(slots=True)
class RankerReport:
    """How often all gold is among the first 5, 10 and 200, for the hand-set sum and for each stage of the ranker."""

    level: str
    cases: int
    repositories: int
    found: dict[str, dict[str, float]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "level": self.level,
            "cases": self.cases,
            "repositories": self.repositories,
            "cross-validated": self.found,
        }


def train_ranker(
    cases: Sequence[Path],
    repos: Path,
    layout: str,
    level: Level,
    folder: Path,
    settings: Settings,
    *,
    plan: FitPlan | None = None,
    out: Path | None = None,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> RankerReport:
    """Collect the features of the cases' candidates, judge a ranker by cross-validation, fit it to all, and write it.

    Raises UsageError if there is nothing to fit it to.
    """
    bench = joined([read_swe(path, repos, layout, level) for path in cases])
    if not bench.tasks:
        raise UsageError("none of the cases can be searched: are the clones below --repos?")
    files = collect_examples(bench, folder, settings, jobs=jobs, progress=progress)
    examples = list(read_ranking_examples(files))
    plan = plan or FitPlan()
    report = judged(examples, level, plan)
    if out is not None:
        write_ranker(out, fit_ranker(examples, level, plan))
    return report


def judged(examples: Sequence[RankingExample], level: str, plan: FitPlan) -> RankerReport:
    """The ranker's figures on repositories left out of its fit, beside those of the hand-set sum."""
    report = RankerReport(level, len(examples), len({example.repository for example in examples}))
    scored = cross_validated(examples, plan)
    by_sum = [(example, -np.arange(len(example.places), dtype=np.float64)) for example, _ in scored]
    report.found[HAND_SET] = _shares(by_sum)
    for stage, name in enumerate(STAGES):
        report.found[name] = _shares([(example, scores[stage]) for example, scores in scored])
    return report


def _shares(scored: Sequence[tuple[RankingExample, Floats]]) -> dict[str, float]:
    """Acc@k: the share of cases whose gold is all among the first k. What is no candidate was not found."""
    ranks = [_last_rank(example, scores) for example, scores in scored]
    return {f"Acc@{depth}": round(float(np.mean([rank <= depth for rank in ranks])), 4) for depth in _DEPTHS}


def _last_rank(example: RankingExample, scores: Floats) -> float:
    """The rank of the last gold place. Places of one name, such as overloads, count once."""
    if example.missed or not example.gold.any():
        return np.inf
    order = np.argsort(-scores, kind="stable")
    seen: dict[Any, int] = {}
    for place in order.tolist():
        seen.setdefault(example.places[place], len(seen) + 1)
    return max(seen[place] for place, gold in zip(example.places, example.gold, strict=True) if gold)
