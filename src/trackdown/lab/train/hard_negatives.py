"""Hard negatives of the same repository, by the words and by a model, and how well the answer ranks among them.

An answer's other versions, which share its key, are never negatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from trackdown.lab.train.batches import Data, encode_all
from trackdown.lab.train.transformer import Bert

Scores = Callable[[Tensor, Tensor], Tensor]
"""(rows of queries, numbers of documents of one repository) → scores [queries, documents]."""
_QUERIES_AT_ONCE = 512
_K1, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class RankedNegatives:
    """For each example the best wrong documents [examples, k], and the rank of the first right one (1 is best)."""

    negatives: Tensor
    rank: Tensor


def rank_negatives(
    data: Data, score: Callable[[Tensor], Scores], k: int = 16, below: float | None = None, message: bool = True
) -> RankedNegatives:
    """Search every repository for its examples. `score` prepares a repository's documents. Wrong documents that score
    more than `below` times the answer are left out: they are the likeliest to be right after all (NV-Retriever's rule).
    Where a repository has too few wrong documents they are repeated, and where it has none the next repository gives
    one.
    """
    examples = data.pack.examples
    negatives = torch.zeros((examples, k), dtype=torch.long, device=data.device)
    ranks = torch.zeros(examples, dtype=torch.long, device=data.device)
    for rows, documents in by_repository(data):
        scores_of = score(documents)
        for start in range(0, len(rows), _QUERIES_AT_ONCE):
            some = rows[start : start + _QUERIES_AT_ONCE]
            form = data.form(some, torch.full_like(some, message, dtype=torch.bool))
            scores = scores_of(form, documents)
            right = is_answer(data, some, documents)
            best = torch.where(right, scores, -torch.inf).amax(1, keepdim=True)
            wrong = torch.where(right, -torch.inf, scores)
            ranks[some] = 1 + (wrong > best).sum(1)
            if below is not None:
                wrong = torch.where(wrong > best * below, -torch.inf, wrong)
            elsewhere = (documents[-1] + 1) % data.pack.documents
            negatives[some] = _best(wrong, documents, k, elsewhere)
    return RankedNegatives(negatives, ranks)


def _best(scores: Tensor, documents: Tensor, k: int, elsewhere: Tensor) -> Tensor:
    """The k best documents of each row; a score of -inf is never taken."""
    best = scores.topk(min(k, len(documents)), dim=1)
    count = torch.isfinite(best.values).sum(1, keepdim=True)
    places = torch.arange(k, device=scores.device)[None] % count.clamp(min=1)
    found = documents[best.indices.gather(1, places)]
    return torch.where(count > 0, found, elsewhere)


def by_repository(data: Data) -> Iterator[tuple[Tensor, Tensor]]:
    """(examples, documents) of each repository."""
    for repository in range(len(data.pack.repositories)):
        rows = torch.nonzero(data.repository == repository).squeeze(1)
        documents = torch.nonzero(data.document_repository == repository).squeeze(1)
        if len(rows):
            yield rows, documents


def is_answer(data: Data, examples: Tensor, documents: Tensor) -> Tensor:
    """Whether a document is an answer of an example, or another version of one: [examples, documents]."""
    keys = data.key[documents]
    found = torch.zeros((len(examples), len(documents)), dtype=torch.bool, device=data.device)
    for column in data.answer_keys(examples).T:
        found |= column[:, None] == keys[None]
    return found


def bm25_scores(data: Data, documents: Tensor, vocabulary: int) -> Scores:
    """BM25 over the word pieces of a repository's documents, as one dense matrix."""
    ids, mask = data.documents.rows(documents, 192)
    counts = torch.zeros((len(documents), vocabulary), dtype=torch.float32, device=data.device)
    counts.scatter_add_(1, ids, mask.float())
    counts[:, 0] = 0
    length = mask.sum(1).float()
    held = (counts > 0).float().sum(0)
    inverse = torch.log1p((len(documents) - held + 0.5) / (held + 0.5))
    norm = _K1 * (1 - _B + _B * length / length.mean())
    weights = (counts * (_K1 + 1) / (counts + norm[:, None]) * inverse).to(_half(data.device))

    def score(forms: Tensor, _: Tensor) -> Tensor:
        query, present = data.queries.rows(forms, 256)
        bag = torch.zeros((len(forms), vocabulary), dtype=torch.float32, device=data.device)
        bag.scatter_add_(1, query, present.float())
        bag[:, 0] = 0
        return (bag.log1p().to(weights.dtype) @ weights.T).float()

    return score


def vector_scores(documents: Tensor, queries: Tensor) -> Callable[[Tensor], Scores]:
    """Cosines of vectors that were computed for all documents and all queries' forms."""

    def prepare(_: Tensor) -> Scores:
        return lambda forms, numbers: (queries[forms] @ documents[numbers].T).float()

    return prepare


def random_scores(data: Data, seed: int) -> Callable[[Tensor], Scores]:
    """Chance: documents of the repository in no order."""
    chance = torch.Generator(device=data.device).manual_seed(seed)

    def prepare(_: Tensor) -> Scores:
        return lambda forms, numbers: torch.rand((len(forms), len(numbers)), generator=chance, device=data.device)

    return prepare


@dataclass(frozen=True, slots=True)
class SearchedExamples:
    """What BM25, a model and chance bring for every example: wrong documents, and the better of the first two ranks.

    `documents` and `queries` are the model's vectors.
    """

    negatives: Tensor
    rank: Tensor
    documents: Tensor
    queries: Tensor


def search_with_bm25(data: Data, vocabulary: int, below: float, k: int = 12) -> RankedNegatives:
    """BM25's hard negatives, which stay the same while a model learns."""
    return rank_negatives(data, lambda documents: bm25_scores(data, documents, vocabulary), k, below)


def search_examples(
    model: Bert, data: Data, words: RankedNegatives, below: float, seed: int, k: int = 12
) -> SearchedExamples:
    """Search every repository with the model as it is; half as many wrong documents come by chance."""
    documents = encode_all(model, data.documents, torch.arange(data.pack.documents, device=data.device), 222)
    queries = encode_all(model, data.queries, torch.arange(2 * data.pack.examples, device=data.device), 510)
    found = rank_negatives(data, vector_scores(documents, queries), k, below)
    easy = rank_negatives(data, random_scores(data, seed), k // 2).negatives
    negatives = torch.cat([found.negatives, words.negatives, easy], dim=1)
    return SearchedExamples(negatives, torch.minimum(found.rank, words.rank), documents, queries)


def _half(device: str) -> torch.dtype:
    return torch.float32 if device == "cpu" else torch.bfloat16
