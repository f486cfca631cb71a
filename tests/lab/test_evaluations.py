"""Evaluations: rows → scores, with what was not scored beside them."""

from __future__ import annotations

import pytest

from trackdown.errors import UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.evaluations import NO_GOLD, Evaluation, evaluation, evaluations
from trackdown.lab.measure.metrics import JudgedRanking
from trackdown.lab.runs import Row


def found_at(id_: str, rank: int, *, repository: str = "shop", mode: str = "bm25", ms: float = 1.0) -> Row:
    """A row whose one gold file stands at a rank; 0 for not found."""
    ranked = tuple(CodeLocation("gold.py" if place == rank else f"{place}.py") for place in range(1, 11))
    return Row(id_, mode, ranked, (0.0,) * 10, ms, (CodeLocation("gold.py"),), repository=repository)


ROWS = [
    found_at("1", 1, ms=5.0),
    found_at("2", 4, repository="bank", ms=7.0),
    found_at("3", 0),
    Row("4", "bm25", gold=(CodeLocation("x.py"),), skipped="commit not in the clone"),
    Row("5", "bm25", gold=(CodeLocation("x.py"),), skipped="commit not in the clone"),
    Row("6", "bm25", (CodeLocation("x.py"),), (1.0,)),
]


def test_scored_rows_are_judged_and_the_others_are_counted_by_reason() -> None:
    one = evaluation("bm25", ROWS)
    assert one.ids == ("1", "2", "3") and len(one) == 3
    assert one.judged == (JudgedRanking((1,), 1), JudgedRanking((4,), 1), JudgedRanking((), 1))
    assert one.ms == (5.0, 7.0, 1.0) and one.repositories == ("shop", "bank", "shop")
    assert one.skipped == {"commit not in the clone": 2, NO_GOLD: 1}


def test_means_are_over_scored_cases() -> None:
    one = evaluation("bm25", ROWS)
    assert one.values("MRR") == [1.0, 0.25, 0.0]
    assert one.mrr == one.mean("MRR") == pytest.approx(1.25 / 3)
    assert one.recall(3) == pytest.approx(1 / 3) and one.recall(4) == pytest.approx(2 / 3)
    assert one.as_dict(["MRR", "Hit@1"]) == {"MRR": pytest.approx(1.25 / 3), "Hit@1": pytest.approx(1 / 3)}
    assert set(one.as_dict()) >= {"MRR", "MAP", "P@1", "R@10", "Acc@5", "nDCG@10"}


def test_a_repository_has_its_own() -> None:
    one = evaluation("bm25", ROWS)
    bank, shop = one.of_repository("bank"), one.of_repository("shop")
    assert (bank.ids, bank.mrr, bank.ms) == (("2",), 0.25, (7.0,))
    assert (shop.ids, shop.mrr, shop.label) == (("1", "3"), 0.5, "bm25")
    assert len(one.of_repository("none")) == 0


def test_without_a_case_everything_is_zero() -> None:
    assert evaluation("bm25", []).as_dict(["MRR", "R@10"]) == {"MRR": 0.0, "R@10": 0.0}
    assert Evaluation("x", (), ()).mrr == 0.0


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(UsageError, match="no metric is called 'F@1'"):
        evaluation("bm25", ROWS).mean("F@1")


def test_one_evaluation_for_each_mode_in_their_order() -> None:
    rows = [found_at("1", 1, mode="z"), found_at("1", 2, mode="a"), found_at("2", 1, mode="z")]
    assert [(one.label, len(one), one.mrr) for one in evaluations(rows)] == [("z", 2, 1.0), ("a", 1, 0.5)]
