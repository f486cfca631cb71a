"""The name of a metric, as tables and options write it → its function."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from trackdown.errors import UsageError
from trackdown.lab.measure.accuracy import accuracy
from trackdown.lab.measure.average_precision import average_precision, average_precision_of_found
from trackdown.lab.measure.hit import hit
from trackdown.lab.measure.judged import Judged
from trackdown.lab.measure.ndcg import ndcg, ndcg_of_semble
from trackdown.lab.measure.precision import precision
from trackdown.lab.measure.recall import recall
from trackdown.lab.measure.reciprocal_rank import reciprocal_rank, reciprocal_rank_within

OF_WHOLE_RANKING: Mapping[str, Callable[[Judged], float]] = MappingProxyType({
    "MRR": reciprocal_rank,
    "MAP": average_precision,
    "MAP-cmu": average_precision_of_found,
})  # fmt: skip

OF_FIRST_K: Mapping[str, Callable[[Judged, int], float]] = MappingProxyType({
    "MRR": reciprocal_rank_within,
    "P": precision,
    "R": recall,
    "Hit": hit,
    "Acc": accuracy,
    "nDCG": ndcg,
    "nDCG-semble": ndcg_of_semble,
})  # fmt: skip

METRIC_NAMES: tuple[str, ...] = (*OF_WHOLE_RANKING, *(f"{name}@k" for name in OF_FIRST_K))
"""What there is, with k for any number from 1."""

_CUT_NAME = re.compile(r"([A-Za-z-]+)@([1-9][0-9]{0,8})")


def metric(name: str) -> Callable[[Judged], float]:
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


def _within(measure: Callable[[Judged, int], float], k: int) -> Callable[[Judged], float]:
    def measured(judged: Judged) -> float:
        return measure(judged, k)

    return measured
