"""How good is a model? On held-out repositories: the mean reciprocal rank of the answer among all of a repository's
documents. On candidate lists that a search made: accuracy when a model's score is added to the search's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trackdown.lab.train.bert import Bert
from trackdown.lab.train.encode import autocast, encode_all
from trackdown.lab.train.learn import CommitPairs
from trackdown.lab.train.mpnet import Mpnet
from trackdown.lab.train.negatives import mine, vector_scores
from trackdown.lab.train.pack import COMMIT
from trackdown.lab.train.ragged import Data, Ragged, pair

_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


def held_out(
    model: Bert | Mpnet, data: Data, query_tokens: int = 128, document_tokens: int = 160, kind: int = COMMIT
) -> float:
    """MRR of commits' messages, or of examples of another kind, over the documents of their repositories."""
    every = torch.arange(data.pack.documents, device=data.device)
    forms = torch.arange(2 * data.pack.examples, device=data.device)
    documents = encode_all(model, data.documents, every, document_tokens)
    queries = encode_all(model, data.queries, forms, query_tokens)
    ranks = mine(data, vector_scores(documents, queries), k=1).rank
    return float((1.0 / ranks[data.kind == kind]).mean())


@dataclass(slots=True)
class Lists:
    """Queries with candidates that a search found, its scores, and which are right. Rows are padded to one length."""

    queries: Ragged
    documents: Ragged
    candidates: Tensor
    gold: Tensor
    gold_count: Tensor
    base: Tensor
    there: Tensor
    part: Tensor

    @staticmethod
    def load(path: Path, device: str) -> Lists:
        """Read lists from an .npz; `part` numbers the set that a query belongs to."""
        found = np.load(path)

        def tensor(name: str) -> Tensor:
            return torch.from_numpy(found[name]).to(device)

        return Lists(
            Ragged.of(found["query"], found["query_start"], device),
            Ragged.of(found["document"], found["document_start"], device),
            tensor("candidates").long(),
            tensor("gold").bool(),
            tensor("gold_count").long(),
            tensor("base").float(),
            tensor("there").bool(),
            tensor("part").long(),
        )


def cosines(model: Bert | Mpnet, lists: Lists, query_tokens: int = 256, document_tokens: int = 192) -> Tensor:
    """The encoder's score of every candidate."""
    device = lists.base.device
    documents = encode_all(model, lists.documents, torch.unique(lists.candidates), document_tokens)
    place = torch.zeros(int(lists.candidates.max()) + 1, dtype=torch.long, device=device)
    place[torch.unique(lists.candidates)] = torch.arange(len(documents), device=device)
    queries = encode_all(model, lists.queries, torch.arange(len(lists.base), device=device), query_tokens)
    return torch.einsum("qd,qcd->qc", queries.float(), documents[place[lists.candidates]].float())


@torch.no_grad()
def relevances(
    model: Bert | Mpnet, lists: Lists, depth: int = 100, query_tokens: int = 128, tokens: int = 320
) -> Tensor:
    """The cross-encoder's score of the first candidates; the rest get the lowest."""
    model.eval()
    device = lists.base.device
    found = torch.full_like(lists.base, -20.0)
    depth = min(depth, lists.base.shape[1])
    for row in range(len(lists.base)):
        numbers = lists.candidates[row, :depth]
        rows = torch.full_like(numbers, row)
        with autocast(device.type):
            scores = model.relevance(*pair(lists.queries, rows, lists.documents, numbers, query_tokens, tokens))
        found[row, :depth] = scores.float()
    return found


@torch.no_grad()
def commit_mrr(model: Bert | Mpnet, data: Data, pairs: CommitPairs, query_tokens: int = 96, tokens: int = 192) -> float:
    """MRR of the first past commit with shared files, among the past commits that resemble each query most."""
    model.eval()
    found = []
    for row in range(0, len(pairs.examples), 16):
        others = pairs.others[row : row + 16]
        every = torch.ones(others.numel(), dtype=torch.bool, device=others.device)
        forms = (2 * pairs.examples[row : row + 16]).repeat_interleave(others.shape[1])
        with autocast(data.device):
            ids = pair(data.queries, forms, data.queries, data.form(others.flatten(), every), query_tokens, tokens)
            scores = model.relevance(*ids).float().view(others.shape)
        order = scores.argsort(dim=1, descending=True)
        right = pairs.labels[row : row + 16].gather(1, order).float()
        found.append(1.0 / (1 + right.argmax(1)))
    return float(torch.cat(found).mean())


def scaled(scores: Tensor, there: Tensor) -> Tensor:
    """z-scores over each query's candidates."""
    count = there.sum(1, keepdim=True)
    mean = (scores * there).sum(1, keepdim=True) / count
    spread = (((scores - mean) ** 2 * there).sum(1, keepdim=True) / count).sqrt().clamp(min=1e-6)
    return (scores - mean) / spread


def measures(scores: Tensor, lists: Lists, rows: Tensor) -> dict[str, float]:
    """Accuracy (all gold within k) and MRR of an order of candidates."""
    order = torch.where(lists.there, scores, -torch.inf).argsort(dim=1, descending=True, stable=True)
    gold = lists.gold.gather(1, order)[rows]
    result = {}
    for k in (1, 5, 10, 20):
        result[f"Acc@{k}"] = float((gold[:, :k].sum(1) >= lists.gold_count[rows]).float().mean())
    first = torch.where(gold.any(1), 1.0 / (1 + gold.float().argmax(1)), 0.0)
    result["MRR"] = float(first.mean())
    return {name: round(value, 4) for name, value in result.items()}


def rerank_table(lists: Lists, scores: dict[str, Tensor], depth: int = 100) -> list[dict[str, Any]]:
    """For each of the sets and each of the scores: alone within the first `depth`, and added to the search's own."""
    first = torch.arange(lists.base.shape[1], device=lists.base.device)[None] < depth
    there = lists.there & first
    base = scaled(lists.base, there)
    table = []
    for part in torch.unique(lists.part).tolist():
        rows = torch.nonzero(lists.part == part).squeeze(1)
        for name, score in scores.items():
            extra = scaled(score, there)
            for weight in _WEIGHTS:
                total = torch.where(there, base + weight * extra, base - 1e3)
                table.append({"part": part, "score": name, "weight": weight, **measures(total, lists, rows)})
            alone = torch.where(there, extra, base - 1e3)
            table.append({"part": part, "score": name, "weight": "alone", **measures(alone, lists, rows)})
    return table


__all__ = ["Lists", "commit_mrr", "cosines", "held_out", "measures", "relevances", "rerank_table", "scaled"]
