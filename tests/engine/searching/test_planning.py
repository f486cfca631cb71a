"""What a request makes of the stages: by its effort, budget, depth and mode, and by the settings."""

from __future__ import annotations

import math
from typing import Any

import pytest

from trackdown.engine.searching.modes import LISTWISE_IF_THERE, THOROUGH
from trackdown.engine.searching.planning import plan
from trackdown.errors import UsageError
from trackdown.pipeline import SearchPlan
from trackdown.request import MAX_DEPTH, SearchRequest
from trackdown.rerank.plan import Listwise, RerankPlan
from trackdown.settings import Settings
from trackdown.types import GENERATED, MAX_RESULTS, TEST

NAMED = "hybrid+code-reranker@7"
DEFAULTS = Settings()


@pytest.mark.parametrize(
    "wrong",
    [
        {"effort": "none"},
        {"level": "line"},
        {"k": 0},
        {"k": MAX_RESULTS + 1},
        {"budget": 10, "depth": 10},
        {"budget": 0, "depth": 1},
        {"budget": -1},
        {"budget": math.nan},
        {"budget": math.inf},
        {"budget": 1e12},
        {"depth": 0},
        {"depth": -3},
        {"depth": MAX_DEPTH + 1},
        {"depth": 5, "rerank": False},
        {"budget": 5, "rerank": False},
    ],
)
def test_what_cannot_be_asked_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SearchRequest("cookie", **wrong)


def planned(settings: Settings = DEFAULTS, **fields: Any) -> SearchPlan:
    return plan(SearchRequest("cookie", **fields), settings)


def judging(**fields: Any) -> RerankPlan | None:
    return planned(**fields).judging


def depths(found: RerankPlan | None) -> tuple[int, int, int, float | None] | None:
    return None if found is None else (found.encoder, found.commits, found.code, found.budget_ms)


def test_efforts() -> None:
    assert judging(effort="fast") is None
    assert depths(judging()) == (DEFAULTS.encoder_depth, 0, DEFAULTS.code_depth, 10_000)
    assert judging(effort="thorough") == THOROUGH and THOROUGH.budget_ms is None
    assert depths(THOROUGH) == (1000, 1000, 100, None) and THOROUGH.all_windows


def test_a_depth_is_exact_and_has_no_clock() -> None:
    assert depths(judging(depth=9)) == (9, 0, 9, None)
    assert depths(judging(effort="thorough", depth=9)) == (9, 9, 9, None)
    assert depths(judging(effort="fast", depth=MAX_DEPTH)) == (MAX_DEPTH, 0, MAX_DEPTH, None)


def test_a_budget_is_a_clock() -> None:
    assert depths(judging(budget=50)) == (DEFAULTS.encoder_depth, 0, DEFAULTS.code_depth, 50)
    assert depths(judging(effort="thorough", budget=50)) == (1000, 1000, 100, 50)
    asked, net = judging(budget=50), judging()
    assert asked is not None and net is not None and net.threads == DEFAULTS.thread_count and not asked.threads
    assert judging(budget=0) is None and judging(mode=NAMED, budget=0) is None
    assert planned(Settings(budget_ms=0)).judging is None, "the setting may leave no time either"


def test_the_settings_say_how_many_candidates_the_default_reads() -> None:
    assert depths(planned(Settings(encoder_depth=40, code_depth=0)).judging) == (40, 0, 0, 10_000)
    assert planned(Settings(encoder_depth=0, code_depth=0)).judging is None
    assert depths(planned(Settings(encoder_depth=40), effort="thorough").judging) == (1000, 1000, 100, None)


def test_reranking_can_be_switched_on_and_off() -> None:
    assert depths(judging(effort="fast", rerank=True)) == depths(judging())
    assert judging(effort="thorough", rerank=False) is None and judging(mode=NAMED, rerank=False) is None


