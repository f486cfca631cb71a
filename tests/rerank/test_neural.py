"""The neural part of the cascade: who is heard, in which order, and what a score then consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.rerank.reranked_code import Snapshot, function
from trackdown.engine.indexing.fact_cache import StoreFacts
from trackdown.errors import ModelError
from trackdown.models.registry import Models
from trackdown.rerank.neural import RerankInput, clipped_z_scores, relevance_scorer, rerank
from trackdown.rerank.plan import CODE, COMMITS, ENCODER, RerankPlan, RerankWeights
from trackdown.rerank.result import Reranking

WORDS = [
    ("route", "request"),
    ("store", "load"),
    ("header", "parse"),
    ("sign", "cookie"),
    ("save", "key"),
    ("get", "set"),
]
FILES = {f"{name}.py": function(name, *words) for name, words in zip("uvwxyz", WORDS, strict=True)}
QUERY = "autograph the biscuit"
ANSWER = 3
"""The place of what answers the query."""


@dataclass(frozen=True)
class Words:
    """How this test speaks of commits."""

    describe: Callable[[int], str]
    quote: Callable[[int], str]


@pytest.fixture
def snapshot() -> Snapshot:
    return Snapshot(FILES)


@pytest.fixture
def ranking(snapshot: Snapshot) -> RerankInput:
    units = [[snapshot.unit(name)] for name in "uvwxyz"]
    files = [int(snapshot.code.unit_file[own[0]]) for own in units]
    return RerankInput(QUERY, np.array([2.0, 1.8, 1.6, 1.4, 1.2, 1.0]), np.ones(6), units, files)


def reranked(
    snapshot: Snapshot, ranking: RerankInput, models: Models | None, facts: StoreFacts, plan: RerankPlan
) -> Reranking:
    laps: list[str] = []
    plan = replace(plan, weights=LOUD)
    reranking = rerank(ranking, snapshot.corpus(models, facts, MESSAGES), plan, laps.append)
    assert sorted(reranking.order) == list(range(6))
    scores = reranking.scores(ranking.fused)
    for signal, part in reranking.parts.items():
        assert signal in (ENCODER, COMMITS, CODE) and (part >= 0).all()
    assert scores == pytest.approx(ranking.fused * reranking.fused_factor + sum(reranking.parts.values()))
    return reranking


LOUD = RerankWeights(encoder=1.5, commit=2.0, code=1.5)
"""So much that a model's word decides on six candidates."""
MESSAGES = ["Route requests", "Sign the cookie", "Parse the header"]


@pytest.mark.parametrize(
    "plan", [RerankPlan(encoder=6), RerankPlan(code=6), RerankPlan(encoder=6, code=6), RerankPlan(encoder=4)]
)
def test_what_answers_the_query_comes_first(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts, plan: RerankPlan
) -> None:
    reranking = reranked(snapshot, ranking, models, facts, plan)
    assert reranking.order[0] == ANSWER
    assert set(reranking.parts) == {name for name, deep in ((ENCODER, plan.encoder), (CODE, plan.code)) if deep}


def test_what_was_not_reached_stays_behind_in_its_former_order(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    for plan in (RerankPlan(encoder=2), RerankPlan(code=2)):
        reranking = reranked(snapshot, ranking, models, facts, plan)
        assert reranking.order[2:] == [2, 3, 4, 5]
    deep = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=2, code=6))
    assert deep.parts[ENCODER][ANSWER] == pytest.approx(0.5 * LOUD.encoder), "not encoded is average"
    assert "not read by the model" in deep.matches(ANSWER, 1, None)[ENCODER].text
    both = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=5, code=2))
    assert both.order[-1] == 5 and set(both.before) == set(both.order[:2])
    assert np.isnan(both.raw[ENCODER][5]) and both.parts[ENCODER][5] == 0


def test_no_time_leaves_everything_as_it_was(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    reranking = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=6, commits=3, code=6, budget_ms=0))
    assert reranking.order == [0, 1, 2, 3, 4, 5] and reranking.fused_factor == 1.0 and not reranking.parts


def test_without_models_everything_stays_as_it_was(snapshot: Snapshot, ranking: RerankInput, facts: StoreFacts) -> None:
    reranking = reranked(snapshot, ranking, None, facts, RerankPlan(encoder=6, commits=3, code=6))
    assert reranking.order == [0, 1, 2, 3, 4, 5] and np.array_equal(reranking.scores(ranking.fused), ranking.fused)


