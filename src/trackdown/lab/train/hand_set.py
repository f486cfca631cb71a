"""The hand-set sum over collected features: what a fitted ranker is compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trackdown.lab.train.ranking_data import RankingExample
from trackdown.rerank import RerankWeights, sum_with_models

Floats = npt.NDArray[np.float64]


def hand_set_scores(
    example: RankingExample,
    stages: Sequence[Sequence[str]],
    depths: Sequence[int],
    weights: RerankWeights | None = None,
) -> list[Floats]:
    """Scores that order an example's candidates as a search does: before the models, and after each stage of them.

    A stage names the signals of models that read together, and `depths` how many candidates each stage reads. What it
    does not read keeps its order, below what it does.
    """
    fused, factors = _column(example, "fused.share"), np.nan_to_num(_column(example, "shape.factor"), nan=1.0)
    order = np.argsort(-fused, kind="stable")
    found, said = [_by_order(order)], {}
    for signals, depth in zip(stages, depths, strict=True):
        first = order[:depth].copy()
        for signal in signals:
            values = np.full(len(fused), np.nan)
            values[first] = _column(example, f"{signal}.value")[first]
            said[signal] = values
        scores = sum_with_models(fused, factors, said, weights or RerankWeights())
        order[: len(first)] = first[np.argsort(-scores[first], kind="stable")]
        found.append(_by_order(order))
    return found


def _column(example: RankingExample, name: str) -> Floats:
    if name not in example.names:
        return np.full(len(example.places), np.nan)
    return example.table[:, example.names.index(name)].astype(np.float64)


def _by_order(order: npt.NDArray[np.int64]) -> Floats:
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order), dtype=np.float64)
    return scores
