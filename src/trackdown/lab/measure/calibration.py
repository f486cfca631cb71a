"""Do probabilities come true? Expected calibration error, Brier score, AUROC, and the points of a reliability diagram.

Bins have equal mass, as Nguyen and O'Connor propose ("Posterior calibration and exploratory analysis for natural
language processing models", EMNLP 2015): bins of equal width are empty where probabilities crowd.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases of similar probability: how many, their mean probability, and the share that came true."""

    count: int
    expected: float
    observed: float


@dataclass(frozen=True, slots=True)
class CalibrationScores:
    """How good probabilities are. `auroc` is the chance that a true case has a higher one than a false case."""

    count: int
    share: float
    ece: float
    brier: float
    auroc: float
    bins: tuple[Bin, ...]

    def as_dict(self) -> dict[str, Any]:
        """Rounded, for a report."""
        value = asdict(self)
        numbers = {name: round(value[name], 4) for name in ("share", "ece", "brier", "auroc")}
        bins = [{name: round(number, 4) for name, number in one.items()} for one in value["bins"]]
        return {"count": self.count, **numbers, "bins": bins}


def calibration_scores(probabilities: Sequence[float], truth: Sequence[bool], bins: int = BINS) -> CalibrationScores:
    """Score probabilities of things that were true or not. Raises ValueError without any."""
    if not len(probabilities):
        raise ValueError("there is nothing to score")
    expected, observed = np.asarray(probabilities, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    order = np.argsort(expected, kind="stable")
    groups = [group for group in np.array_split(order, min(bins, len(order))) if len(group)]
    found = tuple(Bin(len(group), float(expected[group].mean()), float(observed[group].mean())) for group in groups)
    error = sum(one.count * abs(one.expected - one.observed) for one in found) / len(order)
    brier = float(((expected - observed) ** 2).mean())
    return CalibrationScores(len(order), float(observed.mean()), error, brier, auroc(expected, observed > 0), found)


def auroc(values: Sequence[float] | np.ndarray[Any, Any], truth: Sequence[bool] | np.ndarray[Any, Any]) -> float:
    """The chance that a true case has a higher value than a false one; ties count half. 1/2 if either is missing."""
    numbers, true = np.asarray(values, dtype=np.float64), np.asarray(truth, dtype=bool)
    positives, negatives = int(true.sum()), int((~true).sum())
    if not positives or not negatives:
        return 0.5
    _, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[true].sum() - positives * (positives + 1) / 2) / (positives * negatives))
