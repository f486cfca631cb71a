"""Summaries: what a bench prints says how many cases stand behind every number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.lab.test_evaluations import found_at
from trackdown.lab.cases import CodeLocation
from trackdown.lab.runs import Row
from trackdown.lab.summary import ALL_METRICS, summarise


def rows_of(mode: str, ranks: list[int], repository: str = "shop", **more: Any) -> list[Row]:
    return [
        replace(
            found_at(f"{repository}-{number}", rank, repository=repository, mode=mode, ms=float(number + 1)),
            bench="swe",
            level="file",
            **more,
        )
        for number, rank in enumerate(ranks)
    ]


def skipped(mode: str, id_: str, reason: str) -> Row:
    return Row(id_, mode, gold=(CodeLocation("x.py"),), bench="swe", level="file", repository="shop", skipped=reason)


def test_the_contract() -> None:
    rows = [*rows_of("bm25", [1, 2]), skipped("bm25", "x", "empty gold"), *rows_of("hybrid", [1, 1])]
    summary = summarise([*rows, skipped("hybrid", "x", "empty gold")])
    assert {name: summary[name] for name in ("bench", "level", "cases", "skipped", "skipped_why")} == {
        "bench": "swe",
        "level": "file",
        "cases": 2,
        "skipped": 1,
        "skipped_why": {"empty gold": 1},
    }
    assert list(summary["modes"]) == ["bm25", "hybrid"]
    assert set(summary["modes"]["bm25"]) == set(ALL_METRICS) >= {"MRR", "MAP", "P@1", "R@10", "Acc@5", "nDCG@10"}
    assert summary["modes"]["bm25"]["MRR"] == 0.75 and summary["modes"]["hybrid"]["MRR"] == 1.0
    assert all(0 <= value <= 1 for values in summary["modes"].values() for value in values.values())


def test_an_unfinished_mode_says_how_many_cases_it_has() -> None:
    rows = [*rows_of("bm25", [1]), *rows_of("hybrid", [1, 2, 3, 4])]
    summary = summarise([*rows, skipped("hybrid", "x", "empty gold"), skipped("hybrid", "y", "other")])
    assert (summary["cases"], summary["skipped"]) == (4, 2)
    assert summary["skipped_why"] == {"empty gold": 1, "other": 1}
    assert summary["scored"] == {"bm25": 1, "hybrid": 4}


def test_a_row_without_gold_is_no_case() -> None:
    summary = summarise([*rows_of("bm25", [1]), Row("x", "bm25", (CodeLocation("a.py"),), (1.0,), bench="swe")])
    assert (summary["cases"], summary["skipped"], summary["modes"]["bm25"]["MRR"]) == (1, 1, 1.0)
    assert summary["skipped_why"] == {"no gold": 1}


def test_repositories_weigh_alike_in_the_macro_average_and_in_sembles_own() -> None:
    rows = [*rows_of("bm25", [1, 1, 1]), *rows_of("bm25", [2], "bank")]
    summary = summarise(rows)
    assert summary["modes"]["bm25"]["MRR"] == 0.875 and summary["macro"]["bm25"]["MRR"] == 0.75
    own = summarise([replace(row, bench="semble") for row in rows])
    assert own["modes"]["bm25"]["MRR"] == 0.75


def test_groups_have_their_own_numbers() -> None:
    rows = [*rows_of("bm25", [1, 2], category="bug"), *rows_of("bm25", [4], "bank", category="feature")]
    summary = summarise([*rows, skipped("bm25", "x", "empty gold")])
    assert list(summary["repositories"]) == ["bank", "shop"]
    assert summary["repositories"]["shop"]["cases"] == 2
    assert summary["repositories"]["shop"]["modes"]["bm25"]["MRR"] == 0.75
    assert {name: group["cases"] for name, group in summary["categories"].items()} == {"bug": 2, "feature": 1}
    assert summary["categories"]["feature"]["modes"]["bm25"]["MRR"] == 0.25


def test_intervals_hold_their_mean_and_times_are_percentiles() -> None:
    summary = summarise(rows_of("bm25", [1, 2, 3, 4] * 5))
    low, high = summary["intervals"]["bm25"]["MRR"]
    assert low < summary["modes"]["bm25"]["MRR"] < high
    assert summary["ms"]["bm25"] == {"p50": 11.0, "p95": 20.0}


@pytest.mark.parametrize("rows", [[], [skipped("bm25", "x", "empty gold")]])
def test_nothing_scored_is_no_mistake(rows: list[Row]) -> None:
    summary = summarise(rows)
    assert summary["cases"] == 0 and summary["skipped"] == len(rows)
    assert all(value == 0.0 for values in summary["modes"].values() for value in values.values())
