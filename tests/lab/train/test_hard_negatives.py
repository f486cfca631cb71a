"""Hard negatives: the best wrong documents of the same repository, and never a version of an answer."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import CODE, documents, examples, make_pack, make_tokenizer, vocabulary
from trackdown.lab.train.batches import Data
from trackdown.lab.train.hard_negatives import (
    bm25_scores,
    is_answer,
    random_scores,
    rank_negatives,
    search_examples,
    search_with_bm25,
    vector_scores,
)
from trackdown.lab.train.packing import Packer
from trackdown.lab.train.transformer import Bert, Shape


@pytest.fixture
def data() -> Data:
    return Data(make_pack(), "cpu")


def alike(data: Data) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors by which every document resembles every query, answers the most."""
    torch.manual_seed(0)
    return torch.rand(data.pack.documents, 8), torch.rand(2 * data.pack.examples, 8)


def test_no_version_of_an_answer_is_a_negative(data: Data) -> None:
    found = rank_negatives(data, vector_scores(*alike(data)), k=30)
    assert found.negatives.shape == (data.pack.examples, 30)
    for row in range(data.pack.examples):
        right = set(data.answer_keys(torch.tensor([row]))[0].tolist())
        assert not right & set(data.key[found.negatives[row]].tolist())
        assert set(data.document_repository[found.negatives[row]].tolist()) == {int(data.repository[row])}
        assert len(set(found.negatives[row].tolist())) == 2 * len(CODE) - 2, "each once before any again"


def test_the_best_come_first_and_the_answer_has_its_rank(data: Data) -> None:
    documents, queries = alike(data)
    found = rank_negatives(data, vector_scores(documents, queries), k=3)
    here = torch.nonzero(data.document_repository == 0).squeeze(1)
    scores = documents[here] @ queries[0]
    right = is_answer(data, torch.tensor([0]), here)[0]
    order = [int(number) for number in scores.argsort(descending=True) if not right[number]]
    assert found.negatives[0].tolist() == here[order[:3]].tolist()
    assert int(found.rank[0]) == 1 + int((scores[~right] > scores[right].max()).sum())


def test_what_scores_nearly_as_well_as_the_answer_is_no_negative(data: Data) -> None:
    documents, queries = alike(data)
    plain = rank_negatives(data, vector_scores(documents, queries), k=3)
    found = rank_negatives(data, vector_scores(documents, queries), k=3, below=0.95)
    assert torch.equal(plain.rank, found.rank), "the filter sees the true rank"
    here = torch.nonzero(data.document_repository == 0).squeeze(1)
    for row in range(36):
        form = int(data.form(torch.tensor([row]), torch.tensor([True])))
        scores = dict(zip(here.tolist(), (documents[here] @ queries[form]).tolist(), strict=True))
        right = is_answer(data, torch.tensor([row]), here)[0]
        best = max(scores[number] for number in here[right].tolist())
        allowed = [number for number in here[~right].tolist() if scores[number] <= 0.95 * best]
        repositories = set(data.document_repository[found.negatives[row]].tolist())
        assert set(found.negatives[row].tolist()) <= set(allowed) if allowed else repositories == {1}
    assert not torch.equal(plain.negatives, found.negatives)


def test_negatives_come_from_words_a_model_and_chance(data: Data) -> None:
    model = Bert(Shape(len(vocabulary()), 64, 1, 1, 64, 512)).eval()
    words = search_with_bm25(data, len(vocabulary()), 0.95, k=4)
    found = search_examples(model, data, words, 0.95, seed=0, k=4)
    again = search_examples(model, data, words, 0.95, seed=0, k=4)
    assert found.negatives.shape == (data.pack.examples, 4 + 4 + 2)
    assert torch.equal(found.negatives[:, 4:8], words.negatives) and torch.equal(found.negatives, again.negatives)
    assert bool((found.rank <= words.rank).all())
    easy = rank_negatives(data, random_scores(data, 0), 2)
    for row in range(data.pack.examples):
        right = set(data.answer_keys(torch.tensor([row]))[0].tolist())
        assert not right & set(data.key[easy.negatives[row]].tolist())


def test_a_repository_of_answers_alone_takes_what_another_has() -> None:
    packer = Packer(make_tokenizer())
    packer.add("one", documents()[:2], examples(1))
    packer.add("two", documents(), examples())
    data = Data(packer.pack(), "cpu")
    found = rank_negatives(data, vector_scores(*alike(data)), k=4)
    assert int(found.rank[0]) == 1 and set(data.document_repository[found.negatives[0]].tolist()) == {1}


def test_bm25_finds_the_words_of_a_query() -> None:
    rows = [row | {"subject": f"{CODE[number]} again", "message": ""} for number, row in enumerate(examples(12))]
    packer = Packer(make_tokenizer())
    packer.add("a", documents(), rows)
    data = Data(packer.pack(), "cpu")
    found = rank_negatives(data, lambda numbers: bm25_scores(data, numbers, len(vocabulary())), k=2)
    assert found.rank.tolist() == [1] * 12
