"""Fits the ranker: gradient-boosted trees with a listwise objective (LambdaMART), by LightGBM.

One set of trees must rank with models and without. So every case is fitted three times: as no model had read anything,
as the encoder had compared the first candidates, and as the cross-encoder had read the first of those. The order in
which models read is the ranker's own, from fits that did not see the repository.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.errors import UsageError
from trackdown.installation import install_hint
from trackdown.lab.train.ranking_data import RankingExample
from trackdown.rank import NODE, FeatureTable, ModelValues, Ranker, Trees
from trackdown.rerank import CODE, ENCODER, LATE, TITLE

Floats = npt.NDArray[np.float64]
READING = ((ENCODER, TITLE, LATE), (CODE,))
"""The signals of the models that read together, stage by stage."""
_MODEL_FEATURES = ("value", "behind", "rank")
_FOLDS = 5
_FIRST, _EVERY = 100, 6
"""The first candidates of a case take part in a fit, and every sixth of the others besides gold. Without those, gold
would be all that a fit sees of low ranks, and it would learn to prefer them."""


@dataclass(frozen=True, slots=True)
class FitPlan:
    """How trees are fitted. `depths` are how many candidates the encoder and the cross-encoder read in a search."""

    rounds: int = 300
    rate: float = 0.05
    leaves: int = 15
    fewest: int = 60
    features: float = 0.4
    penalty: float = 5.0
    truncation: int = 30
    depths: tuple[int, int] = (100, 20)
    left_out: tuple[str, ...] = ()
    seed: int = 7


@dataclass(slots=True)
class _Case:
    """An example in training: its table without models, what models said, and the order in which they read."""

    example: RankingExample
    plain: FeatureTable
    said: dict[str, Floats]
    orders: list[npt.NDArray[np.int64]] = field(default_factory=list)

    def table(self, stage: int, depths: Sequence[int]) -> FeatureTable:
        """The features when the first `stage` kinds of models have read."""
        if not stage:
            return self.plain
        values: dict[str, Floats] = {}
        for number in range(stage):
            read = np.zeros(len(self.example.places), dtype=bool)
            read[self.orders[number][: depths[number]]] = True
            for signal in READING[number]:
                if signal in self.said:
                    values[signal] = np.where(read, self.said[signal], np.nan)
        return self.plain.with_models(ModelValues(values))


def fit_ranker(examples: Sequence[RankingExample], level: str, plan: FitPlan) -> Ranker:
    """A ranker for one level. Raises UsageError without LightGBM or without examples."""
    cases = [_case(example) for example in examples if example.gold.any()]
    if not cases:
        raise UsageError("no example has its gold among the candidates: nothing to fit a ranker to")
    for stage in range(len(READING)):
        for case, scores in zip(cases, _unseen_scores(cases, stage, plan), strict=True):
            case.orders.append(np.argsort(-scores, kind="stable"))
    names = feature_names(cases, plan)
    trees = _fit(cases, range(len(READING) + 1), names, plan)
    counts = Counter(case.example.repository for case in cases)
    trained = {"cases": len(cases), "repositories": dict(sorted(counts.items())), "plan": asdict(plan)}
    return Ranker(level, names, trees, trained)


def cross_validated(examples: Sequence[RankingExample], plan: FitPlan) -> list[tuple[RankingExample, list[Floats]]]:
    """Each example with its scores at each stage, from fits that did not see its repository.

    Raises UsageError if there are too few.
    """
    cases = [_case(example) for example in examples if len(example.places)]
    if not cases:
        raise UsageError("no example has a candidate: nothing to judge a ranker by")
    found: list[list[Floats]] = [[] for _ in cases]
    for stage in range(len(READING) + 1):
        for case, own, scores in zip(cases, found, _unseen_scores(cases, stage, plan), strict=True):
            case.orders.append(np.argsort(-scores, kind="stable"))
            own.append(scores)
    return [(case.example, own) for case, own in zip(cases, found, strict=True)]


def staged_scores(examples: Sequence[RankingExample], ranker: Ranker, depths: Sequence[int]) -> list[list[Floats]]:
    """The scores of each example's candidates at each stage, by a fitted ranker."""
    found = []
    for example in examples:
        case = _case(example)
        own: list[Floats] = []
        for stage in range(len(READING) + 1):
            scores = ranker.scores(case.table(stage, depths))
            case.orders.append(np.argsort(-scores, kind="stable"))
            own.append(scores)
        found.append(own)
    return found


def feature_names(cases: Sequence[_Case], plan: FitPlan) -> tuple[str, ...]:
    """All features of some cases, those of models last, without those whose name begins with one left out."""
    plain = dict.fromkeys(name for case in cases for name in case.plain.names)
    models = [f"{signal}.{kind}" for signals in READING for signal in signals for kind in _MODEL_FEATURES]
    return tuple(name for name in (*sorted(plain), *models) if not name.startswith(plan.left_out or ("\0",)))


