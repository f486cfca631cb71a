"""How good is one vector? The mean reciprocal rank of the answer among all documents of a held-out repository."""

from __future__ import annotations

import torch

from trackdown.lab.train.batches import Data, encode_all
from trackdown.lab.train.hard_negatives import rank_negatives, vector_scores
from trackdown.lab.train.pack import COMMIT, ISSUE
from trackdown.lab.train.transformer import Bert


def held_out(model: Bert, data: Data, query_tokens: int = 510, document_tokens: int = 222) -> dict[str, float]:
    """MRR of commits' messages and of issues over the documents of their repositories; of a kind that there is."""
    every = torch.arange(data.pack.documents, device=data.device)
    forms = torch.arange(2 * data.pack.examples, device=data.device)
    documents = encode_all(model, data.documents, every, document_tokens)
    queries = encode_all(model, data.queries, forms, query_tokens)
    ranks = rank_negatives(data, vector_scores(documents, queries), k=1).rank
    kinds = (("commit MRR", COMMIT), ("issue MRR", ISSUE))
    there = ((name, data.kind == kind) for name, kind in kinds)
    return {name: round(float((1.0 / ranks[rows]).mean()), 4) for name, rows in there if bool(rows.any())}
