"""Learning: losses fall, the best judged state stays, and each loss is what it says. Needs the extra `train`."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import make_pack, vocabulary
from trackdown.lab.train.batches import Data, encode_all, read_together
from trackdown.lab.train.hard_negatives import rank_negatives, vector_scores
from trackdown.lab.train.judge import commit_mrr, held_out
from trackdown.lab.train.learn import CommitPairs, RelevanceLoss, TrainingPlan, commit_pairs, learn, relevance_loss
from trackdown.lab.train.pack import DOCSTRING
from trackdown.lab.train.transformer import Bert, Shape, from_checkpoint, max_similarity
from trackdown.models import LateQuery, unit_steps

SHAPE = Shape(vocabulary=len(vocabulary()), width=64, layers=1, heads=1, inner=64, positions=64)
SHORT = TrainingPlan(
    steps=51, batch=16, hard=1, rate=3e-3, query_tokens=16, document_tokens=16, pair_query_tokens=12, pair_tokens=32
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def data() -> Data:
    return Data(make_pack(repositories=2, count=60), "cpu")


def negatives_of(model: Bert, data: Data) -> torch.Tensor:
    documents, queries = vectors(model, data)
    return rank_negatives(data, vector_scores(documents, queries), k=4).negatives


def vectors(model: Bert, data: Data) -> tuple[torch.Tensor, torch.Tensor]:
    documents = encode_all(model, data.documents, torch.arange(data.pack.documents), 32)
    return documents, encode_all(model, data.queries, torch.arange(2 * data.pack.examples), 32)


def losses(lines: list[str], name: str) -> list[float]:
    return [float(found[1]) for line in lines if (found := re.search(rf"{name} ([\d.]+)", line))]


def test_vectors_find_their_answers(data: Data) -> None:
    model, lines = Bert(SHAPE), list[str]()
    before = held_out(model, data)
    hard = negatives_of(model, data)
    learn(model, data, torch.arange(data.pack.examples), hard, SHORT, log=lines.append)
    first, later = losses(lines, "contrast")
    assert later < first / 2 and held_out(model, data) > max(0.9, before)
    assert not model.training


def test_tokens_learn_late_interaction_rounded_to_int8(data: Data) -> None:
    model, lines = Bert(SHAPE), list[str]()
    plan = replace(SHORT, late=3, late_temperature=0.1, rounding=0.5)
    learn(model, data, torch.arange(data.pack.examples), negatives_of(model, data), plan, log=lines.append)
    for name in ("contrast", "late"):
        first, later = losses(lines, name)
        assert later < first / 2, name
    assert model.knows_tokens and not model.late.rounding


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


@pytest.mark.parametrize("kind", ["bce", "mse", "listwise"])
def test_relevance_learns_code_and_commits(data: Data, kind: RelevanceLoss) -> None:
    model, lines = Bert(SHAPE), list[str]()
    past = commit_pairs(data, vectors(model, data)[1], torch.arange(data.pack.examples), k=6)
    plan = replace(SHORT, batch=0, pairs=8, commits=8, relevance=kind)
    before = commit_mrr(model, data, past, 12, 32)
    learn(model, data, torch.arange(data.pack.examples), negatives_of(model, data), plan, past, log=lines.append)
    for name in ("pairs", "commits"):
        first, later = losses(lines, name)
        assert later < first, name
    assert 0 < before <= 1 and 0 < commit_mrr(model, data, past, 12, 32) <= 1


def test_the_best_judged_state_stays(data: Data) -> None:
    model, lines = Bert(SHAPE), list[str]()
    scores = iter([0.4, 0.9, 0.1, 0.2])
    seen = []

    def judge(judged: Bert) -> float:
        seen.append({name: value.clone() for name, value in judged.state_dict().items()})
        return next(scores)

    plan = TrainingPlan(steps=6, batch=4, hard=0, query_tokens=8, document_tokens=8, judge_every=2)
    assert learn(model, data, torch.arange(8), None, plan, judge=judge, log=lines.append) == 0.9
    assert len(seen) == 4 and not torch.equal(seen[1]["words.weight"], seen[3]["words.weight"])
    assert all(torch.equal(value, seen[1][name]) for name, value in model.state_dict().items())


def test_time_ends_training(data: Data) -> None:
    lines: list[str] = []
    plan = replace(SHORT, steps=10**6, batch=2, hard=0, seconds=0.3)
    learn(Bert(SHAPE), data, torch.arange(8), None, plan, log=lines.append)
    assert len(lines) < 100


def test_what_the_losses_are() -> None:
    scores, labels = torch.tensor([[2.0, -1.0]]), torch.tensor([[1.0, 0.0]])
    sigmoid = torch.sigmoid(scores)[0]
    assert float(relevance_loss(scores, labels, "listwise")) == pytest.approx(math.log(1 + math.exp(-3)))
    assert float(relevance_loss(scores, labels, "mse")) == pytest.approx(
        float(((1 - sigmoid[0]) ** 2 + sigmoid[1] ** 2) / 2)
    )
    assert float(relevance_loss(scores, labels, "bce")) == pytest.approx(
        float(-(sigmoid[0].log() + (1 - sigmoid[1]).log()) / 2)
    )


def test_past_commits_are_older_and_right_by_shared_files(data: Data) -> None:
    found = commit_pairs(data, vectors(Bert(SHAPE), data)[1], torch.arange(data.pack.examples), k=6)
    starts, paths = data.pack.path_start, data.pack.path

    def files(example: int) -> list[str]:
        return [str(path) for path in paths[starts[example] : starts[example + 1]]]

    assert len(found.examples) > 20 and bool(found.labels.any(1).all())
    for example, others, labels in zip(found.examples.tolist(), found.others, found.labels, strict=True):
        assert bool((data.time[others] < data.time[example]).all())
        assert bool((data.repository[others] == data.repository[example]).all())
        assert not bool((data.kind[others] == DOCSTRING).any())
        assert labels.tolist() == [bool(set(files(example)) & set(files(other))) for other in others.tolist()]


def test_few_commits_have_no_past(data: Data) -> None:
    found = commit_pairs(data, torch.zeros(2 * data.pack.examples, 4), torch.arange(5))
    assert isinstance(found, CommitPairs) and len(found.examples) == len(found.others) == len(found.labels) == 0


def test_a_state_of_ours_is_loaded_with_its_head_and_fewer_layers() -> None:
    model = Bert(Shape(30, 64, 3, 1, 64, 16))
    whole, short = from_checkpoint(model.state_dict()), from_checkpoint(model.state_dict(), 2)
    assert all(torch.equal(value, whole.state_dict()[name]) for name, value in model.state_dict().items())
    assert len(short.layers) == 2 and torch.equal(short.layers[1].query.weight, model.layers[2].query.weight)
    assert len(from_checkpoint(model.state_dict(), 6).layers) == 3
    with pytest.raises(KeyError):
        from_checkpoint({"something.else": torch.zeros(2)})
