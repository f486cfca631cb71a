"""Cases → a ranker, and what it is worth on repositories that its fit did not see, beside the hand-set sum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import UsageError
from trackdown.lab import Bench, joined
from trackdown.lab.benches import read_swe
from trackdown.lab.measure import bootstrap_interval
from trackdown.lab.train.hand_set import hand_set_scores
from trackdown.lab.train.ranker_fit import READING, FitPlan, cross_validated, fit_ranker, staged_scores
from trackdown.lab.train.ranking_data import RankingExample, collect_examples, read_ranking_examples
from trackdown.rank import Ranker, write_ranker
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress

Floats = npt.NDArray[np.float64]
STAGES = ("without models", "+ encoder", "+ code reranker")
HAND_SET, TREES = "hand-set sum", "trees"
_DEPTHS = (5, 10, 200)
Scored = list[tuple[RankingExample, Floats]]


@dataclass(slots=True)
class RankerReport:
    """How often all gold is among the first 5, 10 and 200, and the mean reciprocal rank of the first gold place.

    `found` has the hand-set sum and the trees at each stage, each repository judged by trees fitted to the others.
    `judged` has the same for sets of cases that took no part in the fit, with the paired difference of the last stage.
    """

    level: str
    cases: int
    repositories: int
    found: dict[str, dict[str, float]] = field(default_factory=dict)
    judged: dict[str, dict[str, Any]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "level": self.level,
            "cases": self.cases,
            "repositories": self.repositories,
            "cross-validated": self.found,
            "judged": self.judged,
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
    judged_on: Sequence[Path] = (),
    out: Path | None = None,
    jobs: int = 1,
    progress: Progress = no_progress,
) -> RankerReport:
    """Collect the features of the cases' candidates, judge a ranker by cross-validation, fit it to all, and write it.

    The ranker is also judged on the sets in `judged_on`, whose repositories may not be among those of the cases.
    Raises UsageError if there is nothing to fit it to, or if a repository stands on both sides.
    """
    bench = joined([read_swe(path, repos, layout, level) for path in cases])
    if not bench.tasks:
        raise UsageError("none of the cases can be searched: are the clones below --repos?")
    others = {path.stem: read_swe(path, repos, layout, level) for path in judged_on}
    if len(others) < len(judged_on):
        raise UsageError("two files of --judge have the same name: a report could not tell them apart")
    for name, other in others.items():
        if not other.tasks:
            raise UsageError(f"none of the cases of {name} can be searched: are the clones below --repos?")
    _check_apart(bench, others.values())
    plan = plan or FitPlan()

    def examples(of: Bench) -> list[RankingExample]:
        return list(read_ranking_examples(collect_examples(of, folder, settings, jobs=jobs, progress=progress)))

    fitted_to = examples(bench)
    unseen = examples(joined(list(others.values()))) if others else []
    sets = {name: _of_bench(unseen, other) for name, other in others.items()}
    report = judged(fitted_to, level, plan)
    if out is not None or sets:
        ranker = fit_ranker(fitted_to, level, plan)
        report.judged = {name: _compared(own, ranker, plan) for name, own in sets.items() if own}
        if out is not None:
            write_ranker(out, ranker)
    return report


def _check_apart(bench: Bench, others: Iterable[Bench]) -> None:
    fitted_to = {task.repository for task in bench.tasks}
    both = sorted({task.repository for other in others for task in other.tasks} & fitted_to)
    if both:
        raise UsageError(f"a ranker cannot be judged on repositories that it is fitted to: {', '.join(both)}")


def _of_bench(examples: Sequence[RankingExample], bench: Bench) -> list[RankingExample]:
    """Those of a bench: two sets may share a repository, and so a file of examples."""
    ids = {task.id for task in bench.tasks}
    return [example for example in examples if example.id in ids]


def judged(examples: Sequence[RankingExample], level: str, plan: FitPlan) -> RankerReport:
    """The ranker's figures on repositories left out of its fit, beside those of the hand-set sum."""
    report = RankerReport(level, len(examples), len({example.repository for example in examples}))
    found = [(example, tuple(scores)) for example, scores in cross_validated(examples, plan)]
    by_sum = [(example, tuple(hand_set_scores(example, READING, plan.depths))) for example, _ in found]
    for what, scored in ((HAND_SET, by_sum), (TREES, found)):
        for stage, name in enumerate(STAGES):
            report.found[f"{what}, {name}"] = _means([(example, scores[stage]) for example, scores in scored])
    return report


def _compared(examples: Sequence[RankingExample], ranker: Ranker, plan: FitPlan) -> dict[str, Any]:
    """The figures of one set with all models, for the hand-set sum and the trees, and how they differ, case by case."""
    by_trees = [stages[-1] for stages in staged_scores(examples, ranker, plan.depths)]
    by_sum = [hand_set_scores(example, READING, plan.depths)[-1] for example in examples]
    sides = {
        HAND_SET: list(zip(examples, by_sum, strict=True)),
        TREES: list(zip(examples, by_trees, strict=True)),
    }
    found: dict[str, Any] = {"cases": len(examples), **{name: _means(scored) for name, scored in sides.items()}}
    before, after = ([found_measures(*one) for one in scored] for scored in sides.values())
    found["difference"] = {}
    for name in before[0]:
        values = [b[name] - a[name] for a, b in zip(before, after, strict=True)]
        interval = (float(np.mean(values)), *bootstrap_interval(values))
        found["difference"][name] = [round(number, 4) for number in interval]
    return found


def _means(scored: Scored) -> dict[str, float]:
    each = [found_measures(*one) for one in scored]
    return {name: round(float(np.mean([values[name] for values in each])), 4) for name in each[0]}


def found_measures(example: RankingExample, scores: Floats) -> dict[str, float]:
    """Acc@k: is all gold among the first k. What is no candidate was not found. Places of one name count once."""
    seen: dict[Any, int] = {}
    for place in np.argsort(-scores, kind="stable").tolist():
        seen.setdefault(example.places[place], len(seen) + 1)
    ranks = [seen[place] for place, gold in zip(example.places, example.gold, strict=True) if gold]
    last = max(ranks, default=np.inf) if not example.missed else np.inf
    return {**{f"Acc@{depth}": float(last <= depth) for depth in _DEPTHS}, "MRR": 1 / min(ranks, default=np.inf)}
