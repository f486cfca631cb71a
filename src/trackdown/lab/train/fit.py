"""Fit a linear fusion listwise: among a query's candidates, gold should have the probability.

The loss of a query is −log of the summed probability of its gold under a softmax of the scores (a listwise likelihood
as in Cao et al., ListNet, ICML 2007). Every repository weighs the same. L2 holds the weights near those that fitting
starts from, they never go below 0, and accelerated projected gradients over all queries find them (Beck and Teboulle's
FISTA, 2009, restarted where it overshoots), so a fit has no randomness in it.

Every way to fuse is a table of weights: reciprocal rank fusion is one over ranks, adaptive fusion one that leans on
whether the query names code. So comparisons differ in their weights and in nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trackdown.errors import UsageError
from trackdown.fuse import WeightTable, adapted, feature, lean_of, split_name
from trackdown.lab import SCORE_DIGITS, CodeLocation, Row
from trackdown.lab.train.evidence import EvidenceExample

Floats = npt.NDArray[np.float64]
RETRIEVE_KINDS = ("scaled", "rank10")
RERANK_KINDS = ("scaled",)
LEANS = ("", "words", "-words", "code", "-code")
"""More kinds and leans fitted the past better and unseen repositories worse; commits hold hardly any traceback."""
OPTIONAL = ("commits", "dense", "encoder", "commit-reranker", "code-reranker")
"""What some searches go without: plain folders have no commits, some installations no models, some modes no readers."""
STEPS = 300
_EASING, _MOST_RIGID = 0.9, 1e9
_ROUNDING, _CONVERGED = 1e-9, 1e-7
_CHECK_EVERY, _PATIENCE = 5, 8
_SHARPEST = 64.0


def heard_in(examples: Sequence[EvidenceExample]) -> tuple[str, ...]:
    """The signals that said something: a channel whose model is not there has a column of zeros."""
    found: dict[str, bool] = {}
    for example in examples:
        for column, signal in enumerate(example.signals):
            found[signal] = found.get(signal, False) or bool(np.any(example.scores[:, column]))
    return tuple(signal for signal, said in found.items() if said)


def needs_of(signals: Sequence[str]) -> tuple[str, ...]:
    """Those of the signals that a table fitted with them needs."""
    return tuple(signal for signal in signals if signal in OPTIONAL)


@dataclass(frozen=True, slots=True)
class Columns:
    """What a fit may use: signals and the kinds of their features, and what weights may lean on."""

    signals: tuple[str, ...]
    kinds: tuple[str, ...] = RETRIEVE_KINDS
    leans: tuple[str, ...] = LEANS

    @property
    def features(self) -> list[tuple[str, str]]:
        return [(signal, kind) for signal in self.signals for kind in self.kinds]

    def holding(self, weights: WeightTable) -> Columns:
        """These columns, and what a table has beside them: a fit has to start exactly there."""
        names = [split_name(name) for name in weights.values]
        kinds = dict.fromkeys((*self.kinds, *(kind for signal, kind, _ in names if signal in self.signals)))
        leans = dict.fromkeys((*self.leans, *(lean for signal, _, lean in names if signal in self.signals)))
        return replace(self, kinds=tuple(kinds), leans=tuple(leans))

    def array(self, weights: WeightTable) -> Floats:
        """A table's weights as an array: feature × lean. Raises UsageError for one that has no place in it."""
        rows = {pair: number for number, pair in enumerate(self.features)}
        found = np.zeros((len(rows), len(self.leans)))
        for name, value in weights.values.items():
            signal, kind, lean = split_name(name)
            if signal not in self.signals:
                continue
            if (signal, kind) not in rows or lean not in self.leans:
                raise UsageError(f"the weight of {name!r} has no place among the features that are fitted")
            found[rows[signal, kind], self.leans.index(lean)] = value * weights.sharpness
        return found

    def table(self, array: Floats, needs: Sequence[str], mean_leans: Floats) -> WeightTable:
        """An array as a table, scaled so that what is best by every signal scores 1 for an average query."""
        sharpness = float((array @ mean_leans).sum()) or 1.0
        values = {
            f"{signal}.{kind}{f'*{lean}' if lean else ''}": round(float(value) / sharpness, 6)
            for (signal, kind), row in zip(self.features, array, strict=True)
            for lean, value in zip(self.leans, row, strict=True)
        }
        return WeightTable(tuple(needs), {name: value for name, value in values.items() if value}, round(sharpness, 4))


