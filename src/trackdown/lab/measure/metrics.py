"""A ranking, judged against its gold, and the metrics: every metric is a function of a judged ranking.

- MRR: Voorhees, "The TREC-8 question answering track report", 1999.
- MAP: Buckley and Voorhees, "Evaluating evaluation measure stability", SIGIR 2000. It divides by the number of relevant
  places, like trec_eval. MAP-cmu divides by the number that were found, as Gandhi, Gao and Callan do
  (github.com/Siddharth-Gandhi/ds, `src/eval.py`): misses cost nothing there, so use it only beside their figures.
- P@k and R@k: Manning, Raghavan and Schütze, "Introduction to information retrieval", chapter 8. The divisor of P@k is
  k even for a shorter ranking, as in trec_eval.
- Hit@k: trec_eval calls it success.
- Acc@k, all or nothing: LocAgent (Chen et al. 2025), SweRank (Reddy et al. 2025) and SpIDER (Chaudhari et al.) count an
  issue as located only if every place that its patch edits is within the first k.
- nDCG@k: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 2002, binary relevance,
  with trec_eval's discount 1 / log2(rank + 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2
from types import MappingProxyType

from trackdown.errors import UsageError
from trackdown.lab import CodeLocation


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """The ranks (from 1, ascending) at which relevant places stand, each once, and how many places are relevant."""

    ranks: tuple[int, ...]
    relevant: int


def judge(ranked: Sequence[CodeLocation], gold: Sequence[CodeLocation]) -> JudgedRanking:
    """Find each relevant place in a ranking. A rank answers for one place only, a place is found once.

    A place with a path is found by path and symbol, a bare name by any symbol that is it or ends with it.
    """
    exact = {(place.path, place.symbol) for place in gold if place.path}
    names = sorted({place.symbol for place in gold if not place.path}, key=lambda name: (-len(name), name))
    relevant = len(exact) + len(names)
    ranks = []
    for rank, place in enumerate(ranked, 1):
        key = (place.path, place.symbol)
        if key in exact:
            exact.discard(key)
            ranks.append(rank)
            continue
        name = next((name for name in names if f".{place.symbol}".endswith(f".{name}")), None)
        if name is not None:
            names.remove(name)
            ranks.append(rank)
    return JudgedRanking(tuple(ranks), relevant)


def reciprocal_rank(judged: JudgedRanking) -> float:
    """1 / rank of the first relevant place, at any depth; 0 when none was found."""
    return 1.0 / judged.ranks[0] if judged.ranks else 0.0


def reciprocal_rank_within(judged: JudgedRanking, k: int) -> float:
    """The same, but 0 when the first relevant place is below rank k."""
    return 1.0 / judged.ranks[0] if judged.ranks and judged.ranks[0] <= k else 0.0


def average_precision(judged: JudgedRanking) -> float:
    """Sum of the precisions at found ranks, over all relevant places; 0 when nothing is relevant."""
    return _sum_of_precisions(judged) / judged.relevant if judged.relevant else 0.0


def average_precision_of_found(judged: JudgedRanking) -> float:
    """Sum of the precisions at found ranks, over the relevant places that were found; 0 when none was."""
    return _sum_of_precisions(judged) / len(judged.ranks) if judged.ranks else 0.0


def _sum_of_precisions(judged: JudgedRanking) -> float:
    return sum(found / rank for found, rank in enumerate(judged.ranks, 1))


def precision(judged: JudgedRanking, k: int) -> float:
    """Relevant places within the first k, over k."""
    return sum(rank <= k for rank in judged.ranks) / k


def recall(judged: JudgedRanking, k: int) -> float:
    """Relevant places within the first k, over all relevant places; 0 when nothing is relevant."""
    return sum(rank <= k for rank in judged.ranks) / judged.relevant if judged.relevant else 0.0


def hit(judged: JudgedRanking, k: int) -> float:
    """1 when at least one relevant place is within the first k, else 0."""
    return float(any(rank <= k for rank in judged.ranks))


def accuracy(judged: JudgedRanking, k: int) -> float:
    """1 when all relevant places are within the first k, else 0; 0 when nothing is relevant."""
    return float(0 < judged.relevant == sum(rank <= k for rank in judged.ranks))


def ndcg(judged: JudgedRanking, k: int) -> float:
    """Discounted gain of the first k over the best possible one; 0 when nothing is relevant."""
    if not judged.relevant:
        return 0.0
    ideal = fsum(_gain(rank) for rank in range(1, min(k, judged.relevant) + 1))
    return fsum(_gain(rank) for rank in judged.ranks if rank <= k) / ideal


def ndcg_of_semble(judged: JudgedRanking, k: int) -> float:
    """nDCG as semble's benchmark computes it (github.com/MinishLab/semble, `benchmarks/metrics.py`).

    The formula is `ndcg`'s. What differs is what is counted. `Judged.relevant` must hold the targets, primary and
    secondary alike, that exist in what was indexed: the adapter leaves the others out. And one
    result can answer for several targets, in which case its rank counts once while each of them counts in the ideal.
    `judge` lets a rank answer for one place only, so what it returns scores the same here and there.
    """
    return ndcg(JudgedRanking(tuple(sorted(set(judged.ranks))), judged.relevant), k)


def _gain(rank: int) -> float:
    return 1.0 / log2(rank + 1)


OF_WHOLE_RANKING: Mapping[str, Callable[[JudgedRanking], float]] = MappingProxyType(
    {"MRR": reciprocal_rank, "MAP": average_precision, "MAP-cmu": average_precision_of_found}
)

OF_FIRST_K: Mapping[str, Callable[[JudgedRanking, int], float]] = MappingProxyType(
    {
        "MRR": reciprocal_rank_within,
        "P": precision,
        "R": recall,
        "Hit": hit,
        "Acc": accuracy,
        "nDCG": ndcg,
        "nDCG-semble": ndcg_of_semble,
    }
)

METRIC_NAMES: tuple[str, ...] = (*OF_WHOLE_RANKING, *(f"{name}@k" for name in OF_FIRST_K))
"""What there is, with k for any number from 1."""

_CUT_NAME = re.compile(r"([A-Za-z-]+)@([1-9][0-9]{0,8})")


def metric(name: str) -> Callable[[JudgedRanking], float]:
    """The metric of a name such as MRR, R@10 or nDCG@10. It is 0 for every case in which nothing is relevant.

    Raises UsageError, with what there is, for a name that is not known or a cut below 1.
    """
    if name in OF_WHOLE_RANKING:
        return OF_WHOLE_RANKING[name]
    parts = _CUT_NAME.fullmatch(name)
    measure = OF_FIRST_K.get(parts[1]) if parts else None
    if parts is None or measure is None:
        raise UsageError(f"no metric is called {name!r}: there are {', '.join(METRIC_NAMES)}, with k from 1 on")
    return _within(measure, int(parts[2]))


def _within(measure: Callable[[JudgedRanking, int], float], k: int) -> Callable[[JudgedRanking], float]:
    def measured(judged: JudgedRanking) -> float:
        return measure(judged, k)

    return measured
