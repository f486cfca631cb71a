"""Weighted sum of scores, each channel scaled by its own best: Fox and Shaw's CombSUM with max normalisation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def fuse_weighted(channels: Sequence[Floats], weights: Sequence[float], floors: Sequence[float]) -> list[Floats]:
    """What each channel adds to each candidate: weight × score / best score.

    A channel's floor is the score that counts as full: where nothing reaches it, weak evidence stays weak.
    """
    parts = []
    for scores, weight, floor in zip(channels, weights, floors, strict=True):
        part = weight * scores
        best = scores.max(initial=floor)
        if best > 0:
            part /= best
        parts.append(part)
    return parts