class Design:
    """Questions as arrays, a row for each candidate. Those whose gold no channel found teach nothing: they are out."""

    def __init__(self, repositories: Mapping[str, Sequence[EvidenceExample]], columns: Columns) -> None:
        self.columns = columns
        examples, labels, shares = [], [], []
        for of_repository in repositories.values():
            marked = [(example, example.labels()) for example in of_repository]
            useful = [(example, gold) for example, gold in marked if gold.any() and not gold.all()]
            examples += [example for example, _ in useful]
            labels += [gold for _, gold in useful]
            shares += [1.0 / max(1, len(useful))] * len(useful)
        if not examples:
            raise UsageError("no case has gold among its candidates: there is nothing to fit to")
        self.count = len(examples)
        self.features = np.concatenate([_features(example, columns) for example in examples])
        self.gold: npt.NDArray[np.bool_] = np.concatenate(labels)
        self.starts = np.cumsum([0, *(len(gold) for gold in labels)])[:-1]
        self.sizes = np.array([len(gold) for gold in labels])
        self.leans = np.array([[lean_of(lean, example.query) for lean in columns.leans] for example in examples])
        self.shares = np.array(shares) / sum(shares)

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        """The mean loss and its gradient."""
        by_question = (self.leans @ weights.T).astype(np.float32)
        logits = np.einsum("nf,nf->n", self.features, np.repeat(by_question, self.sizes, axis=0)).astype(np.float64)
        logits -= np.repeat(np.maximum.reduceat(logits, self.starts), self.sizes)
        odds = np.exp(logits)
        gold = np.where(self.gold, odds, 0.0)
        total, found = np.add.reduceat(odds, self.starts), np.add.reduceat(gold, self.starts)
        found = np.maximum(found, 1e-300)
        loss = float(self.shares @ (np.log(total) - np.log(found)))
        pull = odds / np.repeat(total, self.sizes) - gold / np.repeat(found, self.sizes)
        pulled = np.add.reduceat(self.features * pull[:, None].astype(np.float32), self.starts, axis=0)
        return loss, (pulled * self.shares[:, None]).T.astype(np.float64) @ self.leans


def _features(example: EvidenceExample, columns: Columns) -> npt.NDArray[np.float32]:
    """The features of a question's candidates, each times what the candidate's role counts."""
    made = np.zeros((len(example.places), len(columns.features)), dtype=np.float32)
    for number, (signal, kind) in enumerate(columns.features):
        if signal in example.signals:
            at = example.signals.index(signal)
            made[:, number] = feature(kind, example.scores[:, at], example.ranks[:, at], float(example.full[at]))
    return made * example.factors[:, None].astype(np.float32)


@dataclass(frozen=True, slots=True)
class Fit:
    """What was found: the weights, after how many steps, and the loss of what was fitted and of what was held out."""

    weights: Floats
    steps: int
    loss: float
    held_out: float | None = None


