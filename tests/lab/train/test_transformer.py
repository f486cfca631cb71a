"""The transformer: padding and dropout change no answer, and a state is loaded with its heads. Needs `train`."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from trackdown.lab.train.transformer import Bert, Shape, from_checkpoint

SHAPE = Shape(vocabulary=400, width=64, layers=2, heads=1, inner=64, positions=64)
IDS = torch.tensor([[101, 5, 9, 7, 102]])


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


def test_padding_changes_nothing_and_order_counts() -> None:
    model = Bert(SHAPE).eval()
    padded = torch.cat([IDS, torch.zeros(1, 3, dtype=torch.long)], dim=1)
    alone = model.embed(IDS, torch.ones_like(IDS))
    assert torch.allclose(alone, model.embed(padded, (padded > 0).long()), atol=1e-5)
    assert not torch.allclose(alone, model.embed(IDS.flip(1), torch.ones_like(IDS)), atol=1e-3)


def test_dropout_works_in_training_alone() -> None:
    model = Bert(SHAPE)
    mask = torch.ones_like(IDS)
    asked = model.eval().embed(IDS, mask)
    model.drop_out(0.3)
    assert torch.equal(model.embed(IDS, mask), asked)
    model.train()
    assert not torch.allclose(model.embed(IDS, mask), model.embed(IDS, mask), atol=1e-3)
    model.drop_out(0.0)
    assert torch.equal(model.embed(IDS, mask), asked)


def test_a_state_of_ours_is_loaded_with_its_heads() -> None:
    model = Bert(Shape(30, 64, 3, 1, 64, 16))
    whole = from_checkpoint(model.state_dict())
    assert all(torch.equal(value, whole.state_dict()[name]) for name, value in model.state_dict().items())
    with pytest.raises(KeyError):
        from_checkpoint({"something.else": torch.zeros(2)})
