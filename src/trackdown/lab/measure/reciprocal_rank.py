"""Reciprocal rank: how far down the first relevant place stands; its mean over cases is MRR.

Voorhees, "The TREC-8 question answering track report", 1999.
"""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def reciprocal_rank(judged: Judged) -> float:
    """1 / rank of the first relevant place, at any depth; 0 when none was found."""
    return 1.0 / judged.ranks[0] if judged.ranks else 0.0


def reciprocal_rank_within(judged: Judged, k: int) -> float:
    """The same, but 0 when the first relevant place stands below rank k."""
    return 1.0 / judged.ranks[0] if judged.ranks and judged.ranks[0] <= k else 0.0
