"""The cross-encoder on pairs of one query and many texts (system 1's rerankers, CasCode's slow stage)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.rerank.budget import texts_at_once
from trackdown.rerank.cache import RELEVANCE, ModelOutputCache, digest
from trackdown.types import FactCache

if TYPE_CHECKING:
    from trackdown.models import CrossEncoder

Floats = npt.NDArray[np.float64]
_SINGLE = np.dtype("<f4")


class PairScorer:
    """The relevance of texts for one query, as the model's logits, cached as facts."""

    def __init__(self, model: CrossEncoder, query: str, facts: FactCache) -> None:
        self.at_once = texts_at_once(model.threads)
        self._cache = ModelOutputCache(
            RELEVANCE,
            facts,
            lambda text: f"{digest(query, text)}:{model.model_id}",
            lambda texts: [one.tobytes() for one in model.score(query, texts, apart=True).astype(_SINGLE)],
            _SINGLE.itemsize,
        )

    def logits(self, texts: Sequence[str]) -> Floats:
        """A logit for each text."""
        return np.frombuffer(b"".join(self._cache.rows(texts)), _SINGLE).astype(np.float64)

    def flush(self) -> None:
        """Write what was computed."""
        self._cache.flush()
