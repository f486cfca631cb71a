"""Accuracy as issue localization counts it: all or nothing.

LocAgent (Chen et al. 2025), SweRank (Reddy et al. 2025) and SpIDER (Chaudhari et al.) report it as Acc@k: an issue
is located only when every place that its patch edits is within the first k.
"""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def accuracy(judged: Judged, k: int) -> float:
    """1 when all relevant places are within the first k, else 0; 0 when nothing is relevant."""
    return float(0 < judged.relevant == sum(rank <= k for rank in judged.ranks))
