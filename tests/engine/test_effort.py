"""How much models may do: what each effort, budget and depth means, and what cannot be asked together."""

from __future__ import annotations

import math
from typing import Any

import pytest

from trackdown.engine.effort import BALANCED, DEEPEST, LISTWISE_IF_THERE, THOROUGH, Wanted
from trackdown.errors import UsageError
from trackdown.rerank.judging import Judging
from trackdown.rerank.llm import Listwise

NAMED = Judging(code=7)
ORDERED = Listwise(30, top=3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"effort": "none"},
        {"budget": 10, "depth": 10},
        {"budget": 0, "depth": 1},
        {"budget": -1},
        {"budget": math.nan},
        {"budget": math.inf},
        {"budget": 1e12},
        {"depth": 0},
        {"depth": -3},
        {"depth": DEEPEST + 1},
        {"depth": 5, "rerank": False},
        {"budget": 5, "rerank": False},
    ],
)
def test_what_cannot_be_asked_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Wanted(**wrong)


def judging(named: Judging | None = None, by_default: bool = True, **asked: Any) -> Judging | None:
    return Wanted(**asked).judging(named, by_default, 300)


def depths(found: Judging | None) -> tuple[int, int, int, float | None] | None:
    return None if found is None else (found.encoder, found.commits, found.code, found.budget_ms)


def test_efforts() -> None:
    assert judging(effort="fast") is None
    assert depths(judging()) == (BALANCED.encoder, 0, BALANCED.code, 300)
    assert judging(effort="thorough") == THOROUGH and THOROUGH.budget_ms is None
    assert depths(THOROUGH) == (1000, 1000, 100, None) and THOROUGH.all_windows


def test_a_depth_is_exact_and_has_no_clock() -> None:
    assert depths(judging(depth=9)) == (9, 0, 9, None)
    assert depths(judging(effort="thorough", depth=9)) == (9, 9, 9, None)
    assert depths(judging(effort="fast", depth=DEEPEST)) == (DEEPEST, 0, DEEPEST, None)


def test_a_budget_is_a_clock() -> None:
    assert depths(judging(budget=50)) == (BALANCED.encoder, 0, BALANCED.code, 50)
    assert depths(judging(effort="thorough", budget=50)) == (1000, 1000, 100, 50)
    assert judging(budget=0) is None and judging(NAMED, budget=0) is None
    assert Wanted().judging(None, True, 0) is None, "the setting may leave no time either"


def test_reranking_can_be_switched_on_and_off() -> None:
    assert depths(judging(effort="fast", rerank=True)) == (BALANCED.encoder, 0, BALANCED.code, 300)
    assert judging(effort="thorough", rerank=False) is None and judging(NAMED, rerank=False) is None


def test_a_language_model_orders_when_it_is_named_or_the_search_is_thorough() -> None:
    assert Wanted().listwise(None) is None and Wanted(effort="fast").listwise(None) is None
    assert Wanted(effort="thorough").listwise(None) == LISTWISE_IF_THERE and LISTWISE_IF_THERE.optional
    assert Wanted().listwise(ORDERED) == ORDERED == Wanted(effort="thorough").listwise(ORDERED)
    assert Wanted(depth=7).listwise(ORDERED) == Listwise(7, top=3) and Wanted(depth=7).listwise(None) is None
    assert Wanted(budget=50).listwise(ORDERED) == ORDERED
    assert Wanted(effort="thorough", budget=50).listwise(None) is None
    assert Wanted(rerank=False).listwise(ORDERED) is None and Wanted(budget=0).listwise(ORDERED) is None


def test_a_mode_that_names_stages_says_what_they_do() -> None:
    assert judging(NAMED) == NAMED and judging(NAMED, effort="fast") == NAMED
    assert depths(judging(NAMED, depth=3)) == (0, 0, 3, None)
    assert depths(judging(NAMED, budget=20)) == (0, 0, 7, 20)


def test_a_mode_of_ones_own_without_stages_is_left_alone_unless_they_are_asked_for() -> None:
    assert judging(by_default=False) is None
    assert judging(by_default=False, rerank=True) is not None
    assert judging(by_default=False, effort="thorough") == THOROUGH