def test_a_query_without_words_is_not_judged(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    assert not reranked(snapshot, replace(ranking, query=""), models, facts, RerankPlan(encoder=6, code=6)).parts


def test_past_commits_speak_for_their_files(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    past = {ranking.files[0]: [0], ranking.files[4]: [1], ranking.files[5]: [2]}
    heard = replace(ranking, past=[0, 1, 2], behind=lambda file: past.get(file, []))
    plan = RerankPlan(commits=3)
    reranking = reranked(snapshot, heard, models, facts, plan)
    assert reranking.order[0] == 4 and reranking.commits[4] == 1
    assert reranking.parts[COMMITS][1] == 0, "no commit is no evidence"
    assert COMMITS not in reranked(snapshot, ranking, models, facts, plan).parts
    said = reranking.matches(4, 1, Words(lambda position: f"c{position}", lambda position: MESSAGES[position]))
    assert list(said) == [COMMITS] and list(reranking.values(4)) == [COMMITS]
    assert said[COMMITS].text.endswith("reads like this: Sign the cookie") and list(said[COMMITS].numbers) == ["c1"]


def test_a_test_stays_below_code_whatever_models_say(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    factors = np.where(np.arange(6) == ANSWER, 0.3, 1.0)
    cheap = replace(ranking, factors=factors, fused=ranking.fused * factors)
    plain, reranking = (
        reranked(snapshot, one, models, facts, RerankPlan(encoder=6, code=6)) for one in (ranking, cheap)
    )
    for signal in (ENCODER, CODE):
        assert reranking.parts[signal][ANSWER] == pytest.approx(0.3 * plain.parts[signal][ANSWER])
    assert reranking.order[0] != ANSWER


def test_what_cannot_be_read_is_taken_for_average(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    snapshot.gone = {"u.py"}
    reranking = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=6, code=6))
    assert reranking.parts[ENCODER][0] == pytest.approx(0.5 * LOUD.encoder)
    said = reranking.matches(0, 1, None)
    assert len(said) == 2 and all("counts as average" in match.text and not match.telling for match in said.values())


def test_reasons_say_what_models_said_and_how_the_code_reranker_moved_it(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts
) -> None:
    reranking = reranked(snapshot, ranking, models, facts, RerankPlan(code=6))
    ((signal, match),) = reranking.matches(ANSWER, 1, None).items()
    assert signal == CODE and reranking.values(ANSWER) == {CODE: reranking.parts[CODE][ANSWER]}
    assert match.telling and "finds it" in match.text and "relevant" in match.text
    assert match.numbers == {"logit": reranking.raw[CODE][ANSWER], "rank before": 4, "rank after": 1}
    last = reranking.matches(reranking.order[-1], 6, None)[CODE]
    assert not last.telling and "finds others more relevant" in last.text
    encoded = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=6)).matches(ANSWER, 1, None)[ENCODER]
    assert (
        encoded.text in ("among the closest in meaning", "closer in meaning than most")
        and 0 < encoded.numbers["cosine"] < 1
    )


def test_a_model_that_cannot_be_run_is_told_and_the_rest_goes_on(
    snapshot: Snapshot, ranking: RerankInput, models: Models, facts: StoreFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert models.encoder is not None

    def broken(text: str) -> None:
        raise ModelError("no memory")

    monkeypatch.setattr(models.encoder, "read_query", broken)
    reranking = reranked(snapshot, ranking, models, facts, RerankPlan(encoder=6, code=6))
    assert snapshot.problems == ["no memory"] and set(reranking.parts) == {CODE} and reranking.order[0] == ANSWER


def test_standing_is_a_z_score_between_0_and_1() -> None:
    assert clipped_z_scores(np.array([1.0, 2.0, 3.0])) == pytest.approx([0.2959, 0.5, 0.7041], abs=1e-4)
    assert clipped_z_scores(np.array([5.0])).tolist() == [0.5] and clipped_z_scores(np.zeros(0)).tolist() == []
    found = clipped_z_scores(np.array([0.0] * 50 + [1000.0, np.nan]))
    assert found[50] == 1.0 and np.isnan(found[51])
    assert np.isnan(clipped_z_scores(np.array([np.nan, np.nan]))).all()


def test_the_reader_of_neighbours_says_how_relevant_each_is(
    snapshot: Snapshot, models: Models, facts: StoreFacts
) -> None:
    read = relevance_scorer(QUERY, snapshot.corpus(models, facts))
    assert read is not None
    found = read([[snapshot.unit("u")], [snapshot.unit("x")], []])
    assert found[1] > 0.5 > found[0] and found[2] == 0.0
    assert relevance_scorer(QUERY, snapshot.corpus(None, facts)) is None
