"""The fit: it finds a planted signal, holds on to where it started, and is the same every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.lab.train.made_examples import SIGNALS, made_example, made_repository
from trackdown.errors import UsageError
from trackdown.fuse.learned import WeightTable
from trackdown.lab.evaluations import evaluation
from trackdown.lab.train.evidence import EvidenceExample
from trackdown.lab.train.fit import Columns, Design, fit, heard_in, needs_of, rows_of, scores_of, table_of

PLAIN = table_of({"lexical": 1.0, "mentions": 0.5, "commits": 0.5})
COLUMNS = Columns(SIGNALS)


def mrr(examples: list[EvidenceExample], table: WeightTable) -> float:
    return evaluation("x", rows_of({"repo": examples}, {"repo": table}, "x", "function")).mrr


def fitted(design: Design, strength: float = 0.001, columns: Columns = COLUMNS, **more: object) -> WeightTable:
    found = fit(design, columns.array(PLAIN), strength, **more)  # type: ignore[arg-type]
    return columns.table(found.weights, (), design.leans.mean(axis=0))


def test_a_planted_signal_is_found_and_holds_where_it_was_not_fitted_to() -> None:
    table = fitted(Design({"a": made_repository(1, "commits", 80)}, COLUMNS))
    unseen = made_repository(2, "commits", 80)
    assert mrr(unseen, PLAIN) < 0.4 < 0.85 < mrr(unseen, table)
    by_signal = table.for_query(unseen[0].query)
    assert sum(by_signal["commits"].values()) > 3 * sum(by_signal["lexical"].values())


def test_what_depends_on_the_query_is_found() -> None:
    random = np.random.default_rng(3)
    mixed = [
        made_example(number, random, "mentions" if number % 2 else "commits", query={"code": float(number % 2)})
        for number in range(160)
    ]
    leaning = fitted(Design({"a": mixed[:120]}, COLUMNS), 0.0001)
    plain = Columns(SIGNALS, leans=("",))
    alike = fitted(Design({"a": mixed[:120]}, plain), 0.0001, plain)
    assert mrr(mixed[120:], leaning) > mrr(mixed[120:], alike) + 0.1


def test_no_weight_is_below_zero_and_full_evidence_scores_one() -> None:
    design = Design({"a": made_repository(4, "mentions")}, COLUMNS)
    table = fitted(design, 0.0001)
    assert all(weight >= 0 for weight in table.values.values())
    average = dict(zip(COLUMNS.leans, design.leans.mean(axis=0), strict=True))
    query = {name: average[name] for name in ("words", "code")}
    assert sum(sum(kinds.values()) for kinds in table.for_query(query).values()) == pytest.approx(1.0, abs=1e-3)


def test_a_fit_is_the_same_every_time() -> None:
    first, second = (fitted(Design({"a": made_repository(5, "commits")}, COLUMNS)) for _ in range(2))
    assert first == second


def test_strength_holds_on_to_the_start() -> None:
    examples = made_repository(6, "commits")
    design = Design({"a": examples}, COLUMNS)
    held, free = fitted(design, 1000.0), fitted(design, 0.0001)
    assert mrr(examples, held) == pytest.approx(mrr(examples, PLAIN), abs=0.02)
    assert mrr(examples, free) > mrr(examples, held) + 0.3


def test_noise_that_does_not_hold_elsewhere_stops_the_fit_early() -> None:
    random = np.random.default_rng(7)
    noise = [made_example(number, random, "commits", sure=0.0) for number in range(40)]
    design, unseen = Design({"a": noise[:20]}, COLUMNS), Design({"a": noise[20:]}, COLUMNS)
    start = COLUMNS.array(PLAIN)
    stopped, whole = fit(design, start, 0.0, held_out=unseen), fit(design, start, 0.0)
    assert stopped.steps < whole.steps and unseen.loss(stopped.weights)[0] < unseen.loss(whole.weights)[0]


def test_the_gradient_is_that_of_the_loss() -> None:
    design = Design({"a": made_repository(8, "mentions", 6)}, Columns(SIGNALS, ("scaled", "rank10")))
    weights = np.random.default_rng(9).uniform(0.5, 1.5, (6, 5))
    gradient = design.loss(weights)[1]
    for place in ((0, 0), (3, 2), (5, 4)):
        step = np.zeros_like(weights)
        step[place] = 1e-2
        slope = (design.loss(weights + step)[0] - design.loss(weights - step)[0]) / 2e-2
        assert gradient[place] == pytest.approx(slope, rel=0.02, abs=1e-4)


def test_every_repository_weighs_the_same() -> None:
    large, small = made_repository(10, "commits", 100), made_repository(11, "mentions", 10)
    both = Design({"large": large, "small": small}, COLUMNS)
    weights = COLUMNS.array(PLAIN)
    alone = [Design({"x": examples}, COLUMNS).loss(weights)[0] for examples in (large, small)]
    assert both.loss(weights)[0] == pytest.approx(sum(alone) / 2)


def test_questions_without_gold_among_their_candidates_teach_nothing() -> None:
    examples = made_repository(12, "commits", 5)
    lost = replace(examples[0], gold=())
    assert Design({"a": [lost, *examples[1:]]}, COLUMNS).count == 4
    with pytest.raises(UsageError, match="nothing to fit to"):
        Design({"a": [lost]}, COLUMNS)


def test_roles_count_in_the_fit_as_they_do_in_a_search() -> None:
    example = made_repository(13, "commits", 1)[0]
    halved = replace(example, factors=np.full(len(example.places), 0.5))
    assert scores_of(halved, PLAIN).tolist() == pytest.approx((scores_of(example, PLAIN) / 2).tolist())
    features = Design({"a": [example]}, COLUMNS).features
    assert Design({"a": [halved]}, COLUMNS).features == pytest.approx(features / 2)


def test_a_table_and_its_array_are_the_same() -> None:
    table = fitted(Design({"a": made_repository(14, "commits")}, COLUMNS))
    again = COLUMNS.table(COLUMNS.array(table), (), np.array([1.0, 0, 1, 0, 1]))
    assert {name: pytest.approx(value, abs=1e-4) for name, value in table.values.items()} == again.values
    odd = WeightTable((), {"lexical.raw": 1.0, "commits.scaled*long": 2.0, "dense.root": 3.0})
    with pytest.raises(UsageError, match="no place"):
        COLUMNS.array(odd)
    assert COLUMNS.holding(odd).array(odd).sum() == 3.0 and COLUMNS.holding(table) == COLUMNS
    assert not COLUMNS.array(WeightTable((), {"dense.scaled": 1.0})).any(), "a signal that is not there"


def test_reciprocal_ranks_and_adaptive_weights_are_tables_too() -> None:
    weights = {"lexical": 1.0, "commits": 0.5}
    example = made_repository(15, "commits", 1)[0]
    lexical, commits = example.ranks[:, 0], example.ranks[:, 2]
    expected = 61 / (60 + lexical) + 0.5 * 61 / (60 + commits)
    assert scores_of(example, table_of(weights, rrf=True)).tolist() == pytest.approx(expected.tolist())
    adaptive = table_of(weights, adaptive=True)
    assert adaptive.for_query({"code": 1.0})["commits"] == {"scaled": 0.5}
    assert adaptive.for_query({"code": 0.0})["commits"] == {"scaled": 1.0}


def test_signals_that_say_nothing_are_not_heard() -> None:
    examples = made_repository(16, "commits", 3)
    silent = [replace(example, scores=example.scores * np.array([1.0, 0.0, 1.0])) for example in examples]
    assert heard_in(silent) == ("lexical", "commits") and heard_in([]) == ()
    assert needs_of(("lexical", "mentions", "commits", "dense")) == ("commits", "dense")
