"""One transformer learns three things at once: vectors near their answers, late interaction, and a pair's relevance.

Vectors learn by InfoNCE with in-batch and hard negatives (CasCode's fast encoder), tokens in the same way (ColBERT),
and relevance by a softmax over a query's candidates (CasCode's slow classifier).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as f

from trackdown.lab.train.batches import Data, LeaveOut, read_pairs, read_together
from trackdown.lab.train.hard_negatives import is_answer
from trackdown.lab.train.steps import Tell, leaving_out, run_steps
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
    chance = torch.Generator(device=data.device).manual_seed(plan.seed)
    leave_out = leaving_out(plan, chance)
    lessons = [lesson]

    def prepare(progress: float) -> None:
        if progress >= plan.last_phase and len(lessons) == 1:
            lessons.append(search_again(model) if search_again is not None else lesson)

    def losses(progress: float) -> dict[str, Tensor]:
        found = _contrast(model, data, lessons[-1], plan, chance, leave_out) if plan.batch else {}
        if plan.pairs:
            last = progress >= plan.last_phase
            found["pairs"] = _pairs(model, data, lessons[-1], plan, chance, leave_out, last=last)
        return found

    return run_steps(model, plan, losses, log, every, prepare)


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
    asked = (data.queries, forms, plan.pair_query_tokens)
    scores = read_pairs(model, *asked, data.documents, documents.flatten(), plan.pair_tokens, leave_out)
    scores = scores.view(documents.shape)
    unfair = torch.zeros_like(scores, dtype=torch.bool)
    unfair[:, -1] = also_right
    return f.cross_entropy(scores.masked_fill(unfair, -1e4), torch.zeros_like(some))


def _forms(data: Data, some: Tensor, plan: TrainingPlan, chance: torch.Generator) -> Tensor:
    return data.form(some, torch.rand(len(some), generator=chance, device=some.device) < plan.whole)
