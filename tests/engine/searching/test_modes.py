"""Modes by name: what takes part in a search, what a part may carry, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.rerank.tiny_models import make_models
from trackdown.engine.searching.modes import (
    SWITCHES,
    default_plan,
    list_model_sets,
    list_modes,
    retriever_names,
    with_mode,
)
from trackdown.errors import UsageError
from trackdown.pipeline import RETRIEVERS, SearchPlan
from trackdown.rerank.plan import Listwise
from trackdown.settings import Settings, load_settings


def weighing(mode: str) -> set[str]:
    """The signals that have a say in a mode."""
    return {signal for signal, weight in with_mode(SearchPlan(), mode).weights if weight}


def test_every_retriever_of_the_pipeline_has_a_mode_that_is_it_alone() -> None:
    names = retriever_names()
    assert set(names.values()) == {signal for signal, _ in RETRIEVERS}
    for name, signal in names.items():
        assert weighing(name) == {signal}


def test_hybrid_is_all_of_them_and_so_is_a_mode_that_names_none() -> None:
    everything = {signal for signal, _ in RETRIEVERS}
    assert weighing("hybrid") == weighing("rrf") == everything
    assert weighing("bm25+commits") == {"lexical", "commits"}


def test_switches_change_what_they_say() -> None:
    assert with_mode(SearchPlan(), "hybrid+rrf").fusion == "rrf"
    assert with_mode(SearchPlan(), "hybrid+adaptive").adaptive
    chosen = with_mode(SearchPlan(), "commits@250+avgp")
    assert (chosen.commit_depth, chosen.aggregation) == (250, "avgp")


def test_a_retriever_that_settings_leave_out_counts_when_it_is_asked_for_alone() -> None:
    options = default_plan(Settings(weight_commits=0.0, mode="commits"))
    everything = {signal for signal, _ in RETRIEVERS}
    assert dict(options.weights) == dict.fromkeys(everything, 0.0) | {"commits": 1.0}
    assert dict(default_plan(Settings(weight_commits=0.0)).weights)["commits"] == 0.0


def test_settings_choose_the_mode() -> None:
    assert default_plan(Settings(mode="bm25+rrf")).fusion == "rrf"
    assert default_plan(Settings(adaptive=True)).adaptive
    assert not default_plan(Settings()).adaptive


def test_settings_switch_the_graph_on() -> None:
    expansion = with_mode(SearchPlan(), "graph").expansion
    assert expansion is not None and default_plan(Settings(graph=True)).expansion == expansion
    only = default_plan(Settings(mode="bm25", graph=True))
    assert only.expansion == expansion and {signal for signal, weight in only.weights if weight} == {"lexical"}
    assert default_plan(Settings()).expansion is None
    assert load_settings({"TRACKDOWN_GRAPH": "1", "HOME": "/"}).graph


@pytest.mark.parametrize(
    ("mode", "depths"),
    [
        ("hybrid+rerank", (100, 0, 20)),
        ("hybrid+rerank@50", (50, 0, 50)),
        ("bm25+encoder", (100, 0, 0)),
        ("commits+commit-reranker@250+code-reranker@30", (0, 250, 30)),
        ("code-reranker@7+rerank", (100, 0, 20)),
        ("hybrid+thorough", (1000, 1000, 100)),
    ],
)
def test_rerankers_look_as_deep_as_a_mode_says_and_never_at_the_clock(mode: str, depths: tuple[int, int, int]) -> None:
    judging = with_mode(SearchPlan(), mode).judging
    assert judging is not None and judging.budget_ms is None
    assert (judging.encoder, judging.commits, judging.code) == depths
    assert judging.all_windows == (mode == "hybrid+thorough")


def test_a_mode_without_rerankers_has_none() -> None:
    assert with_mode(SearchPlan(), "hybrid").judging is None and default_plan(Settings()).judging is None


def test_language_models_order_as_deep_as_a_mode_says() -> None:
    assert with_mode(SearchPlan(), "hybrid+llm-rerank").listwise == Listwise(20, 20, 10)
    assert with_mode(SearchPlan(), "bm25+llm-rerank@50").listwise == Listwise(50, 20, 10)
    assert with_mode(SearchPlan(), "bm25+llm-top").listwise == Listwise(20, top=3)
    assert with_mode(SearchPlan(), "hybrid").listwise is None and default_plan(Settings()).listwise is None
    thorough = with_mode(SearchPlan(), "thorough").listwise
    assert thorough is not None and thorough.optional
    assert with_mode(SearchPlan(), "llm-rerank@30+thorough").listwise == Listwise(30)


def test_the_language_model_alone_says_how_many_neighbours_move() -> None:
    expansion = with_mode(SearchPlan(), "bm25+spider-llm@3").expansion
    assert expansion is not None and (expansion.selector, expansion.depth) == ("llm", 3)
    assert expansion.each == expansion.window


def test_the_models_that_are_here_are_listed_with_what_is_wrong_with_them(tmp_path: Path) -> None:
    make_models(tmp_path / "models")
    packaged, own = list_model_sets(Settings(models=str(tmp_path / "models")))
    assert packaged.kind == own.kind == "model" and packaged.what
    assert own.name == "tiny" and "encoder" in own.what and "Apache-2.0" in own.what
    assert "there is no folder" in list_model_sets(Settings(models=str(tmp_path / "gone")))[1].what
    assert len(list_model_sets(Settings(models="none"))) == 1


@pytest.mark.parametrize(
    "mode",
    [
        "",
        "bm26",
        "bm25+",
        "sparse",
        "bm25@10",
        "dense@5",
        "hybrid@3",
        "rrf@3",
        "commits@0",
        "thorough@3",
        "llm-rerank@0",
        "llm-top@x",
        "rerank@0",
        "encoder@-1",
        "commits@-1",
        "commits@x",
        "commits@²",
        "commits@99999999999",
    ],
)
def test_what_is_no_mode_is_refused(mode: str) -> None:
    with pytest.raises(UsageError):
        with_mode(SearchPlan(), mode)


def test_the_list_names_all_that_a_mode_may_name() -> None:
    listed = [item.name for item in list_modes()]
    assert set(listed) == {*retriever_names(), "hybrid", *SWITCHES}
    for name in listed:
        with_mode(SearchPlan(), name)
    assert all(item.kind and item.what for item in list_modes())


def test_modes_of_language_models_search_by_words_unless_they_name_a_retriever() -> None:
    assert weighing("gar") == weighing("reco") == weighing("exemplar") == weighing("rewrites") == {"lexical"}
    assert weighing("dense+gar") == {"dense"}
    assert weighing("hybrid+reco") == weighing("hybrid") and weighing("gar+rrf") == {"lexical"}
    gar, reco, alone = (with_mode(SearchPlan(), mode) for mode in ("gar", "bm25+reco@4", "exemplar@2"))
    assert (gar.exemplars, gar.rewritten, gar.exemplars_only) == (1, False, False)
    assert (reco.exemplars, reco.rewritten, reco.exemplars_only) == (4, True, False)
    assert (alone.exemplars, alone.rewritten, alone.exemplars_only) == (2, False, True)
    both = with_mode(SearchPlan(), "exemplar+rewrites")
    assert (both.exemplars, both.rewritten, both.exemplars_only) == (1, True, True)


@pytest.mark.parametrize("mode", ["gar@9", "reco@1000", "exemplar@0", "rewrites@2"])
def test_numbers_of_exemplars_are_small(mode: str) -> None:
    with pytest.raises(UsageError):
        with_mode(SearchPlan(), mode)


def test_the_deep_index_takes_part_where_models_read_or_a_mode_names_it(settings: Settings) -> None:
    plain = default_plan(settings)
    assert not plain.goes_deep and with_mode(plain, "hybrid+rerank").goes_deep
    assert with_mode(plain, "deep").goes_deep and with_mode(plain, "hybrid+deep").goes_deep
    assert not with_mode(plain, "hybrid+rerank+shallow").goes_deep
    assert dict(with_mode(plain, "bm25").weights)["deep"] == 0


def test_effort_chooses_the_models_with_and_without_the_deep_index(settings: Settings) -> None:
    for mode, expected in (("hybrid", True), ("hybrid+shallow", True), ("hybrid+deep", True), ("deep", False)):
        assert default_plan(replace(settings, mode=mode)).models_by_effort is expected
