"""The numbers of a report, beside those computed by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.report.made_runs import write_run
from tests.lab.report.small_run import F, row, small_run
from trackdown.errors import UsageError
from trackdown.lab.measure.significance import bootstrap_interval
from trackdown.lab.report.contenders import read_contenders
from trackdown.lab.report.summary import Summary, summarize
from trackdown.lab.runs import Row


def summary_of(tmp_path: Path, *runs: list[Row], metric: str = "MRR") -> Summary:
    paths = [write_run(tmp_path / f"run{number}.jsonl", rows) for number, rows in enumerate(runs)]
    return summarize(read_contenders(paths), metric=metric, ks=[1, 5])


def test_means_macro_averages_and_intervals(tmp_path: Path) -> None:
    x, y = summary_of(tmp_path, small_run()).modes
    assert (x.letter, x.scored, x.total, dict(x.skipped)) == ("A", 3, 4, {"commit not in the clone": 1})
    assert x.scores["MRR"].mean == pytest.approx(0.5)
    assert y.scores["MRR"].mean == pytest.approx(7 / 12)
    assert x.scores["MRR"].macro == pytest.approx((0.75 + 0) / 2)
    assert y.scores["MRR"].macro == pytest.approx((0.75 + 0.25) / 2)
    assert (x.scores["MRR"].low, x.scores["MRR"].high) == bootstrap_interval([1, 0.5, 0])
    assert x.scores["MAP"].mean == pytest.approx((1 + 0.25 + 0) / 3)
    assert y.scores["MAP"].mean == pytest.approx((0.5 + (1 + 2 / 3) / 2 + 0.25) / 3)
    assert [x.scores[name].mean for name in ("R@1", "R@5")] == pytest.approx([1 / 3, 0.5])
    assert [y.scores[name].mean for name in ("R@1", "R@5", "Acc@1", "Acc@5")] == pytest.approx([1 / 6, 1, 0, 1])


def test_recall_over_k_has_every_k_to_100(tmp_path: Path) -> None:
    _, y = summary_of(tmp_path, small_run()).modes
    assert len(y.recall) == 100
    assert y.recall[:5] == pytest.approx([1 / 6, 1 / 2, 2 / 3, 1, 1])
    assert y.recall[-1] == pytest.approx(1)


def test_times_are_percentiles_of_scored_cases(tmp_path: Path) -> None:
    x, y = summary_of(tmp_path, small_run()).modes
    assert (x.p50_ms, x.p95_ms) == pytest.approx((20, 29))
    assert (y.p50_ms, y.p95_ms) == pytest.approx((50, 59))


@pytest.mark.parametrize("ms", [0.0, -3.0])
def test_times_that_are_none_are_left_out(tmp_path: Path, ms: float) -> None:
    rows = [replace(found, ms=ms) if found.mode == "x" else found for found in small_run()]
    x, y = summary_of(tmp_path, rows).modes
    assert x.p50_ms is None and x.p95_ms is None and y.p50_ms == pytest.approx(50)


def test_repositories_and_categories(tmp_path: Path) -> None:
    found = summary_of(tmp_path, small_run())
    assert [(group.name, group.cases) for group in found.repositories] == [("one", (2, 2)), ("two", (1, 1))]
    assert found.repositories[0].means == pytest.approx((0.75, 0.75))
    assert found.repositories[1].means == pytest.approx((0.0, 0.25))
    assert found.categories == ()
    rows = [replace(one, category="bug" if one.id == "c1" else "") for one in small_run()]
    groups = {group.name: group for group in summary_of(tmp_path, rows).categories}
    assert groups["bug"].means == pytest.approx((1.0, 0.5)) and groups[""].cases == (2, 2)


def test_pairs(tmp_path: Path) -> None:
    (pair,) = summary_of(tmp_path, small_run()).pairs
    assert (pair.cases, pair.wins, pair.losses, pair.ties) == (3, 1, 2, 0)
    assert pair.difference == pytest.approx(-1 / 12)
    assert pair.low <= pair.difference <= pair.high
    # y − x is −1/2, 1/2, 1/4: of the 8 ways to sign them 4 sum to 1/4 or more, and both sides count.
    assert pair.p_permutation == pytest.approx(1.0)


def test_the_chosen_metric_is_that_of_groups_pairs_and_cases(tmp_path: Path) -> None:
    found = summary_of(tmp_path, small_run(), metric="R@1")
    assert found.metrics[0] == "R@1"
    assert found.repositories[0].means == pytest.approx((0.5, 0.25))
    assert found.pairs[0].difference == pytest.approx(1 / 3 - 1 / 6)
    assert [answer.value for answer in found.cases[1].answers if answer] == pytest.approx([0, 0.5])


def test_modes_with_other_cases_are_compared_on_those_they_share(tmp_path: Path) -> None:
    fewer = [found for found in small_run() if found.id != "c2"]
    found = summary_of(tmp_path, small_run(), fewer)
    assert [mode.scored for mode in found.modes] == [3, 3, 2, 2]
    assert [pair.cases for pair in found.pairs if (pair.first, pair.second) == (0, 2)] == [2]
    assert any("did not score the same cases: 2 of 3" in remark for remark in found.remarks)
    line = next(line for line in found.cases if line.id == "c2")
    assert [answer is None for answer in line.answers] == [False, False, True, True]


def test_cases_of_one_name_with_other_gold_are_other_cases(tmp_path: Path) -> None:
    other = [replace(found, gold=(F,)) if found.id == "c3" else found for found in small_run()]
    found = summary_of(tmp_path, small_run(), other)
    assert [pair.cases for pair in found.pairs if (pair.first, pair.second) == (0, 2)] == [2]
    assert len(found.cases) == 4
    assert any("For 1 case the runs disagree on gold" in remark for remark in found.remarks)


def test_what_makes_runs_incomparable_is_remarked(tmp_path: Path) -> None:
    other = [replace(found, bench="foot", level="file") for found in small_run()]
    remarks = " ".join(summary_of(tmp_path, small_run(), other).remarks)
    assert summary_of(tmp_path, small_run()).remarks == ()
    assert "different benches" in remarks and "foot" in remarks and "different levels" in remarks
    shallow = [row("c", "x", (F,), (F,), 1.0, "one")]
    assert "No ranking has more than 1 place" in " ".join(summary_of(tmp_path, shallow).remarks)


@pytest.mark.parametrize(
    ("metric", "ks"), [("nonsense", [1]), ("R@0", [1]), ("MRR", [0]), ("MRR", []), ("MRR", [10**9])]
)
def test_unknown_metrics_and_ks_are_refused(tmp_path: Path, metric: str, ks: list[int]) -> None:
    contenders = read_contenders([write_run(tmp_path / "run.jsonl", small_run())])
    with pytest.raises(UsageError):
        summarize(contenders, metric=metric, ks=ks)
