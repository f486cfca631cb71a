"""Late interaction (ColBERT's MaxSim): each token of a query looks for the token of a text that is most like it.

The score of a text is the mean of these likenesses, weighed by what each token of the query weighs. Vectors and weights
are whole numbers, so that sums are exact: a score depends neither on the machine nor on the other texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from trackdown.models.batches import Numbers

Int8s = npt.NDArray[np.int8]
_STEPS = 127
_WEIGHT_STEPS = 1 << 16
_BLOCK = 16
"""Tokens of a query in one product. BLAS shares larger products among threads, and waiting for them takes longer than
the product itself: twenty times as long on a busy machine."""


def unit_steps(tokens: Numbers) -> Int8s:
    """Token vectors as unit vectors in whole steps of 1/127, a quarter of the bytes."""
    lengths = np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-12)
    found: Int8s = np.rint(tokens / lengths * _STEPS).astype(np.int8)
    return found


class LateQuery:
    """A query's tokens, ready to be compared."""

    def __init__(self, tokens: Numbers) -> None:
        padded = np.pad(tokens, ((0, -len(tokens) % _BLOCK), (0, 0)))
        lengths = np.linalg.norm(padded.astype(np.float64), axis=1)
        weights = np.rint(lengths / max(float(lengths.sum()), 1e-12) * _WEIGHT_STEPS).astype(np.int64)
        self._blocks = unit_steps(padded).astype(np.float32).reshape(-1, _BLOCK, tokens.shape[1])
        self._weights = weights.reshape(-1, _BLOCK)
        self._whole = float(max(int(weights.sum()), 1)) * _STEPS * _STEPS

    def scores(self, texts: Sequence[Int8s]) -> list[float]:
        """A score for each text, given its tokens; 0 for a text without any."""
        return [self._score(tokens) if len(tokens) else 0.0 for tokens in texts]

    def _score(self, tokens: Int8s) -> float:
        # Products of int8 vectors stay below 2 ** 24, where float32 is exact for whole numbers.
        alike = self._blocks @ np.ascontiguousarray(tokens.T, np.float32)
        return float((self._weights * alike.max(axis=2).astype(np.int64)).sum()) / self._whole
