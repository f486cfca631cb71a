"""Hit rate: whether any relevant place stands within the first k; trec_eval calls it success."""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def hit(judged: Judged, k: int) -> float:
    """1 when at least one relevant place is within the first k, else 0."""
    return float(any(rank <= k for rank in judged.ranks))
