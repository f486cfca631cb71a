"""Recall: the share of the relevant places that stand within the first k.

Manning, Raghavan and Schütze, "Introduction to information retrieval", chapter 8.
"""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def recall(judged: Judged, k: int) -> float:
    """Relevant places within the first k, over all relevant places; 0 when nothing is relevant."""
    return sum(rank <= k for rank in judged.ranks) / judged.relevant if judged.relevant else 0.0
