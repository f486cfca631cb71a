"""Learning: the losses of all heads fall, rounded or not, and each loss is what it says. Needs the extra `train`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import make_pack, vocabulary
from trackdown.errors import UsageError
from trackdown.lab.train.batches import Data, encode_all, read_together
from trackdown.lab.train.hard_negatives import rank_negatives, vector_scores
from trackdown.lab.train.held_out import held_out
from trackdown.lab.train.learn import Lesson, learn, read_pairs
from trackdown.lab.train.pack import DOCSTRING
from trackdown.lab.train.training_plan import TrainingPlan, checked, plan_options
from trackdown.lab.train.transformer import Bert, Shape, max_similarity
from trackdown.models import LateQuery, unit_steps

SHAPE = Shape(vocabulary=len(vocabulary()), width=64, layers=1, heads=1, inner=64, positions=64)
SHORT = TrainingPlan(
    steps=60,
    batch=16,
    negatives=2,
    others=3,
    pairs=8,
    pair_negatives=2,
    last_negatives=3,
    rate=3e-3,
    dropout=0.0,
    left_out=0.0,
    late_temperature=0.1,
    query_tokens=16,
    document_tokens=16,
    pair_query_tokens=12,
    pair_tokens=32,
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def data() -> Data:
    return Data(make_pack(repositories=2, count=60), "cpu")


class Told(list[dict[str, Any]]):
    """What a log was told."""

    def __call__(self, what: str, **values: Any) -> None:
        self.append({"what": what, **values})

    def losses(self, name: str) -> tuple[float, float]:
        found = [row[name] for row in self if row["what"] == "step"]
        return found[0], found[-1]


def lesson_of(model: Bert, data: Data) -> Lesson:
    documents = encode_all(model, data.documents, torch.arange(data.pack.documents), 32)
    queries = encode_all(model, data.queries, torch.arange(2 * data.pack.examples), 32)
    negatives = rank_negatives(data, vector_scores(documents, queries), k=6).negatives
    return Lesson(torch.arange(data.pack.examples), torch.ones(data.pack.examples), negatives)


@pytest.mark.parametrize(("dropout", "rounding"), [(0.0, 2.0), (0.1, 0.3)])
def test_all_heads_learn_together(data: Data, dropout: float, rounding: float) -> None:
    model, told = Bert(SHAPE), Told()
    before = held_out(model, data, 16, 16)["commit MRR"]
    plan = replace(SHORT, dropout=dropout, left_out=dropout, rounding=rounding, last_phase=1.0)
    assert learn(model, data, lesson_of(model, data), plan, told, every=10) == 60
    for name in ("contrast", "late", "pairs"):
        first, later = told.losses(name)
        assert later < first * (1.0 if name == "pairs" else 0.8), name
    assert held_out(model, data, 16, 16)["commit MRR"] > max(0.9, before)
    assert model.knows_tokens and not model.late.rounding and not model.training and model.dropout.p == 0


def test_a_head_may_learn_alone(data: Data) -> None:
    told = Told()
    model = Bert(SHAPE)
    learn(model, data, lesson_of(model, data), replace(SHORT, batch=0, steps=3), told, every=1)
    assert told[0].keys() >= {"pairs", "step"} and "contrast" not in told[0]


def test_the_last_phase_searches_again_once_and_reads_more_negatives(data: Data) -> None:
    model = Bert(SHAPE)
    lesson = lesson_of(model, data)
    asked: list[bool] = []

    def search_again(current: Bert) -> Lesson:
        assert current is model
        asked.append(current.late.rounding)
        return lesson

    plan = replace(SHORT, steps=10, last_phase=0.5, rounding=0.2)
    learn(model, data, lesson, plan, Told(), search_again)
    assert asked == [True]
    never = replace(SHORT, steps=10, last_phase=1.0)
    learn(model, data, lesson, never, Told(), search_again)
    assert len(asked) == 1


def test_examples_come_by_their_weights(data: Data) -> None:
    every = torch.arange(data.pack.examples)
    weights = torch.where(data.kind == DOCSTRING, 0.0, 1.0)
    weights[0] = 50.0
    lesson = Lesson(every, weights, torch.zeros((len(every), 1), dtype=torch.long))
    drawn = lesson.sample(4000, torch.Generator().manual_seed(0))
    assert not bool((data.kind[drawn] == DOCSTRING).any())
    assert float((drawn == 0).float().mean()) == pytest.approx(float(50 / weights.sum()), abs=0.04)


def test_the_same_seed_gives_the_same_weights(data: Data) -> None:
    states = []
    for seed in (1, 1, 2):
        torch.manual_seed(0)
        model = Bert(SHAPE)
        plan = replace(SHORT, steps=4, seed=seed, dropout=0.1, left_out=0.1)
        learn(model, data, lesson_of(model, data), plan, Told())
        states.append(model.state_dict())
    assert all(torch.equal(value, states[1][name]) for name, value in states[0].items())
    assert not torch.equal(states[0]["words.weight"], states[2]["words.weight"])


def test_time_ends_training(data: Data) -> None:
    model = Bert(SHAPE)
    lesson = lesson_of(model, data)
    assert 0 < learn(model, data, lesson, replace(SHORT, steps=0, seconds=0.3), Told()) < 1000
    assert learn(model, data, lesson, replace(SHORT, steps=2, seconds=100.0), Told()) == 2


def test_scores_of_late_interaction_are_those_of_search(data: Data) -> None:
    model = Bert(SHAPE)
    torch.nn.init.normal_(model.importance.weight, std=0.1)
    with torch.no_grad():
        _, asked = read_together(model.read, data.queries, torch.tensor([1, 74]), 16)
        _, read = read_together(model.read, data.documents, torch.tensor([0, 5, 9]), 16)
        wanted = max_similarity(asked, read.expand(2, -1, -1, -1)).tolist()
    texts = [unit_steps(tokens[tokens.norm(dim=-1) > 0].numpy()) for tokens in read]
    for query, scores in zip(asked, wanted, strict=True):
        found = LateQuery(query[query.norm(dim=-1) > 0].numpy()).scores(texts)
        assert found == pytest.approx(scores, abs=0.01)


def test_pairs_of_different_lengths_are_scored_as_if_alone(data: Data) -> None:
    model = Bert(SHAPE).eval()
    documents = torch.arange(data.pack.documents)[:20].view(2, 10)
    forms = torch.tensor([3, 5]).repeat_interleave(10)
    with torch.no_grad():
        together = read_pairs(model, data, forms, documents, SHORT, parts=1)
        apart = [read_pairs(model, data, forms[n : n + 1], documents.flatten()[n].view(1, 1), SHORT) for n in range(20)]
    assert together.flatten().tolist() == pytest.approx([float(one) for one in apart], abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seconds": 0.0, "steps": 0}, "--seconds or --steps"),
        ({"steps": -3}, "--seconds or --steps"),
        ({"steps": 1, "rate": 0.0}, "--rate"),
        ({"steps": 1, "dropout": 1.0}, "--dropout"),
        ({"steps": 1, "left_out": -0.1}, "--left-out"),
        ({"steps": 1, "batch": 1}, "--batch"),
        ({"steps": 1, "batch": 0, "pairs": 0}, "--pairs"),
        ({"steps": 1, "negatives": 0}, "--negatives"),
    ],
)
def test_a_plan_that_cannot_be_trained_by_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked(replace(TrainingPlan(), **wrong))


def test_every_option_says_what_it_is_for() -> None:
    options = plan_options()
    assert {"--seconds", "--steps", "--rate", "--rounding", "--seed"} <= {option for option, *_ in options}
    assert all(said.endswith(".") for *_, said in options)
