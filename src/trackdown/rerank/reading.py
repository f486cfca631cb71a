"""Models read the best candidates for a ranker: plain values, nan for what they did not read.

The order of reading is the caller's. A stage whose model is missing gives nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.index import Corpus
from trackdown.rerank.budget import budget_of
from trackdown.rerank.code import CodeReranker
from trackdown.rerank.encode import UnitEncoder
from trackdown.rerank.neural import ENCODER_SHARE, cut_short
from trackdown.rerank.pair_scorer import PairScorer
from trackdown.rerank.plan import CODE, ENCODER, LATE, RerankPlan
from trackdown.rerank.texts import UnitTexts, normalized_query

Floats = npt.NDArray[np.float64]
TITLE = f"{ENCODER}.title"


class CandidateReader:
    """Reads candidates, given by their units, for one query. `values` collects what each signal said of each."""

    def __init__(
        self,
        corpus: Corpus,
        query: str,
        title: str,
        units: Sequence[Sequence[int]],
        plan: RerankPlan,
        exemplars: Sequence[str],
    ) -> None:
        assert corpus.models is not None
        self._models = corpus.models
        self._corpus = corpus
        self._query = normalized_query(query)
        self._title = normalized_query(title)
        self._exemplars = [normalized_query(text) for text in exemplars]
        self._units = units
        self._plan = plan
        self._texts = UnitTexts(corpus.code, corpus.texts)
        self._budget = budget_of(plan, corpus.progress)
        self.values: dict[str, Floats] = {}

    def note_what_was_cut(self) -> None:
        """Say in the answer's notes what there was no time for."""
        if self._budget.cut:
            self._corpus.note(cut_short(self._plan, self._budget.cut))

    def encode(self, places: Sequence[int]) -> bool:
        """Compare the query and its title with candidates. Whether any was compared."""
        with self._budget.paused():  # it may still be loading
            encoder = self._models.encoder()
        if encoder is None or not places or not self._query:
            return False
        units = UnitEncoder(encoder, self._texts, self._corpus.facts)
        queries = [self._query, self._title] if self._title else [self._query]
        try:
            found = units.compare(queries, self._of(places), self._budget.share(self._share), self._exemplars)
        except ModelError as error:
            self._models.failed(error)
            return False
        for signal, scores in zip((ENCODER, TITLE), found, strict=False):
            self._take(signal, places, scores.cosines.values)
        if found[0].late is not None:
            self._take(LATE, places, found[0].late.values)
        return bool(found[0].cosines.reached)

    def read_code(self, places: Sequence[int]) -> bool:
        """Let the cross-encoder read the query and the code of candidates. Whether it read any."""
        with self._budget.paused():
            model = self._models.cross_encoder()
        if model is None or not places or not self._query:
            return False
        pairs = PairScorer(model, self._query, self._corpus.facts)
        reranker = CodeReranker(pairs, self._texts, all_windows=self._plan.all_windows)
        try:
            found = reranker.logits(self._of(places), self._budget)
        except ModelError as error:
            self._models.failed(error)
            return False
        self._take(CODE, places, found.values)
        return bool(found.reached)

    @property
    def _share(self) -> float:
        return ENCODER_SHARE if self._plan.code else 1.0

    def _of(self, places: Sequence[int]) -> list[Sequence[int]]:
        return [self._units[place] for place in places]

    def _take(self, signal: str, places: Sequence[int], values: Floats) -> None:
        self.values[signal] = np.full(len(self._units), np.nan)
        self.values[signal][list(places)] = values