def test_a_language_model_orders_when_it_is_named_or_the_search_is_thorough() -> None:
    assert planned().listwise is None and planned(effort="fast").listwise is None
    assert planned(effort="thorough").listwise == LISTWISE_IF_THERE and LISTWISE_IF_THERE.optional
    named: dict[str, Any] = {"mode": "hybrid+llm-top@30"}
    ordered = Listwise(30, top=3)
    assert planned(**named).listwise == ordered == planned(**named, effort="thorough").listwise
    assert planned(**named, depth=7).listwise == Listwise(7, top=3) and planned(depth=7).listwise is None
    assert planned(**named, budget=50).listwise == ordered
    assert planned(effort="thorough", budget=50).listwise is None
    assert planned(**named, rerank=False).listwise is None and planned(**named, budget=0).listwise is None


def test_a_mode_that_names_stages_says_what_they_do() -> None:
    assert judging(mode=NAMED) == RerankPlan(code=7) == judging(mode=NAMED, effort="fast")
    assert depths(judging(mode=NAMED, depth=3)) == (0, 0, 3, None)
    assert depths(judging(mode=NAMED, budget=20)) == (0, 0, 7, 20)


def test_a_mode_of_ones_own_without_stages_is_left_alone_unless_they_are_asked_for() -> None:
    for mode in ("bm25", "hybrid+rrf", "hybrid+graph"):
        assert judging(mode=mode) is None
        assert judging(mode=mode, rerank=True) is not None
        assert judging(mode=mode, effort="thorough") == THOROUGH


def test_only_the_default_mode_leaves_the_models_to_the_effort_however_it_is_written() -> None:
    assert judging(mode=" hybrid ") == judging() is not None
    assert planned(Settings(mode="bm25")).judging is None and planned(Settings(mode="bm25"), mode="hybrid").judging
    assert judging(graph=True) == judging() and planned(graph=True).expansion is not None


def test_a_request_adds_to_the_settings_and_takes_nothing_away() -> None:
    always = Settings(adaptive=True, graph=True)
    assert planned(always).adaptive and planned(always).expansion is not None
    assert planned(adaptive=True).adaptive and not planned().adaptive


def test_exemplars_and_rewrites() -> None:
    assert (planned(gar=True).exemplars, planned(gar=True).rewritten) == (1, False)
    assert (planned(reco=True).exemplars, planned(reco=True).rewritten) == (1, True)
    assert planned(mode="bm25+gar@3", gar=True).exemplars == 3


def test_models_are_expected_where_somebody_asks_for_them() -> None:
    assert not planned().expects_models and not planned(effort="fast").expects_models
    assert planned(rerank=True).expects_models and planned(mode=NAMED).expects_models
    assert planned(effort="thorough").expects_models and not planned(effort="thorough", rerank=False).expects_models


@pytest.mark.parametrize("wrong", [{"mode": "bm26"}, {"languages": ("klingon",)}, {"folder": "../up"}])
def test_names_that_nobody_knows_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        planned(**wrong)


def test_the_settings_decide_what_a_request_leaves_open() -> None:
    settings = Settings(k=3, level="file", exclude=("vendor/",), languages=("go",), tests=False, generated=False)
    left_open = planned(settings)
    assert (left_open.k, left_open.level) == (3, "file")
    assert left_open.filters[0].languages == ("go",) and left_open.filters[0].without_paths == ("vendor/",)
    assert left_open.without_roles == {TEST, GENERATED}
    named = planned(settings, k=7, level="class", languages=["python"], exclude=["docs/"], tests=True)
    assert (named.k, named.level) == (7, "class")
    assert named.filters[0].languages == ("python",) and named.filters[0].without_paths == ("vendor/", "docs/")
    assert named.without_roles == {GENERATED}


def test_a_request_can_switch_off_what_the_settings_switch_on() -> None:
    settings = Settings(graph=True, adaptive=True)
    assert planned(settings).adaptive and planned(settings).expansion is not None
    off = planned(settings, graph=False, adaptive=False)
    assert not off.adaptive and off.expansion is None


def test_a_thorough_effort_of_the_settings_is_limited_and_asks_no_language_model() -> None:
    asked, untrusted = planned(Settings(), effort="thorough"), planned(Settings(effort="thorough", budget_ms=5000))
    assert asked.judging is not None and asked.judging.budget_ms is None and asked.listwise is not None
    assert untrusted.judging is not None and untrusted.judging.budget_ms == 5000
    assert untrusted.judging.code == asked.judging.code and untrusted.listwise is None
    assert planned(Settings(effort="fast")).judging is None
