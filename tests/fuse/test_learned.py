"""Learned fusion: a linear model whose parts sum to the score, with weights as data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import calls_of
from trackdown.fuse.learned import (
    KINDS,
    RANKED,
    LearnedFusion,
    WeightTable,
    decode_fusions,
    encode_fusions,
    feature,
    fusion_for,
    lean_of,
    load_learned,
    packaged_fusions,
    ranks_of,
)

NO_QUERY: dict[str, float] = {}


def fusion(*tables: WeightTable, level: str = "function") -> LearnedFusion:
    return LearnedFusion(level, tables)


def one_table(**weights: float) -> LearnedFusion:
    """Weights by name, `__` for a dot."""
    return fusion(WeightTable((), {name.replace("__", "."): value for name, value in weights.items()}))


def test_scaled_scores_are_those_of_the_weighted_sum() -> None:
    learned = one_table(lexical__scaled=1.0, mentions__scaled=0.5)
    scores = {"lexical": np.array([2.0, 8.0, 0.0]), "mentions": np.array([0.2, 0.0, 0.1])}
    parts = learned.parts(scores, {"lexical": 0.0, "mentions": 1.0}, NO_QUERY)
    assert parts["lexical"].tolist() == [0.25, 1.0, 0.0]
    assert parts["mentions"].tolist() == pytest.approx([0.1, 0.0, 0.05])


def test_reciprocal_ranks_are_one_at_the_top_and_nothing_where_nothing_was_found() -> None:
    parts = one_table(commits__rank10=2.0).parts({"commits": np.array([5.0, 0.0, 9.0, 5.0, 1.0])}, {}, NO_QUERY)
    assert parts["commits"].tolist() == pytest.approx([2 * 11 / 12, 0.0, 2.0, 2 * 11 / 12, 2 * 11 / 14])


def test_a_weight_leans_on_the_query() -> None:
    table = WeightTable((), {"lexical.found": 1.0, "lexical.found*code": 2.0, "lexical.found*-code": 4.0})
    found = {"lexical": np.array([3.0])}
    for query, expected in (({"code": 1.0}, 3.0), ({"code": 0.0}, 5.0), ({"code": 0.5}, 4.0), ({}, 5.0)):
        assert fusion(table).parts(found, {}, query)["lexical"].tolist() == [expected]


@pytest.mark.parametrize(("value", "expected"), [(-3.0, 0.0), (0.25, 0.25), (7.0, 1.0)])
def test_what_weights_lean_on_stays_between_0_and_1(value: float, expected: float) -> None:
    assert lean_of("words", {"words": value}) == expected
    assert lean_of("-words", {"words": value}) == 1 - expected


def test_the_table_is_chosen_by_the_channels_that_ran() -> None:
    rich = WeightTable(("commits", "dense"), {"lexical.scaled": 1.0, "dense.scaled": 1.0})
    plain = WeightTable((), {"lexical.scaled": 3.0})
    learned = fusion(rich, plain)
    values = np.array([1.0])
    everything = {"lexical": values, "commits": values, "dense": values}
    assert learned.parts(everything, {}, NO_QUERY) == {"lexical": [1.0], "commits": [0.0], "dense": [1.0]}
    assert learned.parts({"lexical": values, "commits": values}, {}, NO_QUERY) == {"lexical": [3.0], "commits": [0.0]}
    assert fusion(rich).parts({"lexical": values}, {}, NO_QUERY) == {"lexical": [1.0]}, "the last has to do"


def test_what_a_signal_weighs_in_all() -> None:
    table = WeightTable(("encoder",), {"fused.scaled": 0.5, "encoder.scaled": 0.25, "encoder.scaled*code": 0.5})
    assert fusion(table).by_signal(("fused", "encoder"), {"code": 1.0}) == {"fused": 0.5, "encoder": 0.75}
    assert fusion(table, WeightTable((), {"fused.scaled": 1.0})).by_signal(("fused",), NO_QUERY) == {"fused": 1.0}


def test_no_candidates_and_no_evidence_add_nothing() -> None:
    learned = one_table(lexical__scaled=1.0, lexical__rank0=1.0, lexical__found=1.0, lexical__root=1.0)
    assert learned.parts({"lexical": np.zeros(3)}, {}, NO_QUERY)["lexical"].tolist() == [0.0, 0.0, 0.0]
    assert learned.parts({"lexical": np.zeros(0)}, {}, NO_QUERY)["lexical"].tolist() == []
    assert learned.parts({"lexical": np.array([-0.5, 0.0])}, {}, NO_QUERY)["lexical"].tolist() == [0.0, 0.0]
    assert learned.parts({}, {}, NO_QUERY) == {}


@given(st.lists(st.integers(-3, 12).map(float), max_size=40), st.floats(0.0, 20.0))
def test_a_part_is_the_weighted_sum_of_its_features(values: list[float], floor: float) -> None:
    scores = np.array(values)
    weights = {kind: 0.5 + number for number, kind in enumerate(KINDS)}
    learned = fusion(WeightTable((), {f"dense.{kind}": weight for kind, weight in weights.items()}))
    part = learned.parts({"dense": scores}, {"dense": floor}, NO_QUERY)["dense"]
    full = max(scores.max(initial=0.0), floor)
    ranks = ranks_of(scores)
    expected = sum((w * feature(kind, scores, ranks, full) for kind, w in weights.items()), np.zeros(len(scores)))
    assert part.tolist() == pytest.approx(expected.tolist())


@given(st.lists(st.integers(0, 5).map(float), min_size=2, max_size=30))
def test_better_evidence_never_counts_less_and_order_does_not_matter(values: list[float]) -> None:
    learned = fusion(WeightTable((), {f"lexical.{kind}": 1.0 for kind in KINDS}))
    part = learned.parts({"lexical": np.array(values)}, {}, NO_QUERY)["lexical"]
    order = np.argsort(values, kind="stable")
    assert (np.diff(part[order]) >= -1e-12).all()
    swapped = learned.parts({"lexical": np.array(values)[::-1]}, {}, NO_QUERY)["lexical"][::-1]
    assert swapped.tolist() == pytest.approx(part.tolist())


def test_far_behind_all_share_a_rank() -> None:
    scores = np.arange(1.0, RANKED + 501)
    ranks = ranks_of(scores)
    assert ranks[-1] == 1 and ranks[-RANKED] == RANKED and set(ranks[:500]) == {RANKED + 1}
    learned = one_table(lexical__rank60=1.0)
    part = learned.parts({"lexical": scores}, {}, NO_QUERY)["lexical"]
    assert part.tolist() == pytest.approx(feature("rank60", scores, ranks, 1.0).tolist())


def test_forty_thousand_candidates_cost_as_many_calls_as_forty() -> None:
    random = np.random.default_rng(0)
    signals = ("lexical", "mentions", "commits", "dense")
    learned = fusion(WeightTable((), {f"{signal}.{kind}": 1.0 for signal in signals for kind in KINDS}))

    def calls(count: int) -> int:
        scores = {signal: np.maximum(random.normal(size=count), 0) for signal in signals}
        return calls_of(lambda: learned.parts(scores, {}, NO_QUERY))

    assert calls(40_000) <= calls(40) + 100


def test_weights_survive_being_written() -> None:
    table = WeightTable(("commits",), {"lexical.scaled": 0.5, "commits.rank10*-code": 0.25}, 9.5)
    rerank = LearnedFusion("file", (WeightTable((), {"encoder.raw": 1.0}),), "rerank", {"cases": 12})
    written = [fusion(table), rerank]
    assert decode_fusions(encode_fusions(written)) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2, "fusions": []}',
        '{"format": 1}',
        '{"format": 1, "fusions": [1]}',
        "[" * 5000,
    ],
)
def test_what_is_no_weights_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_fusions(text)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"weights": {"lexical.scaled": -1}}, "0 or more"),
        ({"weights": {"lexical.scaled": "1"}}, "0 or more"),
        ({"weights": {"lexical.scaled": float("inf")}}, "0 or more"),
        ({"weights": {"lexical.cubed": 1}}, "unknown feature"),
        ({"weights": {"scaled": 1}}, "unknown feature"),
        ({"sharpness": "x"}, "x"),
    ],
)
def test_a_bad_table_is_refused(change: dict[str, object], told: str) -> None:
    value = json.loads(encode_fusions([one_table(lexical__scaled=1.0)]))
    value["fusions"][0]["tables"][0].update(change)
    with pytest.raises(ValueError, match=told):
        decode_fusions(json.dumps(value))


@pytest.mark.parametrize("change", [{"stage": "guess"}, {"tables": []}])
def test_a_bad_fusion_is_refused(change: dict[str, object]) -> None:
    value = json.loads(encode_fusions([one_table(lexical__scaled=1.0)]))
    value["fusions"][0].update(change)
    with pytest.raises(ValueError, match=r"unknown stage|no table"):
        decode_fusions(json.dumps(value))


def test_symbols_and_classes_are_fused_as_functions_are_unless_they_have_their_own() -> None:
    function, file = one_table(lexical__scaled=1.0), fusion(WeightTable((), {"lexical.scaled": 2.0}), level="file")
    assert fusion_for([function, file], "symbol") is function and fusion_for([function, file], "class") is function
    assert fusion_for([function, file], "file") is file and fusion_for([file], "function") is None
    own = fusion(WeightTable((), {"lexical.scaled": 3.0}), level="class")
    assert fusion_for([function, own], "class") is own
    assert fusion_for([function], "function", "rerank") is None


def test_the_weights_that_come_with_the_program_can_be_read() -> None:
    assert all(found.tables for found in packaged_fusions())
    assert load_learned("no such level") is None