def _case(example: RankingExample) -> _Case:
    """Take what models said out of an example's table."""
    said = {}
    signals = [signal for group in READING for signal in group]
    for signal in signals:
        if f"{signal}.value" in example.names:
            said[signal] = example.table[:, example.names.index(f"{signal}.value")].astype(np.float64)
    kept = [number for number, name in enumerate(example.names) if name.partition(".")[0] not in signals]
    names = tuple(example.names[number] for number in kept)
    return _Case(example, FeatureTable(names, example.table[:, kept].astype(np.float64)), said)


def _unseen_scores(cases: Sequence[_Case], stage: int, plan: FitPlan) -> list[Floats]:
    """The scores of each case at a stage, by a fit to the other repositories."""
    names = feature_names(cases, plan)
    folds = _folds([case.example.repository for case in cases])
    found: dict[int, Floats] = {}
    for fold in range(max(folds) + 1):
        inside = [case for case, own in zip(cases, folds, strict=True) if own != fold and case.example.gold.any()]
        if not inside:
            raise UsageError("a ranker needs gold in more repositories: each is scored by a fit to the others")
        trees = _fit(inside, range(stage + 1), names, plan)
        for number, case in enumerate(cases):
            if folds[number] == fold:
                found[number] = trees.scores(case.table(stage, plan.depths).columns(names))
    return [found[number] for number in range(len(cases))]


def _folds(repositories: Sequence[str]) -> list[int]:
    """A fold for each case: whole repositories, the largest first, each to the fold with the fewest cases."""
    sizes = [0] * min(_FOLDS, len(set(repositories)))
    fold_of: dict[str, int] = {}
    for name, count in sorted(Counter(repositories).items(), key=lambda item: (-item[1], item[0])):
        fold_of[name] = min(range(len(sizes)), key=sizes.__getitem__)
        sizes[fold_of[name]] += count
    return [fold_of[name] for name in repositories]


def _fit(cases: Sequence[_Case], stages: Sequence[int], names: Sequence[str], plan: FitPlan) -> Trees:
    """Trees fitted to some cases at some stages."""
    try:
        import lightgbm
    except ImportError:
        raise UsageError(f"fitting the ranker needs LightGBM: {install_hint('lab')}") from None
    tables, labels, sizes, weights = [], [], [], []
    counts = Counter(case.example.repository for case in cases)
    for case in cases:
        for stage in stages:
            table = case.table(stage, plan.depths).columns(names)
            order = case.orders[max(stage - 1, 0)] if case.orders else np.arange(len(table))
            others = np.union1d(order[_FIRST::_EVERY], np.flatnonzero(case.example.gold))
            kept = np.union1d(order[:_FIRST], others)
            tables.append(table[kept].astype(np.float32))
            labels.append(case.example.gold[kept].astype(np.int32))
            sizes.append(len(kept))
            weights.append(np.full(len(kept), counts[case.example.repository] ** -0.5))
    data = lightgbm.Dataset(
        np.concatenate(tables),
        np.concatenate(labels),
        group=sizes,
        weight=np.concatenate(weights),
        free_raw_data=True,
    )
    settings = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": plan.truncation,
        "learning_rate": plan.rate,
        "num_leaves": plan.leaves,
        "max_depth": 8,
        "min_data_in_leaf": plan.fewest,
        "feature_fraction": plan.features,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "bagging_by_query": True,
        "lambda_l2": plan.penalty,
        "max_bin": 63,
        "seed": plan.seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,  # several threads wait for each other where cores are shared
        "verbosity": -1,
    }
    return trees_of(lightgbm.train(settings, data, plan.rounds).dump_model())


def trees_of(dumped: Mapping[str, Any]) -> Trees:
    """A dumped LightGBM model as flat arrays."""
    rows: list[tuple[int, int, int, int, float, float]] = []
    deepest = 0

    def add(node: Mapping[str, Any], depth: int) -> int:
        nonlocal deepest
        deepest = max(deepest, depth)
        place = len(rows)
        if "leaf_value" in node:
            rows.append((-1, 1, place, place, 0.0, float(node["leaf_value"])))
            return place
        rows.append((-1, 1, place, place, 0.0, 0.0))
        left, right = add(node["left_child"], depth + 1), add(node["right_child"], depth + 1)
        threshold = float(node["threshold"])
        # Without missing values in training, LightGBM reads a missing one as 0.
        missing_left = node["default_left"] if node["missing_type"] == "NaN" else threshold >= 0
        feature = int(node["split_feature"])
        rows[place] = (feature, int(missing_left), left, right, threshold, float(node["internal_value"]))
        return place

    roots = [add(tree["tree_structure"], 0) for tree in dumped["tree_info"]]
    return Trees(np.array(rows, dtype=NODE), np.array(roots, dtype=np.int64), deepest)
