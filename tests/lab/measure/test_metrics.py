"""Metrics: the same as ir_measures (trec_eval) on random rankings; what that lacks is worked out by hand."""

from __future__ import annotations

from math import log2
from typing import Any

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG

from trackdown.errors import UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.evaluations import STANDARD_METRICS
from trackdown.lab.measure.metrics import METRIC_NAMES, OF_FIRST_K, OF_WHOLE_RANKING, JudgedRanking, judge, metric

PARITY: dict[str, Any] = {"MRR": RR, "MAP": AP}
for k in (1, 3, 5, 10, 20):
    PARITY |= {f"MRR@{k}": RR @ k, f"P@{k}": P @ k, f"R@{k}": R @ k, f"Hit@{k}": Success @ k, f"nDCG@{k}": nDCG @ k}

documents = st.integers(0, 40).map(lambda number: f"d{number:02}.py")


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Distinct files in an order, and relevant ones, of which some were not found."""
    ranked = draw(st.lists(documents, min_size=1, max_size=30, unique=True))
    relevant = draw(st.lists(st.sampled_from(ranked) | documents, min_size=1, max_size=12, unique=True))
    return ranked, relevant


@settings(max_examples=150, deadline=None)
@given(rankings())
def test_the_same_as_trec_eval(case: tuple[list[str], list[str]]) -> None:
    ranked, relevant = case
    judged = judge([CodeLocation(path) for path in ranked], [CodeLocation(path) for path in relevant])
    qrels = {"q": dict.fromkeys(relevant, 1)}
    run = {"q": {path: float(len(ranked) - rank) for rank, path in enumerate(ranked)}}
    expected = ir_measures.calc_aggregate(list(PARITY.values()), qrels, run)
    for name, theirs in PARITY.items():
        assert metric(name)(judged) == pytest.approx(expected[theirs], abs=1e-9), name


@settings(deadline=None)
@given(rankings(), st.integers(1, 30))
def test_bounds_between_metrics(case: tuple[list[str], list[str]], k: int) -> None:
    judged = judge([CodeLocation(path) for path in case[0]], [CodeLocation(path) for path in case[1]])
    at = {name: metric(name.replace("@k", f"@{k}"))(judged) for name in METRIC_NAMES}
    assert all(0.0 <= value <= 1.0 for value in at.values())
    assert at["Acc@k"] <= at["R@k"] <= at["Hit@k"]
    assert at["MRR@k"] <= min(at["MRR"], at["Hit@k"])
    assert at["MAP"] <= at["MAP-cmu"]
    assert at["Acc@k"] == (at["R@k"] == 1.0)


@pytest.mark.parametrize(
    ("k", "value"), [(1, 0.0), (3, 0.0), (6, 0.0), (7, 1.0), (100, 1.0)], ids=lambda value: f"{value:g}"
)
def test_accuracy_needs_all_places(k: int, value: float) -> None:
    assert metric(f"Acc@{k}")(JudgedRanking((1, 3, 7), 3)) == value


def test_accuracy_is_0_when_a_place_was_never_found() -> None:
    assert metric("Acc@100")(JudgedRanking((1, 2), 3)) == 0.0


def test_average_precision_over_all_and_over_found() -> None:
    """Found at 1 and 4, one of three missed: precisions 1/1 and 2/4."""
    judged = JudgedRanking((1, 4), 3)
    assert metric("MAP")(judged) == pytest.approx(1.5 / 3)
    assert metric("MAP-cmu")(judged) == pytest.approx(1.5 / 2)


def test_average_precision_of_the_paper_forgives_what_was_missed() -> None:
    assert metric("MAP-cmu")(JudgedRanking((1,), 10)) == 1.0
    assert metric("MAP")(JudgedRanking((1,), 10)) == pytest.approx(0.1)
    assert metric("MAP-cmu")(JudgedRanking((), 10)) == 0.0


def test_ndcg_by_hand() -> None:
    """Of three relevant places one is at 2 and one at 4; within 3 only the first counts."""
    judged = JudgedRanking((2, 4), 3)
    ideal = 1 + 1 / log2(3) + 1 / 2
    assert metric("nDCG@3")(judged) == pytest.approx((1 / log2(3)) / ideal)
    assert metric("nDCG@10")(judged) == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert metric("nDCG@1")(JudgedRanking((1,), 5)) == 1.0


def test_ndcg_of_semble_counts_a_rank_once() -> None:
    """Two targets in one result: its rank gains once, both are in the ideal."""
    judged = JudgedRanking((1, 1), 2)
    assert metric("nDCG-semble@10")(judged) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert metric("nDCG-semble@10")(JudgedRanking((2, 4), 3)) == metric("nDCG@10")(JudgedRanking((2, 4), 3))


def test_the_cut_of_reciprocal_rank() -> None:
    judged = JudgedRanking((21, 22), 2)
    assert metric("MRR")(judged) == pytest.approx(1 / 21)
    assert metric("MRR@21")(judged) == pytest.approx(1 / 21)
    assert metric("MRR@20")(judged) == 0.0


def test_precision_divides_by_k_even_when_the_ranking_is_shorter() -> None:
    assert metric("P@10")(JudgedRanking((1, 2), 2)) == 0.2


@pytest.mark.parametrize("name", [*OF_WHOLE_RANKING, *(f"{name}@{k}" for name in OF_FIRST_K for k in (1, 10))])
def test_0_when_nothing_is_relevant_or_found(name: str) -> None:
    assert metric(name)(JudgedRanking((), 0)) == 0.0
    assert metric(name)(JudgedRanking((), 4)) == 0.0


def test_every_standard_metric_has_a_function() -> None:
    assert all(metric(name)(JudgedRanking((1,), 1)) > 0 for name in STANDARD_METRICS)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "mrr",
        "R",
        "R@",
        "R@0",
        "R@-1",
        "R@1.5",
        "R@ten",
        "R@k",
        "R@10@5",
        "R@٣",
        "@10",
        "MAP@5",
        "F1@10",
        "R@10\n",
        "R@" + "9" * 5000,
    ],
)
def test_unknown_names_are_refused_with_what_there_is(name: str) -> None:
    with pytest.raises(UsageError, match="no metric is called") as error:
        metric(name)
    assert all(known in str(error.value) for known in METRIC_NAMES)
