"""One transformer, two things to learn: vectors that lie near their answers (CasCode's fast encoder, InfoNCE with
in-batch and hard negatives), and the relevance of a pair read together (its slow classifier). Both at once is their
`shared` model, one at a time their `separate` ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional as f

from trackdown.lab.train.batches import Data, Ragged, autocast, embedded, pair, read_together
from trackdown.lab.train.hard_negatives import is_answer
from trackdown.lab.train.pack import COMMIT, DOCSTRING
from trackdown.lab.train.transformer import Bert, Mpnet, max_similarity

RelevanceLoss = Literal["bce", "mse", "listwise"]


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How to train. A batch of 0 leaves that task out; `pairs` and `commits` count queries of which each brings one
    right and `hard_pairs` wrong partners. `taught` is the part of the losses that teachers have: to see the documents
    of a batch as near to each query as one does, and a query's partners as relevant as the other. `late` is the number
    of other queries' documents that late interaction tells an answer from, beside its hard negatives; 0 leaves it out.
    From `rounding`, a share of the way, the model computes in int8.
    """

    steps: int = 1000
    batch: int = 1024
    hard: int = 2
    pairs: int = 0
    hard_pairs: int = 3
    commits: int = 0
    relevance: RelevanceLoss = "bce"
    rate: float = 1e-4
    warmup: float = 0.06
    temperature: float = 0.03
    query_tokens: int = 128
    document_tokens: int = 160
    pair_query_tokens: int = 96
    pair_tokens: int = 256
    messages: float = 0.6
    seed: int = 0
    judge_every: int = 0
    seconds: float = math.inf
    compiled: bool = False
    taught: float = 0.0
    late: int = 0
    late_temperature: float = 0.02
    rounding: float = math.inf


@dataclass(frozen=True, slots=True)
class CommitPairs:
    """For each of some examples older commits of its repository (examples too) and whether their files intersect."""

    examples: Tensor
    others: Tensor
    labels: Tensor


Judge = Callable[[Any], float]


def learn(
    model: Bert | Mpnet,
    data: Data,
    examples: Tensor,
    negatives: Tensor | None,
    plan: TrainingPlan,
    commit_pairs: CommitPairs | None = None,
    judge: Judge | None = None,
    log: Callable[[str], None] = print,
    teacher: Mpnet | None = None,
    reader: Mpnet | None = None,
) -> float:
    """Train on examples, and leave the model at its best judged state. Returns that score (0 without a judge).

    `teacher` teaches vectors, `reader` the relevance of code.
    """
    device = data.device
    chance = torch.Generator(device=device).manual_seed(plan.seed)
    decayed = [value for name, value in model.named_parameters() if value.ndim > 1]
    plain = [value for name, value in model.named_parameters() if value.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), eps=1e-6, fused=device != "cpu")
    embed = torch.compile(model.embed, dynamic=False) if plan.compiled else model.embed
    relevance = getattr(model, "relevance", None)
    if plan.compiled and relevance is not None:
        relevance = torch.compile(relevance, dynamic=False)
    best, kept = -1.0, None
    started = time.monotonic()
    sums: dict[str, float] = {}
    model.train()
    for step in range(plan.steps):
        progress = max(step / plan.steps, (time.monotonic() - started) / plan.seconds)
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * _schedule(progress, plan.warmup)
        if isinstance(model, Bert):
            model.round_to_int8(progress >= plan.rounding)
        losses: dict[str, Tensor] = {}
        with autocast(device):
            if plan.batch and plan.late and isinstance(model, Bert):
                losses |= _late_contrast(model, data, examples, negatives, plan, chance)
            elif plan.batch:
                losses["contrast"] = _contrast(embed, data, examples, negatives, plan, chance, teacher)
            if plan.pairs and negatives is not None and relevance is not None:
                losses["pairs"] = _pairs(relevance, data, examples, negatives, plan, chance, reader)
            if plan.commits and commit_pairs is not None and len(commit_pairs.examples) and relevance is not None:
                losses["commits"] = _commits(relevance, data, commit_pairs, plan, chance)
        optimizer.zero_grad(set_to_none=True)
        torch.stack(list(losses.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for name, loss in losses.items():
            sums[name] = sums.get(name, 0.0) + loss.detach()
        if (step + 1) % 50 == 0 or step == 0:
            count = 1 if step == 0 else 50
            shown = " ".join(f"{name} {float(value) / count:.4f}" for name, value in sums.items())
            log(f"step {step + 1}/{plan.steps} {time.monotonic() - started:.0f}s {shown}")
            sums = {}
        if judge is not None and plan.judge_every and (step + 1) % plan.judge_every == 0:
            score = judge(model)
            log(f"step {step + 1}: judged {score:.4f}")
            if score > best:
                best, kept = score, {name: value.detach().clone() for name, value in model.state_dict().items()}
    if judge is not None:
        score = judge(model)
        log(f"end: judged {score:.4f}")
        if score < best and kept is not None:
            model.load_state_dict(kept)
        best = max(best, score)
    if isinstance(model, Bert):
        model.round_to_int8(False)
    model.eval()
    return max(best, 0.0)


def _schedule(progress: float, warmup: float) -> float:
    if progress < warmup:
        return progress / warmup
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))


