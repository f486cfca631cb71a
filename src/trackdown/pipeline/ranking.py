"""The learned ranking: a pool of candidates, their features, trees that order them, and models that read the first.

Each time a model has read, the trees order all candidates anew, with what the model said as further features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.index import Corpus
from trackdown.pipeline.fusing import Fused
from trackdown.pipeline.plan import SearchPlan, Stopwatch
from trackdown.query import Query
from trackdown.rank import FeatureTable, ModelValues, Ranker, candidate_pool, feature_table
from trackdown.rerank import CandidateReader

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LearnedRanking:
    """A pool's candidates, their features, the places of the pool in order, and their scores.

    `raw` holds what models said of each place, nan where they did not read it.
    """

    chosen: list[int]
    table: FeatureTable
    order: list[int]
    scores: Floats
    raw: dict[str, Floats]


def rank_pool(
    corpus: Corpus, query: Query, fused: Fused, options: SearchPlan, ranker: Ranker | None, watch: Stopwatch
) -> LearnedRanking:
    """Rank the pool of one search. Without a ranker its order is that of the fused scores, as for collecting data."""
    pool = fused.pool
    allowed = pool.allowed(
        corpus.code, tests=options.tests, folders=options.folders, among=options.among, languages=options.languages
    )
    chosen = candidate_pool(corpus.code, pool, fused.channels, fused.total, allowed)
    plain = feature_table(corpus.code, pool, fused.channels, fused.total, fused.factor, query, chosen)
    watch.lap("features")
    scores = fused.total[chosen] if ranker is None else ranker.scores(plain)
    order = _ordered(scores)
    judging = options.judging
    if judging is None or corpus.models is None or not chosen:
        return LearnedRanking(chosen, plain, order, scores, {})
    units = pool.units_of(chosen, fused.units, judging.units)
    reader = CandidateReader(corpus, query.text, query.title, units, judging, query.exemplars)
    table = plain
    for name, depth, read in (
        ("encode", judging.encoder, reader.encode),
        ("code-rerank", judging.code, reader.read_code),
    ):
        if depth and read(order[:depth]):
            table = plain.with_models(ModelValues(reader.values))
            if ranker is not None:
                scores = ranker.scores(table)
                order = _ordered(scores)
        watch.lap(name)
    return LearnedRanking(chosen, table, order, scores, reader.values)


def _ordered(scores: Floats) -> list[int]:
    """Places by score; equal scores keep the pool's order."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order
