"""Hard negatives: the best wrong documents of the same repository, and never a version of an answer."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import CODE, documents, examples, make_pack, make_tokenizer, vocabulary
from trackdown.lab.train.batches import Data
from trackdown.lab.train.hard_negatives import bm25_scores, is_answer, rank_negatives, vector_scores
from trackdown.lab.train.pack import Packer


@pytest.fixture
def data() -> Data:
    return Data(make_pack(), "cpu")


def alike(data: Data) -> tuple[torch.Tensor, torch.Tensor]:
    """Vectors by which every document resembles every query, answers the most."""
    torch.manual_seed(0)
    return torch.rand(data.pack.documents, 8), torch.rand(2 * data.pack.examples, 8)


@pytest.mark.parametrize("skip", [0, 3])
def test_no_version_of_an_answer_is_a_negative(data: Data, skip: int) -> None:
    found = rank_negatives(data, vector_scores(*alike(data)), k=30, skip=skip)
    assert found.negatives.shape == (data.pack.examples, 30)
    for row in range(data.pack.examples):
        right = set(data.answer_keys(torch.tensor([row]))[0].tolist())
        assert not right & set(data.key[found.negatives[row]].tolist())
        assert set(data.document_repository[found.negatives[row]].tolist()) == {int(data.repository[row])}
        assert len(set(found.negatives[row].tolist())) == 2 * len(CODE) - 2 - skip, "each once before any again"


def test_the_best_come_first_and_the_answer_has_its_rank(data: Data) -> None:
    documents, queries = alike(data)
    found = rank_negatives(data, vector_scores(documents, queries), k=3)
    here = torch.nonzero(data.document_repository == 0).squeeze(1)
    scores = documents[here] @ queries[0]
    right = is_answer(data, torch.tensor([0]), here)[0]
    order = [int(number) for number in scores.argsort(descending=True) if not right[number]]
    assert found.negatives[0].tolist() == here[order[:3]].tolist()
    assert int(found.rank[0]) == 1 + int((scores[~right] > scores[right].max()).sum())
    assert (
        rank_negatives(data, vector_scores(documents, queries), k=3, skip=1).negatives[0].tolist()
        == here[order[1:4]].tolist()
    )


def test_a_repository_of_answers_alone_takes_what_another_has() -> None:
    packer = Packer(make_tokenizer())
    packer.add("one", documents()[:2], examples(1))
    packer.add("two", documents(), examples())
    data = Data(packer.pack(), "cpu")
    found = rank_negatives(data, vector_scores(*alike(data)), k=4, skip=1)
    assert int(found.rank[0]) == 1 and set(data.document_repository[found.negatives[0]].tolist()) == {1}


def test_bm25_finds_the_words_of_a_query() -> None:
    rows = [row | {"subject": f"{CODE[number]} again", "message": ""} for number, row in enumerate(examples(12))]
    packer = Packer(make_tokenizer())
    packer.add("a", documents(), rows)
    data = Data(packer.pack(), "cpu")
    found = rank_negatives(data, lambda numbers: bm25_scores(data, numbers, len(vocabulary())), k=2)
    assert found.rank.tolist() == [1] * 12
