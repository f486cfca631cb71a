"""The static table: one vector for each word piece; a text is the sum of its pieces'. Distilled from the encoder.

It starts as what the encoder says of each piece alone, reduced by PCA (as Model2Vec does), and then learns from the
same examples: InfoNCE over large batches, and the encoder's own cosines as soft targets. A piece's weight is the length
of its vector.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from trackdown.lab.train.batches import CLS, SEP, Data, Ragged, autocast
from trackdown.lab.train.hard_negatives import is_answer, rank_negatives, vector_scores
from trackdown.lab.train.pack import COMMIT
from trackdown.lab.train.transformer import Bert


@dataclass(frozen=True, slots=True)
class TablePlan:
    """How to train a table."""

    dimensions: int = 256
    steps: int = 1500
    batch: int = 4096
    hard: int = 1
    rate: float = 3e-3
    temperature: float = 0.05
    distilled: float = 1.0
    messages: float = 0.6
    seed: int = 0
    seconds: float = math.inf


@torch.no_grad()
def first_table(model: Bert, dimensions: int, vocabulary: int) -> Tensor:
    """What the encoder makes of each piece alone, its principal components, and less weight for frequent pieces."""
    device = next(model.parameters()).device
    found = []
    for start in range(0, vocabulary, 4096):
        ids = torch.arange(start, min(start + 4096, vocabulary), device=device)
        framed = torch.stack([torch.full_like(ids, CLS), ids, torch.full_like(ids, SEP)], dim=1)
        with autocast(device.type):
            found.append(model.hidden(framed, torch.ones_like(framed))[:, 1].float())
    vectors = torch.cat(found)
    dimensions = min(dimensions, *vectors.shape)
    vectors = vectors - vectors.mean(0)
    _, _, components = torch.pca_lowrank(vectors, q=dimensions, center=False, niter=4)
    table = f.normalize(vectors @ components, dim=-1)
    rank = torch.arange(vocabulary, device=device, dtype=torch.float32)
    return table * torch.log1p(rank)[:, None] / math.log(vocabulary)  # the vocabulary is sorted by frequency


def bag(texts: Ragged, rows: Tensor, longest: int) -> tuple[Tensor, Tensor]:
    """(pieces, weights): of c occurrences of a piece in a text each weighs (1 + log c) / c."""
    ids, mask = texts.rows(rows, longest)
    ordered, place = torch.sort(torch.where(mask, ids, 1 << 20), dim=1)
    starts = torch.ones_like(ordered, dtype=torch.bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = starts.long().cumsum(1) - 1
    count = torch.zeros_like(ordered).scatter_add_(1, run, torch.ones_like(ordered)).gather(1, run).float()
    weight = torch.zeros_like(count).scatter_(1, place, (1 + count.log()) / count)
    return ids, weight * mask


def vectors_of(table: nn.Embedding, texts: Ragged, rows: Tensor, longest: int) -> Tensor:
    """Unit vectors of texts."""
    ids, weight = bag(texts, rows, longest)
    return f.normalize(torch.einsum("rl,rld->rd", weight, table(ids)), dim=-1, eps=1e-6)


def judge_table(table: nn.Embedding, data: Data) -> float:
    """MRR of commits' messages over the documents of their repositories."""
    with torch.no_grad():
        documents = _all(table, data.documents, data.pack.documents, 192)
        queries = _all(table, data.queries, 2 * data.pack.examples, 256)
    ranks = rank_negatives(data, vector_scores(documents, queries), k=1).rank
    return float((1.0 / ranks[data.kind == COMMIT]).mean())


def _all(table: nn.Embedding, texts: Ragged, count: int, longest: int) -> Tensor:
    rows = torch.arange(count, device=texts.flat.device)
    return torch.cat([vectors_of(table, texts, rows[start : start + 8192], longest) for start in range(0, count, 8192)])


def learn_table(
    start: Tensor,
    data: Data,
    examples: Tensor,
    negatives: Tensor,
    teacher: tuple[Tensor, Tensor],
    plan: TablePlan,
    log: Callable[..., None],
) -> nn.Embedding:
    """Train a table. `teacher` are the encoder's vectors of all documents and of all queries' forms."""
    table = nn.Embedding.from_pretrained(start.clone(), freeze=False)
    optimizer = torch.optim.Adam(table.parameters(), lr=plan.rate)
    chance = torch.Generator(device=data.device).manual_seed(plan.seed)
    documents, queries = teacher
    began = time.monotonic()
    for step in range(plan.steps):
        progress = max(step / plan.steps, (time.monotonic() - began) / plan.seconds)
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * (1 - progress)
        some = examples[torch.randint(len(examples), (plan.batch,), generator=chance, device=data.device)]
        message = torch.rand(len(some), generator=chance, device=data.device) < plan.messages
        forms = data.form(some, message)
        numbers = [data.answers.pick(some, chance)]
        for _ in range(plan.hard):
            column = torch.randint(negatives.shape[1], (len(some),), generator=chance, device=data.device)
            numbers.append(negatives[some, column])
        right = torch.cat(numbers)
        ours = vectors_of(table, data.queries, forms, 256) @ vectors_of(table, data.documents, right, 192).T
        also = is_answer(data, some, right)
        target = torch.arange(len(some), device=data.device)
        also[target, target] = False
        loss = f.cross_entropy((ours / plan.temperature).masked_fill(also, -1e4), target)
        if plan.distilled:
            theirs = (queries[forms] @ documents[right].T).float()
            soft = f.softmax(theirs / plan.temperature, dim=1)
            loss = loss - plan.distilled * (soft * f.log_softmax(ours / plan.temperature, dim=1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 250 == 0:
            log("table step", step=step, loss=round(float(loss.detach()), 4))
    return table