def fit(design: Design, start: Floats, strength: float, steps: int = STEPS, held_out: Design | None = None) -> Fit:
    """Fit from a start, which L2 of this strength holds on to. With `held_out` the step with its least loss wins."""
    anchor = sharpened(design, start)
    weights = ahead = anchor
    momentum, rigidity = 1.0, 1.0
    value = design.loss(weights)[0]
    best = Fit(weights, 0, value, held_out.loss(weights)[0] if held_out is not None else None)
    for step in range(1, steps + 1):
        at_ahead, gradient = _pulled(design, ahead, anchor, strength)
        while True:
            moved = np.maximum(ahead - gradient / rigidity, 0.0)
            change = moved - ahead
            allowed = at_ahead + float((gradient * change).sum()) + rigidity / 2 * float((change**2).sum())
            reached = _pulled(design, moved, anchor, strength)[0]
            if reached <= allowed + _ROUNDING or rigidity > _MOST_RIGID:
                break
            rigidity *= 2
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        gained = value - reached
        ahead = moved + (momentum - 1) / faster * (moved - weights) if gained >= 0 else moved
        momentum = faster if gained >= 0 else 1.0
        weights, value, rigidity = moved, reached, rigidity * _EASING
        if held_out is None:
            best = Fit(weights, step, value)
        elif step % _CHECK_EVERY == 0:
            unseen = held_out.loss(weights)[0]
            if best.held_out is None or unseen < best.held_out:
                best = Fit(weights, step, value, unseen)
            elif step - best.steps >= _PATIENCE * _CHECK_EVERY:
                break
        if abs(gained) < _CONVERGED:
            break
    return best


def _pulled(design: Design, weights: Floats, anchor: Floats, strength: float) -> tuple[float, Floats]:
    """The loss and its gradient, with what holds the weights near the anchor."""
    loss, gradient = design.loss(weights)
    away = weights - anchor
    return loss + strength / 2 * float((away**2).sum()), gradient + strength * away


def sharpened(design: Design, start: Floats) -> Floats:
    """The start times the number that makes it fit best: only how sure it is of itself changes, not its order."""
    scales = [2.0**power for power in np.arange(-6, np.log2(_SHARPEST) + 0.5, 0.5)]
    losses = [design.loss(start * scale)[0] for scale in scales]
    best: Floats = start * scales[int(np.argmin(losses))]
    return best


BENCH = "fusion"
_DEPTH = 100


def table_of(weights: Mapping[str, float], *, rrf: bool = False, adaptive: bool = False) -> WeightTable:
    """The table that ranks as the settings' weights by signal do."""
    kind = "rank60" if rrf else "scaled"
    values = {f"{signal}.{kind}": weight for signal, weight in weights.items()}
    if adaptive:
        in_prose = adapted(weights, names_code=False)
        values |= {f"{signal}.{kind}*-code": in_prose[signal] - weight for signal, weight in weights.items()}
    return WeightTable((), {name: value for name, value in values.items() if value})


def scores_of(example: EvidenceExample, table: WeightTable) -> Floats:
    """What each candidate scores."""
    total = np.zeros(len(example.places))
    for signal, kinds in table.for_query(example.query).items():
        if signal not in example.signals:
            continue
        at = example.signals.index(signal)
        for kind, weight in kinds.items():
            total += weight * feature(kind, example.scores[:, at], example.ranks[:, at], float(example.full[at]))
    return total * example.factors


def rows_of(
    repositories: Mapping[str, Sequence[EvidenceExample]], tables: Mapping[str, WeightTable], mode: str, level: str
) -> list[Row]:
    """A row for every example, ranked by its repository's table."""
    return [
        _row(example, tables[name], mode, level, name)
        for name, examples in repositories.items()
        for example in examples
    ]


def _row(example: EvidenceExample, table: WeightTable, mode: str, level: str, repository: str) -> Row:
    scores = scores_of(example, table)
    order = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda at: (-scores[at], example.places[at].path, at))
    ranked: dict[CodeLocation, float] = {}
    for at in order:
        ranked.setdefault(example.places[at], round(float(scores[at]), SCORE_DIGITS))
        if len(ranked) == _DEPTH:
            break
    return Row(example.id, mode, tuple(ranked), tuple(ranked.values()), 0.0, example.gold, BENCH, level, repository)
