"""Evaluations of several repositories → one row per mode, in which every repository weighs the same.

A macro average: each repository's mean first, then the mean of those, so that one with many cases cannot decide alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from trackdown.errors import UsageError
from trackdown.lab.evaluation import STANDARD_METRICS, Evaluation


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
            "label": self.label, "cases": self.cases, "repositories": list(self.repositories),
            "missing": list(self.missing), "metrics": dict(self.metrics),
        }  # fmt: skip


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
