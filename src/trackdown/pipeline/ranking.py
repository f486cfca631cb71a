"""The learned ranking: features of a pool's candidates, trees that order them, and models that read the first.

Each time a model has read, the trees order all candidates anew, with what the model said as further features.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from trackdown.index import Corpus
from trackdown.pipeline.fusing import Fused
from trackdown.pipeline.plan import SearchPlan, Stopwatch
from trackdown.query import Query
from trackdown.rank import FeatureTable, ModelValues, Ranker, feature_table
from trackdown.rerank import CODE, CandidateReader, Reranking, RerankWeights, sum_with_models

Floats = npt.NDArray[np.float64]
FUSED = "fused"


class PoolRanking:
    """The ranking of one pool, before and after models have read. Without a ranker the hand-set sum orders it."""

    def __init__(
        self, corpus: Corpus, query: Query, fused: Fused, chosen: Sequence[int], ranker: Ranker | None
    ) -> None:
        self._corpus = corpus
        self._query = query
        self._fused = fused
        self._chosen = list(chosen)
        self._ranker = ranker
        self._plain = feature_table(
            corpus.code, fused.pool, fused.channels, fused.total, fused.factor, query, self._chosen
        )
        self.table: FeatureTable = self._plain
        self.scores: Floats = fused.total[self._chosen] if ranker is None else ranker.scores(self._plain)
        self.order = _ordered(self.scores)
        self._raw: dict[str, Floats] = {}
        self._before: dict[int, int] = {}

    def read(self, options: SearchPlan, watch: Stopwatch) -> None:
        """Let the models of the plan read the first candidates, and order all of them again after each."""
        judging = options.judging
        if judging is None or self._corpus.models is None or not self._chosen:
            return
        units = self._fused.pool.units_of(self._chosen, self._fused.units, judging.units)
        query = self._query
        reader = CandidateReader(self._corpus, query.as_read, query.title, units, judging, query.exemplars)
        stages: tuple[tuple[str, int, Callable[[Sequence[int]], bool]], ...] = (
            ("encode", judging.encoder, reader.encode),
            ("code-rerank", judging.code, reader.read_code),
        )
        for name, depth, read in stages:
            first = self.order[:depth]
            if first and read(first):
                self._before = {place: before for before, place in enumerate(first)}
                self._take(reader.values, first, judging.weights)
            watch.lap(name)
        reader.note_what_was_cut()

    def _take(self, values: dict[str, Floats], read: Sequence[int], weights: RerankWeights) -> None:
        self._raw = dict(values)
        self.table = self._plain.with_models(ModelValues(values))
        if self._ranker is not None:
            self.scores = self._ranker.scores(self.table)
            self.order = _ordered(self.scores)
        else:
            total, factor = (numbers[self._chosen] for numbers in (self._fused.total, self._fused.factor))
            scores = sum_with_models(total, factor, values, weights)
            self.order[: len(read)] = sorted(read, key=lambda place: -scores[place])

    def verdict(self, shown: int) -> Reranking:
        """The ranking so far, with the parts of the first scores."""
        first = self.order[:shown]
        parts: dict[str, Floats] = {}
        if self._ranker is not None and first:
            for signal, values in self._by_channel(self._ranker.parts(self.table.rows(first)), first).items():
                parts[signal] = np.zeros(len(self._chosen))
                parts[signal][first] = values
        before = self._before if CODE in self._raw else {}
        return Reranking(self.order, 0.0, parts, self._raw, before=before, total=self.scores)

    def _by_channel(self, parts: dict[str, Floats], first: Sequence[int]) -> dict[str, Floats]:
        """The parts of the channels: what the hand-set sum adds is shared out by what each channel adds to the sum."""
        shared = parts.pop(FUSED, None)
        if shared is None:
            return parts
        rows = [self._chosen[place] for place in first]
        total = self._fused.total[rows]
        for channel, part in zip(self._fused.channels, self._fused.parts, strict=True):
            share = shared * part[rows] / np.where(total > 0, total, 1.0)
            parts[channel.signal] = parts.get(channel.signal, 0.0) + share
        return parts


def _ordered(scores: Floats) -> list[int]:
    """Places by score; equal scores keep the pool's order."""
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order
