"""Normalised discounted cumulative gain, with places either relevant or not.

Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 2002, with the discount
1 / log2(rank + 1) that trec_eval takes: the gain of a ranking over that of one with all relevant places on top.
"""

from __future__ import annotations

from math import fsum, log2

from trackdown.lab.measure.judged import Judged


def ndcg(judged: Judged, k: int) -> float:
    """Discounted gain of the first k over the best possible one; 0 when nothing is relevant."""
    if not judged.relevant:
        return 0.0
    ideal = fsum(_gain(rank) for rank in range(1, min(k, judged.relevant) + 1))
    return fsum(_gain(rank) for rank in judged.ranks if rank <= k) / ideal


def ndcg_of_semble(judged: Judged, k: int) -> float:
    """nDCG as semble's benchmark computes it (github.com/MinishLab/semble, `benchmarks/metrics.py`).

    The formula is `ndcg`'s. What differs is what is counted. `Judged.relevant` must hold the targets, primary and
    secondary alike, that exist in what was indexed: whoever makes the gold of a case leaves the others out. And one
    result can answer for several targets, in which case its rank counts once while each of them counts in the ideal.
    `judge` lets a rank answer for one place only, so what it returns scores the same here and there.
    """
    return ndcg(Judged(tuple(sorted(set(judged.ranks))), judged.relevant), k)


def _gain(rank: int) -> float:
    return 1.0 / log2(rank + 1)