def _contrast(
    embed: Callable[[Tensor, Tensor], Tensor],
    data: Data,
    examples: Tensor,
    negatives: Tensor | None,
    plan: TrainingPlan,
    chance: torch.Generator,
    teacher: Mpnet | None = None,
) -> Tensor:
    """InfoNCE: the answer against everything else in the batch that is not an answer too."""
    some = _sample(examples, plan.batch, chance)
    documents = torch.cat(_answer_and_negatives(data, some, negatives, plan.hard, chance))
    forms = _forms(data, some, plan, chance)

    def compared(by: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
        queries = embedded(by, data.queries, forms, plan.query_tokens)
        found = embedded(by, data.documents, documents, plan.document_tokens)
        return queries.float() @ found.float().T / plan.temperature

    scores = compared(embed)
    also_right = is_answer(data, some, documents)
    target = torch.arange(len(some), device=some.device)
    also_right[target, target] = False
    loss = f.cross_entropy(scores.masked_fill(also_right, -1e4), target)
    if teacher is None or not plan.taught:
        return loss
    with torch.no_grad():
        wanted = compared(teacher.embed)
    return _distilled(loss, scores, wanted, plan.taught)


def _late_contrast(
    model: Bert, data: Data, examples: Tensor, negatives: Tensor | None, plan: TrainingPlan, chance: torch.Generator
) -> dict[str, Tensor]:
    """InfoNCE of vectors as above, and of late interaction over each query's own documents and some of the others'."""
    some = _sample(examples, plan.batch, chance)
    own = torch.stack(_answer_and_negatives(data, some, negatives, plan.hard, chance), dim=1)
    documents = own.flatten()
    queries, asked = read_together(model.read, data.queries, _forms(data, some, plan, chance), plan.query_tokens)
    found, read = read_together(model.read, data.documents, documents, plan.document_tokens)
    first = torch.arange(len(some), device=some.device) * own.shape[1]
    right = is_answer(data, some, documents)
    right[torch.arange(len(some), device=some.device), first] = False
    scores = (queries.float() @ found.float().T / plan.temperature).masked_fill(right, -1e4)
    others = torch.stack([first.roll(number + 1) for number in range(plan.late)], dim=1)
    chosen = torch.cat([first[:, None] + torch.arange(own.shape[1], device=some.device), others], dim=1)
    late = max_similarity(asked, read[chosen]) / plan.late_temperature
    late = late.masked_fill(right.gather(1, chosen), -1e4)
    return {
        "contrast": f.cross_entropy(scores, first),
        "late": f.cross_entropy(late, torch.zeros_like(first)),
    }


def _answer_and_negatives(
    data: Data, some: Tensor, negatives: Tensor | None, hard: int, chance: torch.Generator
) -> list[Tensor]:
    """An answer of each example, and `hard` documents that are none."""
    found = [data.answers.pick(some, chance)]
    for _ in range(hard if negatives is not None else 0):
        assert negatives is not None
        column = torch.randint(negatives.shape[1], (len(some),), generator=chance, device=some.device)
        found.append(negatives[some, column])
    return found


def _pairs(
    relevance: Callable[[Tensor, Tensor, Tensor], Tensor],
    data: Data,
    examples: Tensor,
    negatives: Tensor,
    plan: TrainingPlan,
    chance: torch.Generator,
    reader: Mpnet | None = None,
) -> Tensor:
    """Relevance of a query's answer, of hard negatives, and of one random (easy) document."""
    some = _sample(examples, plan.pairs, chance)
    columns = _answer_and_negatives(data, some, negatives, plan.hard_pairs - 1, chance)
    columns.append(columns[0].roll(1))  # another query's answer, mostly of another repository: an easy one
    documents = torch.stack(columns, dim=1)
    forms = _forms(data, some, plan, chance).repeat_interleave(documents.shape[1])

    def read(by: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
        return _read(by, data, forms, data.documents, documents, plan.pair_query_tokens, plan.pair_tokens)

    scores = read(relevance)
    labels = torch.zeros_like(scores)
    labels[:, 0] = 1.0
    loss = relevance_loss(scores, labels, plan.relevance)
    if reader is None or not plan.taught:
        return loss
    with torch.no_grad():
        wanted = read(reader.relevance)
    return _distilled(loss, scores, wanted, plan.taught)


def _distilled(loss: Tensor, scores: Tensor, wanted: Tensor, share: float) -> Tensor:
    """The loss, mixed with the divergence of the scores from a teacher's."""
    learned = f.kl_div(f.log_softmax(scores, dim=1), f.softmax(wanted, dim=1), reduction="batchmean")
    return (1 - share) * loss + share * learned


def _commits(
    relevance: Callable[[Tensor, Tensor, Tensor], Tensor],
    data: Data,
    pairs: CommitPairs,
    plan: TrainingPlan,
    chance: torch.Generator,
) -> Tensor:
    """Relevance of past commits, by their messages: right are those whose files intersect the query's."""
    place = torch.randint(len(pairs.examples), (plan.commits,), generator=chance, device=pairs.examples.device)
    columns = torch.randint(
        pairs.others.shape[1], (plan.commits, 1 + plan.hard_pairs), generator=chance, device=place.device
    )
    others = pairs.others[place[:, None], columns]
    labels = pairs.labels[place[:, None], columns].float()
    forms = _forms(data, pairs.examples[place], plan, chance).repeat_interleave(others.shape[1])
    partner = data.form(others.flatten(), torch.ones(others.numel(), dtype=torch.bool, device=place.device))
    partners = partner.view(others.shape)
    scores = _read(relevance, data, forms, data.queries, partners, plan.pair_query_tokens, min(plan.pair_tokens, 192))
    loss: RelevanceLoss = "bce" if plan.relevance == "listwise" else plan.relevance
    return relevance_loss(scores, labels, loss)


def _read(
    relevance: Callable[[Tensor, Tensor, Tensor], Tensor],
    data: Data,
    forms: Tensor,
    texts: Ragged,
    partners: Tensor,
    query_tokens: int,
    tokens: int,
    parts: int = 4,
) -> Tensor:
    """The relevance of each query's partners. Pairs of like length run together, so that less is padded."""
    numbers = partners.flatten()
    lengths = data.queries.lengths(forms).clamp(max=query_tokens) + texts.lengths(numbers) + 3
    order = torch.argsort(lengths)
    found = []
    for part in order.chunk(parts if len(order) >= 16 * parts else 1):
        width = min(int(lengths[part[-1]]), tokens)
        found.append(relevance(*pair(data.queries, forms[part], texts, numbers[part], query_tokens, width)))
    return torch.cat(found)[torch.argsort(order)].float().view(partners.shape)


def relevance_loss(scores: Tensor, labels: Tensor, kind: RelevanceLoss) -> Tensor:
    """Binary cross-entropy, squared error of probabilities (system 1's), or softmax over each query's partners."""
    if kind == "listwise":
        return -(f.log_softmax(scores, dim=1) * labels).sum(1).mean()
    if kind == "mse":
        return f.mse_loss(torch.sigmoid(scores), labels)
    return f.binary_cross_entropy_with_logits(scores, labels)


def _sample(examples: Tensor, count: int, chance: torch.Generator) -> Tensor:
    return examples[torch.randint(len(examples), (count,), generator=chance, device=examples.device)]


def _forms(data: Data, some: Tensor, plan: TrainingPlan, chance: torch.Generator) -> Tensor:
    return data.form(some, torch.rand(len(some), generator=chance, device=some.device) < plan.messages)


def commit_pairs(data: Data, vectors: Tensor, examples: Tensor, k: int = 24) -> CommitPairs:
    """For each commit the most similar older ones of its repository, with system 1's label: a file that both touched
    (lab/mine/labels.py). What asks with an issue is no older one, since search reads messages. Repositories with few
    commits give none.
    """
    kept, partners, labels = [], [], []
    for repository in torch.unique(data.repository[examples]).tolist():
        rows = examples[(data.repository[examples] == repository) & (data.kind[examples] != DOCSTRING)]
        if len(rows) <= k:
            continue
        texts = vectors[data.form(rows, torch.ones_like(rows, dtype=torch.bool))]
        files, mask = data.files.rows(rows, 12)
        for start in range(0, len(rows), 256):
            part = slice(start, start + 256)
            older = (data.time[rows][None] < data.time[rows[part]][:, None]) & (data.kind[rows] == COMMIT)[None]
            scores = torch.where(older, (texts[part] @ texts.T).float(), -torch.inf)
            best, found = scores.topk(k, dim=1)
            same = files[part][:, None, :, None] == files[found][:, :, None, :]
            shared = (same & mask[part][:, None, :, None] & mask[found][:, :, None, :]).any(-1).any(-1)
            enough = torch.isfinite(best[:, -1]) & shared.any(1)
            kept.append(rows[part][enough])
            partners.append(rows[found[enough]])
            labels.append(shared[enough])
    if not kept:
        nothing = torch.zeros((0, k), dtype=torch.long, device=examples.device)
        return CommitPairs(nothing[:, 0], nothing, nothing.bool())
    return CommitPairs(torch.cat(kept), torch.cat(partners), torch.cat(labels))
