"""Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009. Ranks only; scores need not be comparable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
K = 60


def fuse_rrf(channels: Sequence[Floats], weights: Sequence[float], k: int = K) -> list[Floats]:
    """What each channel adds to each candidate: weight / (k + rank). Candidates with score 0 get nothing.

    Equal scores share the best of their ranks, so that the order of candidates does not matter.
    """
    parts = []
    for scores, weight in zip(channels, weights, strict=True):
        part = np.zeros(len(scores))
        found = np.flatnonzero(scores > 0)
        ordered = np.sort(scores[found])
        ranks = len(found) - np.searchsorted(ordered, scores[found], side="right") + 1
        part[found] = weight / (k + ranks)
        parts.append(part)
    return parts
