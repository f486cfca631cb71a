"""Rows of a run → scores per case and on average, and averages over repositories.

`aggregate_by_mode` is a macro average: each repository's mean first, then the mean of those, so that a repository with
many cases cannot decide alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from trackdown.errors import UsageError
from trackdown.lab.measure import JudgedRanking, judge, metric
from trackdown.lab.runs import Row, by_mode

STANDARD_METRICS = tuple(
    """MRR MAP P@1 P@5 P@10 P@20 R@1 R@5 R@10 R@20 R@100 Acc@1 Acc@3 Acc@5 Acc@10 Acc@20 Hit@1 Hit@5 Hit@10 nDCG@5
    nDCG@10""".split()
)
NO_GOLD = "no gold"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every scored case of one mode, in one order. `skipped` counts those that were not scored, by reason."""

    label: str
    ids: tuple[str, ...]
    judged: tuple[JudgedRanking, ...]
    repositories: tuple[str, ...] = ()
    ms: tuple[float, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def values(self, name: str) -> list[float]:
        """A metric of every case."""
        measure = metric(name)
        return [measure(judged) for judged in self.judged]

    def mean(self, name: str) -> float:
        """A metric on average; 0 when there is no case."""
        values = self.values(name)
        return sum(values) / len(values) if values else 0.0

    def as_dict(self, names: Sequence[str] = STANDARD_METRICS) -> dict[str, float]:
        """Several metrics on average."""
        return {name: self.mean(name) for name in names}

    @property
    def mrr(self) -> float:
        return self.mean("MRR")

    def recall(self, k: int) -> float:
        """Recall within the first k."""
        return self.mean(f"R@{k}")

    def of_repository(self, repository: str) -> Evaluation:
        """The cases of one repository."""
        chosen = [number for number, name in enumerate(self.repositories) if name == repository]
        return Evaluation(
            self.label,
            tuple(self.ids[number] for number in chosen),
            tuple(self.judged[number] for number in chosen),
            tuple(repository for _ in chosen),
            tuple(self.ms[number] for number in chosen),
        )


def why_not_scored(row: Row) -> str:
    """Why a row does not count; an empty text when it does. Where nothing should be found, nothing can be measured."""
    return row.skipped or ("" if row.gold else NO_GOLD)


def evaluation(label: str, rows: Iterable[Row]) -> Evaluation:
    """Judge the rows of one mode."""
    rows = list(rows)
    scored = [row for row in rows if not why_not_scored(row)]
    return Evaluation(
        label,
        tuple(row.id for row in scored),
        tuple(judge(row.ranked, row.gold) for row in scored),
        tuple(row.repository for row in scored),
        tuple(row.ms for row in scored),
        dict(Counter(filter(None, map(why_not_scored, rows)))),
    )


def evaluations(rows: Iterable[Row]) -> list[Evaluation]:
    """One evaluation per mode, in the order in which modes first occur."""
    return [evaluation(mode, found) for mode, found in by_mode(rows).items()]


@dataclass(frozen=True, slots=True)
class MeanResult:
    """One mode over several repositories. `missing` are those without a scored case in this mode; they do not count."""

    label: str
    cases: int
    repositories: tuple[str, ...]
    metrics: Mapping[str, float]
    missing: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "label": self.label,
            "cases": self.cases,
            "repositories": list(self.repositories),
            "missing": list(self.missing),
            "metrics": dict(self.metrics),
        }


def aggregate_by_mode(
    results: Mapping[str, Sequence[Evaluation]], metrics: Sequence[str] = STANDARD_METRICS
) -> list[MeanResult]:
    """One macro average per mode, in the order in which modes first occur, from repository name → its evaluations.

    Raises UsageError when a repository has two evaluations of one mode, or for an unknown metric.
    """
    by_mode: dict[str, dict[str, Evaluation]] = {}
    for repository, evaluations in results.items():
        for found in evaluations:
            of_mode = by_mode.setdefault(found.label, {})
            if repository in of_mode:
                raise UsageError(f"{repository} has two evaluations of mode {found.label!r}: give one of each")
            of_mode[repository] = found
    return [mean_results(mode, _with_all(results, found), metrics) for mode, found in by_mode.items()]


def mean_results(mode: str, results: Mapping[str, Evaluation], metrics: Sequence[str] = STANDARD_METRICS) -> MeanResult:
    """The macro average of one mode, from repository name → its evaluation. 0 when no repository has a scored case."""
    means = {repository: found.as_dict(metrics) for repository, found in results.items() if len(found)}
    return MeanResult(
        f"mean:{mode}",
        sum(len(found) for found in results.values()),
        tuple(means),
        {name: fsum(of[name] for of in means.values()) / len(means) if means else 0.0 for name in metrics},
        tuple(repository for repository in results if repository not in means),
    )


def _with_all(repositories: Mapping[str, object], found: Mapping[str, Evaluation]) -> dict[str, Evaluation]:
    nothing = Evaluation("", (), ())
    return {repository: found.get(repository, nothing) for repository in repositories}
