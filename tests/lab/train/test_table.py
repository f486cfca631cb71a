"""The static table: bags of pieces, and what it learns from its teacher. Needs the extra `train`."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import make_pack, vocabulary
from trackdown.lab.train.batches import Data, Ragged
from trackdown.lab.train.hard_negatives import rank_negatives, vector_scores
from trackdown.lab.train.table import TablePlan, bag, first_table, judge_table, learn_table, vectors_of
from trackdown.lab.train.transformer import Bert, Shape


def test_a_piece_that_is_repeated_weighs_more_but_not_as_often() -> None:
    texts = Ragged.of(np.array([5, 7, 5, 5, 9, 5]), np.array([0, 5, 5, 6]), "cpu")
    ids, weight = bag(texts, torch.arange(3), 5)
    assert ids.tolist() == [[5, 7, 5, 5, 9], [0] * 5, [5, 0, 0, 0, 0]]
    each = (1 + math.log(3)) / 3
    assert weight[0].tolist() == pytest.approx([each, 1, each, each, 1])
    assert weight[1].tolist() == [0] * 5 and weight[2].tolist() == [1, 0, 0, 0, 0]
    table = torch.nn.Embedding.from_pretrained(torch.eye(10))
    found = vectors_of(table, texts, torch.arange(3), 5)
    assert found[0, 5] / found[0, 7] == pytest.approx(1 + math.log(3)) and found[1].norm() == 0


def test_a_table_learns_what_belongs_together() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = Data(make_pack(repositories=1, count=60), "cpu")
    model = Bert(Shape(len(vocabulary()), 32, 1, 1, 32, 32))
    start = first_table(model, 256, len(vocabulary()))
    assert start.shape == (len(vocabulary()), 32), "never wider than its teacher"
    assert start[50].norm() == pytest.approx(math.log(51) / math.log(len(vocabulary())), rel=1e-3)
    documents, queries = torch.rand(data.pack.documents, 8), torch.rand(2 * data.pack.examples, 8)
    negatives = rank_negatives(data, vector_scores(documents, queries), k=4).negatives
    plan = TablePlan(steps=60, batch=32, rate=3e-2, distilled=0.0)
    examples = torch.arange(data.pack.examples)
    table = learn_table(start, data, examples, negatives, (documents, queries), plan, log=lambda *_, **__: None)
    before = judge_table(torch.nn.Embedding.from_pretrained(start), data)
    assert judge_table(table, data) > max(0.9, before)
