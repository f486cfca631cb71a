"""Two modes on the cases that both scored: who wins how often, by how much, and whether chance would explain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from trackdown.lab.measure.bootstrap import bootstrap_interval
from trackdown.lab.measure.significance import paired_permutation_test, paired_t_test

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """Mode number `first` against number `second`: a positive difference speaks for the first. p is two-sided."""

    first: int
    second: int
    cases: int
    wins: int
    losses: int
    ties: int
    difference: float
    low: float
    high: float
    p_permutation: float
    p_t_test: float


def all_pairs(columns: Sequence[Sequence[float | None]]) -> Iterator[Pair]:
    """Every pair of modes, from the metric's values: one column per mode, one row per case, None where not scored."""
    for first, second in combinations(range(len(columns)), 2):
        both = [(a, b) for a, b in zip(columns[first], columns[second], strict=True) if a is not None and b is not None]
        yield compare(first, second, [a for a, _ in both], [b for _, b in both])


def compare(first: int, second: int, a: Sequence[float], b: Sequence[float]) -> Pair:
    """One pair, from the values of the cases that both scored, in one order."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    wins = sum(difference > _EQUAL for difference in differences)
    losses = sum(difference < -_EQUAL for difference in differences)
    mean = sum(differences) / len(differences) if differences else 0.0
    low, high = bootstrap_interval(differences)
    better, worse = (a, b) if mean >= 0 else (b, a)
    return Pair(
        first, second, len(differences), wins, losses, len(differences) - wins - losses, mean, low, high,
        _two_sided(paired_permutation_test(better, worse)), _two_sided(paired_t_test(better, worse)),
    )  # fmt: skip


def _two_sided(p: float) -> float:
    """The tests ask whether one certain mode is better; a report asks whether either is."""
    return min(1.0, 2 * p)
