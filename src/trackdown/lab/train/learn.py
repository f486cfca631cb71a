"""One transformer learns three things at once: vectors near their answers, late interaction, and a pair's relevance.

Vectors learn by InfoNCE with in-batch and hard negatives (CasCode's fast encoder), tokens in the same way (ColBERT),
and relevance by a softmax over a query's candidates (CasCode's slow classifier).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

import torch
from torch import Tensor
from torch.nn import functional as f

from trackdown.lab.train.batches import Data, LeaveOut, autocast, pair, read_together, thinned
from trackdown.lab.train.hard_negatives import is_answer
from trackdown.lab.train.training_plan import TrainingPlan
from trackdown.lab.train.transformer import Bert, max_similarity


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned from: examples with the weight that each has in a batch, and the wrong documents of all."""

    examples: Tensor
    weights: Tensor
    negatives: Tensor

    def sample(self, count: int, chance: torch.Generator) -> Tensor:
        """Examples by their weights, with replacement."""
        ends = self.weights.cumsum(0)
        place = torch.rand(count, generator=chance, device=ends.device) * ends[-1]
        return self.examples[torch.searchsorted(ends, place).clamp(max=len(ends) - 1)]


Tell = Callable[..., None]


def learn(
    model: Bert,
    data: Data,
    lesson: Lesson,
    plan: TrainingPlan,
    log: Tell,
    search_again: Callable[[Bert], Lesson] | None = None,
    every: int = 50,
) -> int:
    """Train, and leave the model ready to be asked. Returns the number of steps.

    `search_again` gives the lesson of the last phase. `log` gets the losses, averaged over `every` steps.
    """
    device = data.device
    torch.manual_seed(plan.seed)
    chance = torch.Generator(device=device).manual_seed(plan.seed)
    leave_out = partial(thinned, share=plan.left_out, chance=chance) if plan.left_out else None
    optimizer = _optimizer(model, plan, device)
    model.drop_out(plan.dropout)
    model.train()
    started, last, step = time.monotonic(), False, 0
    sums: dict[str, Tensor] = {}
    for step in count():
        progress = _progress(plan, step, time.monotonic() - started)
        if progress >= 1:
            break
        if progress >= plan.last_phase and not last:
            last = True
            if search_again is not None:
                paused = time.monotonic()
                lesson = search_again(model)
                started += time.monotonic() - paused
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * _schedule(progress, plan.warmup)
        model.round_to_int8(progress >= plan.rounding)
        with autocast(device):
            losses = _contrast(model, data, lesson, plan, chance, leave_out) if plan.batch else {}
            if plan.pairs:
                losses["pairs"] = _pairs(model, data, lesson, plan, chance, leave_out, last=last)
        optimizer.zero_grad(set_to_none=True)
        torch.stack(list(losses.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for name, loss in losses.items():
            sums[name] = sums.get(name, torch.zeros_like(loss)) + loss.detach()
        if (step + 1) % every == 0:
            means = {name: round(float(value) / every, 4) for name, value in sums.items()}
            log("step", step=step + 1, trained=round(time.monotonic() - started, 1), **means)
            sums = {}
    model.round_to_int8(False)
    model.drop_out(0.0)
    model.eval()
    return step


def _progress(plan: TrainingPlan, steps: int, seconds: float) -> float:
    """How much of the run is over, by the clock that is further."""
    return max(steps / plan.steps if plan.steps else 0.0, seconds / plan.seconds if plan.seconds else 0.0)


def _optimizer(model: Bert, plan: TrainingPlan, device: str) -> torch.optim.Optimizer:
    decayed = [value for value in model.parameters() if value.ndim > 1]
    plain = [value for value in model.parameters() if value.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), eps=1e-6, fused=device != "cpu")


def _schedule(progress: float, warmup: float) -> float:
    if progress < warmup:
        return progress / warmup
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))


