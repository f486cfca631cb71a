"""The teacher: distances in buckets, our ids under its numbers, and a student that comes to see what it sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from tests.lab.train.made_packs import make_pack
from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.batches import Data
from trackdown.lab.train.learn import TrainingPlan, learn
from trackdown.lab.train.training_state import load_state, save_state
from trackdown.lab.train.transformer import Bert, Mpnet, Shape, bucket, teacher, teacher_state

SHAPE = Shape(vocabulary=400, width=32, layers=2, heads=2, inner=64, positions=64)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


def test_near_distances_have_buckets_of_their_own_and_far_ones_share() -> None:
    distances = torch.arange(-300, 301)
    found = bucket(distances).tolist()
    by_distance = dict(zip(distances.tolist(), found, strict=True))
    assert [by_distance[d] for d in range(8)] == [0, *range(17, 24)]
    assert [by_distance[-d] for d in range(8)] == list(range(8))
    assert by_distance[300] == 31 and by_distance[-300] == 15
    sides = [by_distance[d] for d in range(1, 301)], [by_distance[-d] for d in range(1, 301)]
    assert sides[0] == sorted(sides[0]) and sides[1] == sorted(sides[1])


def test_padding_changes_nothing() -> None:
    model = Mpnet(SHAPE, torch.arange(400)).eval()
    ids = torch.tensor([[1, 5, 9, 2]])
    padded = torch.tensor([[1, 5, 9, 2, 0, 0, 0]])
    alone = model.embed(ids, torch.ones_like(ids))
    assert torch.allclose(alone, model.embed(padded, (padded > 0).long()), atol=1e-5)
    assert not torch.allclose(alone, model.embed(ids.flip(1), torch.ones_like(ids)), atol=1e-3)  # order counts


def make_both() -> tuple[Data, Mpnet, Bert]:
    """Something to read, a teacher and a student."""
    data = Data(make_pack(repositories=2, count=60), "cpu")
    words = max(int(data.documents.flat.max()), int(data.queries.flat.max()), 102) + 1
    shape = Shape(vocabulary=words, width=32, layers=1, heads=2, inner=64, positions=64)
    return data, Mpnet(shape, torch.arange(words)).eval(), Bert(shape)


def test_a_student_comes_to_find_relevant_what_its_reader_does() -> None:
    data, reader, student = make_both()
    torch.nn.init.normal_(reader.relevance_head.weight, std=3.0)  # an opinion that can be told from none
    plan = TrainingPlan(
        steps=151,
        batch=0,
        pairs=24,
        hard_pairs=4,
        rate=5e-3,
        relevance="listwise",
        pair_query_tokens=12,
        pair_tokens=32,
        taught=1.0,
    )
    negatives = torch.randint(data.pack.documents, (data.pack.examples, 6))
    lines: list[str] = []
    learn(student, data, torch.arange(data.pack.examples), negatives, plan, log=lines.append, reader=reader)
    first, last = (float(line.rsplit(" ", 1)[1]) for line in (lines[0], lines[-1]))
    assert last < first / 2


def test_a_student_comes_to_see_what_its_teacher_sees() -> None:
    data, tutor, student = make_both()
    plan = TrainingPlan(
        steps=60, batch=16, hard=0, rate=3e-3, query_tokens=16, document_tokens=16, temperature=0.3, taught=1.0
    )
    lines: list[str] = []
    learn(student, data, torch.arange(data.pack.examples), None, plan, log=lines.append, teacher=tutor)
    first, last = (float(line.rsplit(" ", 1)[1]) for line in (lines[0], lines[1]))
    assert last < first / 2


def test_a_state_keeps_its_ids_whole(tmp_path: Path) -> None:
    model = Mpnet(SHAPE, torch.arange(30_000, 30_400) % 400)
    save_state(model.state_dict(), tmp_path, "teacher")
    again = teacher(load_state(tmp_path, "teacher"))
    assert torch.equal(again.ids, model.ids) and again.shape == model.shape


def test_folders_of_something_else_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    ours = tmp_path / "ours.json"
    ours.write_text(json.dumps({"model": {"vocab": {"[PAD]": 0, "red": 1}}}))
    with pytest.raises(ModelError, match="no readable MPNet"):
        teacher_state(tmp_path, ours)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"<pad>": 1, "<unk>": 3, "red": 7}}}))
    save_file({"embeddings.word_embeddings.weight": torch.zeros(8, 4)}, tmp_path / "model.safetensors")
    with pytest.raises(UsageError, match="has no MPNet"):
        teacher_state(tmp_path, ours)
    save_file({"encoder.relative_attention_bias.weight": torch.zeros(32, 2)}, tmp_path / "model.safetensors")
    assert teacher_state(tmp_path, ours)["ids"].tolist() == [1, 7]
