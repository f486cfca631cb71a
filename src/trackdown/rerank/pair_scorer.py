"""The cross-encoder on pairs of one query and many texts (system 1's rerankers, CasCode's slow stage)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.rerank.cache import RELEVANCE, ModelOutputCache, digest
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models import CrossEncoder

Floats = npt.NDArray[np.float64]


class PairScorer:
    """The relevance of texts for one query, as the model's logits, cached as facts."""

    def __init__(self, model: CrossEncoder, query: str, facts: FactCache) -> None:
        self.at_once = model.threads
        self._cache = ModelOutputCache(
            RELEVANCE,
            facts,
            lambda text: f"{digest(query, text)}:{model.model_id}",
            lambda texts: model.score(query, texts, apart=True)[:, None],
            1,
        )

    def logits(self, texts: Sequence[str]) -> Floats:
        """A logit for each text."""
        return self._cache.rows(texts)[:, 0].astype(np.float64)

    def flush(self) -> None:
        """Write what was computed."""
        self._cache.flush()
