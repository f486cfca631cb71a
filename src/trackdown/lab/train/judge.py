"""How good is a model? The mean reciprocal rank of the answer among all documents of a held-out repository."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from trackdown.lab.train.batches import Data, autocast, encode_all, pair
from trackdown.lab.train.hard_negatives import rank_negatives, vector_scores
from trackdown.lab.train.learn import CommitPairs, commit_pairs
from trackdown.lab.train.pack import COMMIT, REWRITTEN, load_pack
from trackdown.lab.train.transformer import Bert, Mpnet


def held_out(
    model: Bert | Mpnet, data: Data, query_tokens: int = 128, document_tokens: int = 160, kind: int = COMMIT
) -> float:
    """MRR of commits' messages, or of examples of another kind, over the documents of their repositories."""
    every = torch.arange(data.pack.documents, device=data.device)
    forms = torch.arange(2 * data.pack.examples, device=data.device)
    documents = encode_all(model, data.documents, every, document_tokens)
    queries = encode_all(model, data.queries, forms, query_tokens)
    ranks = rank_negatives(data, vector_scores(documents, queries), k=1).rank
    return float((1.0 / ranks[data.kind == kind]).mean())


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


@dataclass(slots=True)
class HeldOutData:
    """What every model is judged by: held-out repositories, and pairs of their commits."""

    dev: Data
    past: CommitPairs | None = None

    def report(self, model: Bert | Mpnet, *, pairs: bool) -> dict[str, Any]:
        """MRR of messages and of issues over all documents and, with `pairs`, of past commits."""
        found: dict[str, Any] = {"dev MRR": round(held_out(model, self.dev), 4)}
        if bool((self.dev.kind == REWRITTEN).any()):
            found["issue MRR"] = round(held_out(model, self.dev, query_tokens=256, kind=REWRITTEN), 4)
        if pairs and self.past is not None and len(self.past.examples):
            found["commit MRR"] = round(commit_mrr(model, self.dev, self.past), 4)
        return found


def load_held_out(folder: Path, base: Bert, device: str) -> HeldOutData:
    """The held-out repositories, with the past commits that the base model finds similar."""
    dev = Data(load_pack(list(folder.glob("dev.xz*"))), device)
    forms = torch.arange(2 * dev.pack.examples, device=device)
    queries = encode_all(base, dev.queries, forms, 128)
    return HeldOutData(dev, commit_pairs(dev, queries, torch.arange(dev.pack.examples, device=device)))
