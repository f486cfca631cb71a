"""Vectors for all documents or queries of a pack, with the model as it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
from torch import Tensor

from trackdown.lab.train.bert import Bert
from trackdown.lab.train.mpnet import Mpnet
from trackdown.lab.train.ragged import Ragged, single


def autocast(device: str) -> AbstractContextManager[None]:
    """bfloat16 on a GPU, nothing on a CPU."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")


@torch.no_grad()
def encode_all(model: Bert | Mpnet, texts: Ragged, rows: Tensor, longest: int, tokens_at_once: int = 0) -> Tensor:
    """A unit vector for each row, in half precision on a GPU; batches are sorted by length."""
    was_training = model.training
    model.eval()
    device = texts.flat.device.type
    tokens_at_once = tokens_at_once or (1 << 13 if device == "cpu" else 1 << 19)
    lengths = texts.lengths(rows).clamp(max=longest)
    order = torch.argsort(lengths)
    kind = torch.float32 if device == "cpu" else torch.bfloat16
    found = torch.zeros((len(rows), model.shape.width), dtype=kind, device=texts.flat.device)
    place = 0
    while place < len(order):
        guess = max(1, tokens_at_once // (int(lengths[order[min(place + 1, len(order) - 1)]]) + 2))
        end = min(len(order), place + guess)
        width = int(lengths[order[end - 1]]) or 1
        end = min(end, place + max(1, tokens_at_once // (width + 2)))
        some = order[place:end]
        ids, mask = single(texts, rows[some], width)
        with autocast(device):
            found[some] = model.embed(ids, mask).to(kind)
        place = end
    model.train(was_training)
    return found


def embedded(
    embed: Callable[[Tensor, Tensor], Tensor], texts: Ragged, rows: Tensor, longest: int, parts: int = 4
) -> Tensor:
    """A vector for each row of a batch. Rows of like length run together, so that less is padded."""
    lengths = texts.lengths(rows).clamp(max=longest)
    order = torch.argsort(lengths)
    found = []
    for part in order.chunk(parts if len(rows) >= 16 * parts else 1):
        width = int(lengths[part[-1]]) or 1
        found.append(embed(*single(texts, rows[part], width)))
    return torch.cat(found)[torch.argsort(order)]


__all__ = ["autocast", "embedded", "encode_all"]
