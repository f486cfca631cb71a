"""Likeness and reciprocal ranks of the same questions → the two tests of ReCo's paper, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from trackdown.lab.measure.significance import bootstrap_interval, paired_permutation_test

PUBLISHED = {
    "CSSim": (0.553, 0.522),
    "CodeBLEU": (0.385, 0.249),
    "ROUGE-L": (0.001, 0.001),
    "BLEU": (0.195, 0.065),
}
"""M(exemplar, rewrite) and M(exemplar, original) on MBPP with GPT-3.5, in table 6 of ReCo's paper."""
PUBLISHED_PICKS = {"any": 24.0, "CSSim": 26.8, "CodeBLEU": 25.1, "ROUGE-L": 23.7, "BLEU": 24.0}
"""MRR x 100 of BM25 with GAR on MBPP by the exemplar that is picked, of four by Code Llama 7B, in table 2."""
METRICS = tuple(PUBLISHED)
TERMS = ("variables", "calls", "tree")
"""The terms of CSSim, each by itself."""

Column = Sequence[float | None]
Floats = npt.NDArray[np.float64]
T = TypeVar("T")
_DRAWS = 1000


def figures(
    places: Sequence[int],
    likeness: Mapping[str, Mapping[str, Column]],
    found: Mapping[str, Mapping[str, Sequence[float]]],
) -> dict[str, Any]:
    """All figures over some of the questions."""
    chosen = {pair: {name: take(column, places) for name, column in one.items()} for pair, one in likeness.items()}
    return {
        "questions": len(places),
        "likeness": {
            name: compare(chosen["exemplar, rewrite"][name], chosen["exemplar, original"][name])
            | ({"published": PUBLISHED[name]} if name in PUBLISHED else {})
            for name in (*METRICS, *TERMS)
        },
        "tokens": {
            way: by_tokens(chosen, {name: np.array(take(column, places)) for name, column in ranks.items()})
            for way, ranks in found.items()
        },
    }


def take(column: Sequence[T], places: Sequence[int]) -> list[T]:
    """The values at some places."""
    return [column[place] for place in places]


def compare(first: Column, second: Column) -> dict[str, Any]:
    """Two likenesses of the same questions, where both exist, with intervals and a paired test."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    difference = [a - b for a, b in pairs]
    return {
        "pairs": len(pairs),
        "exemplar, rewrite": with_interval([a for a, _ in pairs]),
        "exemplar, original": with_interval([b for _, b in pairs]),
        "difference": with_interval(difference),
        "share above 0": round(float(np.mean([value > 0 for value in difference])), 3),
        "p": p_value([a for a, _ in pairs], [b for _, b in pairs]),
    }


def by_tokens(likeness: Mapping[str, Mapping[str, Column]], ranks: Mapping[str, Floats]) -> dict[str, Any]:
    """Both tests, by one way to cut tokens."""
    gains, levels = {}, {}
    for name in (*METRICS, *TERMS):
        to_rewrite, to_original = likeness["exemplar, rewrite"][name], likeness["exemplar, original"][name]
        rise = [None if a is None or b is None else a - b for a, b in zip(to_rewrite, to_original, strict=True)]
        gains[name] = correlation(rise, ranks["ReCo"] - ranks["GAR"])
        levels[name] = correlation(to_original, ranks["GAR"])
    return {
        "MRR x 100": {name: with_interval(100 * column, 1) for name, column in ranks.items()},
        "gain in likeness with gain in rank, Spearman": gains,
        "likeness of exemplar and original with rank by GAR, Spearman": levels,
        "pick of exemplar or rewrite, MRR x 100": picks(likeness, ranks["GAR"], ranks["GAR by the rewrite"]),
    }


def picks(
    likeness: Mapping[str, Mapping[str, Column]],
    exemplar: Floats,
    rewrite: Floats,
) -> dict[str, Any]:
    """What is found by whichever of two codes is more like the answer; where they are equally so, the mean of both."""
    either = (exemplar + rewrite) / 2
    chosen = {"any": either, "exemplar": exemplar, "rewrite": rewrite, "best": np.maximum(exemplar, rewrite)}
    shares: dict[str, float] = {}
    for name in METRICS:
        one = np.array(likeness["exemplar, original"][name], dtype=np.float64)
        other = np.array(likeness["rewrite, original"][name], dtype=np.float64)
        chosen[name] = np.where(one > other, exemplar, np.where(other > one, rewrite, either))
        shares[name] = round(float(np.mean(other > one)), 3)
    answer: dict[str, Any] = {}
    for name, column in chosen.items():
        answer[name] = {"mean": with_interval(100 * column, 1)}
        if name in METRICS:
            answer[name] |= {
                "rewrite picked": shares[name],
                "p, better than any": p_value(column, either),
                "p, better than the exemplar": p_value(column, exemplar),
            }
        if name in PUBLISHED_PICKS:
            answer[name]["published, of four exemplars"] = PUBLISHED_PICKS[name]
    return answer


def p_value(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """The probability that chance alone made the first so much higher, by a paired permutation test."""
    return round(paired_permutation_test(list(first), list(second)), 4)


def correlation(column: Column, ranks: Floats) -> list[float]:
    """Spearman's coefficient over the questions that have a value, and its 95 % bootstrap interval."""
    there = [place for place, value in enumerate(column) if value is not None]
    x, y = np.array([column[place] for place in there], dtype=np.float64), ranks[there]
    random = np.random.default_rng(0)
    drawn = [random.integers(0, len(x), len(x)) for _ in range(_DRAWS)]
    low, high = np.quantile([spearman(x[draw], y[draw]) for draw in drawn], [0.025, 0.975])
    return [round(float(value), 3) for value in (spearman(x, y), low, high)]


def spearman(x: Floats, y: Floats) -> float:
    """The correlation of ranks, ties at their mean; 0 where one side does not vary."""
    first, second = rankdata(x), rankdata(y)
    if first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def with_interval(column: Sequence[float] | Floats, digits: int = 4) -> list[float]:
    """A mean and its 95 % interval."""
    low, high = bootstrap_interval(list(column))
    return [round(float(value), digits) for value in (np.mean(column), low, high)]


def print_figures(answer: Mapping[str, Any]) -> None:
    """The figures as plain tables."""
    for title, found in answer["sets"].items():
        print(f"\n{title}: {found['questions']} questions\n")
        print(f"{'likeness of exemplar and':26}{'rewrite':>10}{'original':>10}{'difference':>24}{'p':>9}")
        for name, row in found["likeness"].items():
            mean, low, high = row["difference"]
            middle = f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]"
            first, second = row["exemplar, rewrite"][0], row["exemplar, original"][0]
            print(f"{name:26}{first:10.3f}{second:10.3f}{middle:>24}{row['p']:9.4f}")
        for way, one in found["tokens"].items():
            print(f"\ntokens: {way}")
            for heading, rows in one.items():
                print(f"  {heading}")
                for name, row in rows.items():
                    more = "" if isinstance(row, list) else " ".join(f"{k} {v}" for k, v in row.items() if k != "mean")
                    mean, low, high = row if isinstance(row, list) else row["mean"]
                    print(f"    {name:22}{mean:8} [{low}, {high}] {more}")
    print(f"\ntree distance: {answer['tree distance']}")
    print(f"{answer['ms per comparison']} ms per comparison by all metrics")
