"""Macro averages: every repository weighs the same."""

from __future__ import annotations

import json

import pytest

from trackdown.errors import UsageError
from trackdown.lab.evaluations import STANDARD_METRICS, Evaluation, aggregate_by_mode, mean_results
from trackdown.lab.measure.metrics import JudgedRanking


def evaluated(mode: str, *ranks: int) -> Evaluation:
    """A mode with one case per rank, 0 for not found."""
    judged = tuple(JudgedRanking((rank,) if rank else (), 1) for rank in ranks)
    return Evaluation(mode, tuple(f"c{number}" for number in range(len(ranks))), judged)


def test_a_large_repository_does_not_outweigh_a_small_one() -> None:
    results = {"large": [evaluated("bm25", *[1] * 99)], "small": [evaluated("bm25", 2)]}
    (row,) = aggregate_by_mode(results, ["MRR", "Hit@1"])
    assert row.label == "mean:bm25"
    assert row.cases == 100
    assert row.repositories == ("large", "small")
    assert row.missing == ()
    assert row.metrics == {"MRR": 0.75, "Hit@1": 0.5}


def test_modes_keep_their_order_and_stay_apart() -> None:
    results = {
        "one": [evaluated("hybrid", 1), evaluated("bm25", 2)],
        "two": [evaluated("bm25", 0, 0), evaluated("hybrid", 4, 0)],
    }
    hybrid, bm25 = aggregate_by_mode(results, ["MRR"])
    assert (hybrid.label, hybrid.metrics["MRR"]) == ("mean:hybrid", (1 + 1 / 8) / 2)
    assert (bm25.label, bm25.metrics["MRR"]) == ("mean:bm25", (1 / 2 + 0) / 2)


def test_a_repository_without_scored_cases_is_named_and_does_not_count() -> None:
    results = {
        "one": [evaluated("bm25", 1), evaluated("hybrid", 1)],
        "lacks the mode": [evaluated("bm25", 2)],
        "all skipped": [evaluated("bm25", 2), evaluated("hybrid")],
    }
    _, hybrid = aggregate_by_mode(results, ["MRR"])
    assert hybrid.metrics == {"MRR": 1.0}
    assert hybrid.repositories == ("one",)
    assert hybrid.missing == ("lacks the mode", "all skipped")
    assert hybrid.cases == 1


def test_nothing_at_all() -> None:
    assert aggregate_by_mode({}) == []
    assert aggregate_by_mode({"one": []}) == []
    row = mean_results("bm25", {"one": evaluated("bm25")}, ["MRR"])
    assert (row.cases, row.metrics, row.missing) == (0, {"MRR": 0.0}, ("one",))


def test_all_standard_metrics_as_json() -> None:
    row = mean_results("bm25", {"one": evaluated("bm25", 1, 2), "two": evaluated("bm25", 5)})
    read = json.loads(json.dumps(row.as_dict()))
    assert set(read["metrics"]) == set(STANDARD_METRICS)
    assert read["label"] == "mean:bm25" and read["cases"] == 3 and read["repositories"] == ["one", "two"]


def test_one_mode_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="one has two evaluations of mode 'bm25'"):
        aggregate_by_mode({"one": [evaluated("bm25", 1), evaluated("bm25", 2)]})
