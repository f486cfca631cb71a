"""Rows of a run → the numbers that a bench prints, as one value for every format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trackdown.lab.evaluations import Evaluation, evaluation, why_not_scored
from trackdown.lab.measure import bootstrap_interval
from trackdown.lab.runs import Row, by_mode

ALL_METRICS = tuple(
    """MRR MAP MAP-cmu P@1 P@5 P@10 P@20 R@1 R@5 R@10 R@20 R@100 R@500 R@1000 Acc@1 Acc@3 Acc@5 Acc@10 Acc@20 Hit@1
    Hit@5 Hit@10 nDCG@5 nDCG@10""".split()
)
_AVERAGED_OVER_REPOSITORIES = frozenset({"semble"})
_BRIEF = ("MRR", "Acc@5", "R@10", "nDCG@10")


def summarise(rows: Sequence[Row], metrics: Sequence[str] = ALL_METRICS) -> dict[str, Any]:
    """What a run found: cases scored and skipped, and every metric by mode, as fractions.

    Metrics are means over cases; where a benchmark's own protocol averages over repositories (semble's), so do they.
    `macro` has that average for all. `cases` and `skipped` are those of the mode that has most; `scored` has the number
    for each mode, since an unfinished run may have searched more in one than in another.
    """
    found = by_mode(rows)
    modes = {mode: evaluation(mode, group) for mode, group in found.items()}
    first = max(found.values(), key=len, default=[])
    bench = first[0].bench if first else ""
    skipped = evaluation("", first).skipped
    own = _macro if bench in _AVERAGED_OVER_REPOSITORIES else _mean
    return {
        "bench": bench,
        "level": first[0].level if first else "",
        "cases": len(first) - sum(skipped.values()),
        "skipped": sum(skipped.values()),
        "skipped_why": dict(skipped),
        "skipped_examples": _examples(first),
        "scored": {mode: len(one) for mode, one in modes.items()},
        "modes": {mode: own(one, metrics) for mode, one in modes.items()},
        "intervals": {mode: _intervals(one, _BRIEF, over_repositories=own is _macro) for mode, one in modes.items()},
        "macro": {mode: _macro(one, metrics) for mode, one in modes.items()},
        "repositories": _grouped(first, found, "repository"),
        "categories": _grouped(first, found, "category"),
        "ms": {mode: _latency(one) for mode, one in modes.items()},
    }


def _examples(rows: Sequence[Row]) -> dict[str, str]:
    """For each reason the first case that it left out, with what is known of it (skipped rows hold that as query)."""
    found: dict[str, str] = {}
    for row in rows:
        if reason := why_not_scored(row):
            found.setdefault(reason, f"{row.id}: {row.query[:200]}" if row.skipped and row.query else row.id)
    return found


def _mean(one: Evaluation, metrics: Sequence[str]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in one.as_dict(metrics).items()}


def _macro(one: Evaluation, metrics: Sequence[str]) -> dict[str, float]:
    """Every repository weighs the same."""
    parts = [one.of_repository(name) for name in dict.fromkeys(one.repositories)]
    return {name: round(sum(part.mean(name) for part in parts) / len(parts), 6) if parts else 0.0 for name in metrics}


def _intervals(one: Evaluation, metrics: Sequence[str], *, over_repositories: bool) -> dict[str, list[float]]:
    """Intervals of what is shown: of a mean over cases, or of a mean over repositories."""
    parts = [one.of_repository(name) for name in dict.fromkeys(one.repositories)] if over_repositories else []
    drawn = {name: [part.mean(name) for part in parts] if parts else one.values(name) for name in metrics}
    return {name: [round(end, 4) for end in bootstrap_interval(values)] for name, values in drawn.items()}


def _grouped(first: Sequence[Row], found: dict[str, list[Row]], field: str) -> dict[str, Any]:
    """For each group the number of cases and a few metrics by mode."""
    scored = [row for row in first if not why_not_scored(row)]
    names = sorted({getattr(row, field) for row in scored if getattr(row, field)})
    return {
        name: {
            "cases": sum(getattr(row, field) == name for row in scored),
            "modes": {
                mode: _mean(evaluation(mode, [row for row in group if getattr(row, field) == name]), _BRIEF)
                for mode, group in found.items()
            },
        }
        for name in names
    }


def _latency(one: Evaluation) -> dict[str, float]:
    ordered = sorted(one.ms)
    if not ordered:
        return {"p50": 0.0, "p95": 0.0}
    return {"p50": round(ordered[len(ordered) // 2], 2), "p95": round(ordered[int(len(ordered) * 0.95)], 2)}
