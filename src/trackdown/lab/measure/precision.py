"""Precision: the share of the first k that is relevant.

Manning, Raghavan and Schütze, "Introduction to information retrieval", chapter 8. As in trec_eval, the divisor is k
even when a ranking is shorter, so that answering with little is no advantage.
"""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def precision(judged: Judged, k: int) -> float:
    """Relevant places within the first k, over k."""
    return sum(rank <= k for rank in judged.ranks) / k
