"""From issues to a fitted ranker, on small repositories made for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trackdown.errors import UsageError
from trackdown.lab.cases import CodeLocation
from trackdown.lab.train.hand_set import hand_set_scores
from trackdown.lab.train.ranker_fit import READING, FitPlan, fit_ranker, staged_scores
from trackdown.lab.train.ranker_training import HAND_SET, STAGES, TREES, judged
from trackdown.lab.train.ranking_data import RankingExample, read_ranking_examples, write_ranking_examples

NAMES = ("fused.share", "shape.lines", "encoder.value", "encoder.behind", "encoder.rank")
PLAN = FitPlan(rounds=30, fewest=5, depths=(20, 10))


def example(number: int, repository: str, *, missed: int = 0) -> RankingExample:
    """Forty candidates. The gold one is the best for the encoder, and somewhere in the middle for the words."""
    random = np.random.default_rng(number)
    shares = np.sort(random.random(40))[::-1]
    gold = np.zeros(40, dtype=bool)
    gold[random.integers(3, 15)] = True
    cosines = np.where(gold, 0.8, 0.5 * random.random(40))
    cosines[25:] = np.nan
    table = np.stack([shares, random.random(40), cosines, np.zeros(40), np.zeros(40)], axis=1)
    places = tuple(CodeLocation("a.py", f"f{place}") for place in range(40))
    return RankingExample(f"{repository}-{number}", repository, places, NAMES, table.astype(np.float32), gold, missed)


def examples() -> list[RankingExample]:
    return [example(number, f"repository{number % 6}") for number in range(60)]


def test_what_a_model_says_is_learned_and_used_when_it_has_read() -> None:
    report = judged(examples(), "function", PLAN)
    assert report.cases == 60 and report.repositories == 6
    assert set(report.found) == {f"{what}, {stage}" for what in (HAND_SET, TREES) for stage in STAGES}
    for what in (HAND_SET, TREES):
        assert report.found[f"{what}, + encoder"]["Acc@5"] >= 0.9 > report.found[f"{what}, without models"]["Acc@5"]
        assert report.found[f"{what}, without models"]["Acc@200"] == 1.0
        assert report.found[f"{what}, + encoder"]["MRR"] > report.found[f"{what}, without models"]["MRR"]


def test_the_sum_reads_so_many_candidates_and_leaves_the_others_below() -> None:
    case = example(3, "a")
    gold = int(np.flatnonzero(case.gold)[0])
    before, after, _ = hand_set_scores(case, READING, (gold, 0))  # gold is the first that nobody reads
    assert np.array_equal(np.argsort(-before), np.arange(40))
    assert np.array_equal(np.argsort(-after)[gold:], np.arange(gold, 40))
    _, after, last = hand_set_scores(case, READING, (gold + 1, 0))
    assert int(np.argmax(after)) == gold and np.array_equal(after, last)
    assert np.array_equal(np.argsort(-after)[gold + 1 :], np.arange(gold + 1, 40))


def test_late_interaction_is_a_model_too_and_unknown_before_it_has_read() -> None:
    names = tuple(name.replace("encoder", "late-interaction") for name in NAMES)
    report = judged([replace(one, names=names) for one in examples()], "function", PLAN)
    assert report.found[f"{TREES}, + encoder"]["Acc@5"] >= 0.9 > report.found[f"{TREES}, without models"]["Acc@5"]


def test_gold_that_is_no_candidate_was_not_found() -> None:
    report = judged([*examples(), example(99, "another", missed=1)], "function", PLAN)
    assert report.found[f"{HAND_SET}, {STAGES[-1]}"]["Acc@200"] == pytest.approx(60 / 61, abs=1e-3)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_repositories_are_a_usage_error(count: int) -> None:
    alone = [example(number, "alone") for number in range(10 * count)]
    with pytest.raises(UsageError, match="ranker"):
        judged(alone, "function", PLAN)


def test_a_ranker_without_models_still_ranks() -> None:
    ranker = fit_ranker(examples(), "function", PLAN)
    assert ranker.trained["cases"] == 60 and ranker.trained["repositories"]["repository0"] == 10
    scores = staged_scores(examples(), ranker, PLAN.depths)
    assert all(len(stages) == 3 and not np.isnan(stages[0]).any() for stages in scores)


def test_the_same_examples_give_the_same_ranker() -> None:
    one, other = (fit_ranker(examples(), "function", PLAN) for _ in range(2))
    assert one.trees.nodes.tobytes() == other.trees.nodes.tobytes()


def deep_example(number: int) -> RankingExample:
    """Six hundred candidates in the order of the words. In one case of three the gold one is far down."""
    gold = np.zeros(600, dtype=bool)
    gold[520 + number if number % 3 == 0 else number % 8] = True
    ranks = np.arange(1.0, 601.0)
    table = np.stack([ranks, np.ones(600)], axis=1).astype(np.float32)
    places = tuple(CodeLocation("a.py", f"f{place}") for place in range(600))
    names = ("commits.file.rank", "commits.file_rank")
    return RankingExample(f"deep-{number}", f"repository{number % 6}", places, names, table, gold, 0)


def test_low_ranks_are_not_preferred_because_only_their_gold_was_seen() -> None:
    deep = [deep_example(number) for number in range(60)]
    for stages in staged_scores(deep, fit_ranker(deep, "function", PLAN), PLAN.depths):
        assert int(np.argmax(stages[0])) < 100


def test_examples_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "some.function.npz"
    fewer = example(2, "b")
    without = RankingExample(fewer.id, "b", fewer.places, NAMES[:2], fewer.table[:, :2], fewer.gold, 3)
    write_ranking_examples(path, [example(1, "a"), without], "digest")
    first, second = read_ranking_examples([path])
    assert first.places == example(1, "a").places
    assert np.array_equal(first.table, example(1, "a").table, equal_nan=True)
    assert second.missed == 3 and np.isnan(second.table[:, 2:]).all()
    assert second.gold.tolist() == fewer.gold.tolist()
