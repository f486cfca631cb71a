"""Ways to fuse, applied to collected examples: rows as a search would give them, for tables and the gate.

Every way is a table of weights (reciprocal rank fusion is one over ranks, adaptive fusion one that leans on whether the
query names code), so what is compared differs in its weights and in nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from trackdown.fuse.adaptive import adapted
from trackdown.fuse.learned import WeightTable, feature
from trackdown.lab.cases import Place
from trackdown.lab.runs import SCORE_DIGITS, Row
from trackdown.lab.train.examples import Example

Floats = npt.NDArray[np.float64]
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


def scores_of(example: Example, table: WeightTable) -> Floats:
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
    repositories: Mapping[str, Sequence[Example]], tables: Mapping[str, WeightTable], mode: str, level: str
) -> list[Row]:
    """A row for every example, ranked by its repository's table."""
    return [
        _row(example, tables[name], mode, level, name)
        for name, examples in repositories.items()
        for example in examples
    ]


def _row(example: Example, table: WeightTable, mode: str, level: str, repository: str) -> Row:
    scores = scores_of(example, table)
    order = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda at: (-scores[at], example.places[at].path, at))
    ranked: dict[Place, float] = {}
    for at in order:
        ranked.setdefault(example.places[at], round(float(scores[at]), SCORE_DIGITS))
        if len(ranked) == _DEPTH:
            break
    return Row(example.id, mode, tuple(ranked), tuple(ranked.values()), 0.0, example.gold, BENCH, level, repository)
