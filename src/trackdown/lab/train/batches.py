"""Rows of token ids of different lengths on a device, padded batches of them, and their vectors."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trackdown.lab.train.array_files import Array
from trackdown.lab.train.pack import Pack
from trackdown.lab.train.transformer import Bert

CLS, SEP, PAD = 101, 102, 0
LeaveOut = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""(values, mask) of rows → the same without some of their tokens."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """Row r lies at `flat[start[r]:start[r + 1]]`."""

    flat: Tensor
    start: Tensor

    @staticmethod
    def of(flat: Array, start: Array, device: str) -> Ragged:
        values = torch.from_numpy(np.append(flat, 0).astype(np.int32)).to(device)
        return Ragged(values, torch.from_numpy(start.astype(np.int64)).to(device))

    def lengths(self, rows: Tensor) -> Tensor:
        return self.start[rows + 1] - self.start[rows]

    def rows(self, rows: Tensor, longest: int) -> tuple[Tensor, Tensor]:
        """(values, mask), each [rows, longest]; values beyond a row are 0."""
        places = torch.arange(longest, device=self.flat.device)
        mask = places[None] < self.lengths(rows)[:, None]
        index = torch.where(mask, self.start[rows][:, None] + places[None], len(self.flat) - 1)
        return self.flat[index].long() * mask, mask

    def pick(self, rows: Tensor, generator: torch.Generator) -> Tensor:
        """One value of each row at random; 0 for an empty one."""
        count = self.lengths(rows)
        chance = torch.rand(len(rows), generator=generator, device=self.flat.device)
        place = (chance * count).long().clamp(max=(count - 1).clamp(min=0))
        return self.flat[torch.where(count > 0, self.start[rows] + place, len(self.flat) - 1)].long()


def thinned(values: Tensor, mask: Tensor, share: float, chance: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows with a share of their tokens left out; what is left moves up."""
    kept = mask & (torch.rand(mask.shape, generator=chance, device=mask.device) >= share)
    order = torch.argsort((~kept).to(torch.int8), dim=1, stable=True)
    kept = kept.gather(1, order)
    return values.gather(1, order) * kept, kept


def single(texts: Ragged, rows: Tensor, longest: int, leave_out: LeaveOut | None = None) -> tuple[Tensor, Tensor]:
    """(ids, mask) of [CLS] text [SEP]."""
    found = texts.rows(rows, longest)
    return _framed([leave_out(*found) if leave_out else found])[:2]


def pair(
    first: Ragged,
    first_rows: Tensor,
    second: Ragged,
    second_rows: Tensor,
    first_longest: int,
    longest: int,
    leave_out: LeaveOut | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """(ids, mask, types) of [CLS] first [SEP] second [SEP], the second cut so that all of it has room."""
    parts = [first.rows(first_rows, first_longest), second.rows(second_rows, longest)]
    return _framed([leave_out(*part) for part in parts] if leave_out else parts, longest)


def _framed(parts: list[tuple[Tensor, Tensor]], longest: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """(ids, mask, types) of [CLS] before the first and [SEP] behind each, without gaps between them."""
    rows, device = parts[0][0].shape[0], parts[0][0].device
    width = longest or 2 + parts[0][0].shape[1]
    ids = torch.full((rows, width + 1), PAD, dtype=torch.long, device=device)
    types = torch.zeros((rows, width + 1), dtype=torch.long, device=device)
    ids[:, 0] = CLS
    end = torch.ones(rows, dtype=torch.long, device=device)
    for kind, (values, mask) in enumerate(parts):
        count = mask.sum(1).clamp(max=width - 1 - end)
        places = torch.arange(values.shape[1], device=device)[None]
        target = torch.where(places < count[:, None], end[:, None] + places, width)
        ids.scatter_(1, target, torch.where(target < width, values, PAD))
        types.scatter_(1, target, kind)
        end = end + count
        ids[torch.arange(rows, device=device), end] = SEP
        types[torch.arange(rows, device=device), end] = kind
        end = end + 1
    ids, types = ids[:, :width], types[:, :width]
    mask = torch.arange(width, device=device)[None] < end[:, None]
    return ids * mask, mask, types * mask


class Data:
    """A pack on a device."""

    def __init__(self, pack: Pack, device: str) -> None:
        self.pack = pack
        self.device = device
        self.documents = Ragged.of(pack.document, pack.document_start, device)
        self.queries = Ragged.of(pack.query, pack.query_start, device)
        self.answers = Ragged.of(pack.answer, pack.answer_start, device)
        self.key = torch.from_numpy(pack.document_key.astype(np.int64)).to(device)
        self.kind = torch.from_numpy(pack.example_kind.astype(np.int64)).to(device)
        self.repository = torch.from_numpy(pack.example_repository.astype(np.int64)).to(device)
        self.document_repository = torch.from_numpy(pack.document_repository.astype(np.int64)).to(device)

    def answer_keys(self, examples: Tensor, most: int = 8) -> Tensor:
        """The keys of the answers of examples, [examples, most]; -1 where there are fewer."""
        numbers, mask = self.answers.rows(examples, most)
        return torch.where(mask, self.key[numbers], -1)

    def form(self, examples: Tensor, message: Tensor) -> Tensor:
        """The rows of queries: the message where asked for and there, else the subject."""
        rows = 2 * examples + 1
        there = self.queries.lengths(rows) > 0
        return torch.where(message & there, rows, 2 * examples)


def autocast(device: str) -> AbstractContextManager[None]:
    """bfloat16 on a GPU, nothing on a CPU."""
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")


@torch.no_grad()
def encode_all(model: Bert, texts: Ragged, rows: Tensor, longest: int, tokens_at_once: int = 0) -> Tensor:
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


def read_together(
    read: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    texts: Ragged,
    rows: Tensor,
    longest: int,
    parts: int = 4,
    leave_out: LeaveOut | None = None,
) -> tuple[Tensor, Tensor]:
    """A vector for each row of a batch and those of its tokens, padded to the longest with 0.

    Rows of like length run together, so that less is padded.
    """
    lengths = texts.lengths(rows).clamp(max=longest)
    order = torch.argsort(lengths)
    most = int(lengths.max()) + 2
    vectors, tokens = [], []
    for part in order.chunk(parts if len(rows) >= 16 * parts else 1):
        vector, found = read(*single(texts, rows[part], int(lengths[part[-1]]) or 1, leave_out))
        vectors.append(vector)
        tokens.append(torch.nn.functional.pad(found, (0, 0, 0, most - found.shape[1])))
    back = torch.argsort(order)
    return torch.cat(vectors)[back], torch.cat(tokens)[back]