def _contrast(
    model: Bert, data: Data, lesson: Lesson, plan: TrainingPlan, chance: torch.Generator, leave_out: LeaveOut | None
) -> dict[str, Tensor]:
    """InfoNCE of vectors over all documents of the batch, and of late interaction over each query's own documents and
    some of the others'. What is an answer, too, counts for nothing.
    """
    some = lesson.sample(plan.batch, chance)
    own = torch.stack(_answer_and_negatives(data, some, lesson.negatives, plan.negatives, chance), dim=1)
    documents = own.flatten()
    forms = _forms(data, some, plan, chance)
    queries, asked = read_together(model.read, data.queries, forms, plan.query_tokens, leave_out=leave_out)
    found, read = read_together(model.read, data.documents, documents, plan.document_tokens, leave_out=leave_out)
    rows = torch.arange(len(some), device=some.device)
    first = rows * own.shape[1]
    right = is_answer(data, some, documents)
    right[rows, first] = False
    scores = (queries.float() @ found.float().T / plan.temperature).masked_fill(right, -1e4)
    others = torch.stack([first.roll(number + 1) for number in range(min(plan.others, len(some) - 1))], dim=1)
    chosen = torch.cat([first[:, None] + torch.arange(own.shape[1], device=some.device), others], dim=1)
    late = max_similarity(asked, read[chosen]) / plan.late_temperature
    late = late.masked_fill(right.gather(1, chosen), -1e4)
    return {
        "contrast": f.cross_entropy(scores, first),
        "late": f.cross_entropy(late, torch.zeros_like(first)),
    }


def _answer_and_negatives(
    data: Data, some: Tensor, negatives: Tensor, count: int, chance: torch.Generator
) -> list[Tensor]:
    """An answer of each example, and different columns of its negatives."""
    found = [data.answers.pick(some, chance)]
    order = torch.rand((len(some), negatives.shape[1]), generator=chance, device=some.device).argsort(dim=1)
    found += list(negatives[some].gather(1, order[:, :count]).T)
    return found


def _pairs(
    model: Bert,
    data: Data,
    lesson: Lesson,
    plan: TrainingPlan,
    chance: torch.Generator,
    leave_out: LeaveOut | None,
    *,
    last: bool,
) -> Tensor:
    """A softmax over a query's answer, hard negatives, and another query's answer, mostly of another repository."""
    hard = plan.last_negatives if last else plan.pair_negatives
    queries = max(2, plan.pairs * (plan.pair_negatives + 2) // (hard + 2))
    some = lesson.sample(queries, chance)
    columns = _answer_and_negatives(data, some, lesson.negatives, hard, chance)
    easy = columns[0].roll(1)
    also_right = (data.key[easy][:, None] == data.answer_keys(some)).any(1)
    documents = torch.stack([*columns, easy], dim=1)
    forms = _forms(data, some, plan, chance).repeat_interleave(documents.shape[1])
    scores = read_pairs(model, data, forms, documents, plan, leave_out)
    unfair = torch.zeros_like(scores, dtype=torch.bool)
    unfair[:, -1] = also_right
    return f.cross_entropy(scores.masked_fill(unfair, -1e4), torch.zeros_like(some))


def read_pairs(
    model: Bert,
    data: Data,
    forms: Tensor,
    documents: Tensor,
    plan: TrainingPlan,
    leave_out: LeaveOut | None = None,
    parts: int = 4,
) -> Tensor:
    """The relevance of each query's documents. Pairs of like length run together, so that less is padded."""
    numbers = documents.flatten()
    asked = data.queries.lengths(forms).clamp(max=plan.pair_query_tokens)
    lengths = asked + data.documents.lengths(numbers) + 3
    order = torch.argsort(lengths)
    found = []
    for part in order.chunk(parts if len(order) >= 16 * parts else 1):
        width = min(int(lengths[part[-1]]), plan.pair_tokens)
        rows = (data.queries, forms[part], data.documents, numbers[part])
        found.append(model.relevance(*pair(*rows, plan.pair_query_tokens, width, leave_out)))
    return torch.cat(found)[torch.argsort(order)].float().view(documents.shape)


def _forms(data: Data, some: Tensor, plan: TrainingPlan, chance: torch.Generator) -> Tensor:
    return data.form(some, torch.rand(len(some), generator=chance, device=some.device) < plan.whole)
