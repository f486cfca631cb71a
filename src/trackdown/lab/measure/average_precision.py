"""Average precision: precision at the rank of every relevant place, averaged; its mean over cases is MAP.

Buckley and Voorhees, "Evaluating evaluation measure stability", SIGIR 2000. Two divisors are in use:

- `average_precision` divides by the number of relevant places, so one that was never found counts 0 (trec_eval's).
- `average_precision_of_found` divides by the number of relevant places that were found, as the evaluation of Gandhi,
  Gao and Callan does ("Repository-level code search with neural retrieval methods", github.com/Siddharth-Gandhi/ds,
  `src/eval.py`). It is never lower, and places that were missed cost nothing: it is there to stand beside the figures
  of that paper, and for nothing else.
"""

from __future__ import annotations

from trackdown.lab.measure.judged import Judged


def average_precision(judged: Judged) -> float:
    """Sum of the precisions at found ranks, over all relevant places; 0 when nothing is relevant."""
    return _sum_of_precisions(judged) / judged.relevant if judged.relevant else 0.0


def average_precision_of_found(judged: Judged) -> float:
    """Sum of the precisions at found ranks, over the relevant places that were found; 0 when none was."""
    return _sum_of_precisions(judged) / len(judged.ranks) if judged.ranks else 0.0


def _sum_of_precisions(judged: Judged) -> float:
    return sum(found / rank for found, rank in enumerate(judged.ranks, 1))
