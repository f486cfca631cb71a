"""Candidates of issues → a model that improves the ranking's sum, not only its own order.

A model that learns alone learns much that the search knows already. Here the loss is that of the order which a search
shows: the search's score, plus the encoder's two scores over all candidates, plus the cross-encoder's over the first of
them. So the gradient goes where words and history are wrong. Each head's own order counts, too, since the deep index
and other levels use it alone.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from trackdown.errors import ModelError, TrackdownError, UsageError
from trackdown.lab.train.batches import LeaveOut, read_pairs, read_together
from trackdown.lab.train.candidates import CandidateSet, joined, read_candidates
from trackdown.lab.train.judge import CODE_READ, Readable
from trackdown.lab.train.recipe import chosen_device
from trackdown.lab.train.steps import Tell, leaving_out, run_steps
from trackdown.lab.train.training_plan import TuningPlan, checked_tuning, plan_options
from trackdown.lab.train.training_state import LOG, MODEL, TOKENIZER, Log, Say, load_base, on_screen, save_state
from trackdown.lab.train.transformer import Bert, from_checkpoint, max_similarity
from trackdown.rerank import RerankWeights

_CLIPPED_AT = 3.0


@dataclass(frozen=True, slots=True)
class CaseData:
    """Cases on a device, with the search's score of each candidate, scaled to the best, and what is gold."""

    read: Readable
    search: Tensor
    factor: Tensor
    gold: Tensor
    cases: Tensor
    weights: Tensor

    @staticmethod
    def of(found: CandidateSet, device: str) -> CaseData:
        """The cases that have gold among their candidates. A repository counts as the root of its number of cases."""
        start = found.case_start.astype(int).tolist()
        usable = [case for case in range(found.cases) if found.gold[start[case] : start[case + 1]].sum() > 0]
        if not usable:
            raise UsageError("no case has its gold among the candidates: there is nothing to learn from")
        names, counts = np.unique(found.repositories[usable], return_counts=True)
        sizes = dict(zip(names.tolist(), counts.tolist(), strict=True))
        weights = [sizes[found.repositories[case]] ** -0.5 for case in usable]
        search = np.concatenate([_scaled(found.score[a:b]) for a, b in pairwise(start)])
        return CaseData(
            Readable.of(found, device),
            torch.from_numpy(search).to(device),
            torch.from_numpy(found.factor.astype(np.float32)).to(device),
            torch.from_numpy(found.gold).to(device),
            torch.tensor(usable),
            torch.tensor(weights),
        )

    def sample(self, count: int, chance: torch.Generator) -> list[int]:
        """Different cases, by their weights."""
        some = torch.multinomial(self.weights, min(count, len(self.weights)), generator=chance)
        found: list[int] = self.cases[some].tolist()
        return found


def _scaled(scores: Any) -> Any:
    best = float(np.abs(scores).max(initial=0.0))
    return (scores / best if best else np.zeros_like(scores)).astype(np.float32)


def case_losses(
    model: Bert, data: CaseData, cases: Sequence[int], plan: TuningPlan, leave_out: LeaveOut | None
) -> dict[str, Tensor]:
    """What is wrong with the order of the sum, and with that of each head, averaged over the cases."""
    device, given = data.search.device, data.read
    rows = [torch.arange(given.start[case], given.start[case + 1], device=device) for case in cases]
    asked = torch.tensor(cases, device=device)
    queries, query_tokens = read_together(model.read, given.queries, asked, plan.query_tokens, leave_out=leave_out)
    texts, text_tokens = read_together(
        model.read, given.texts, torch.cat(rows), plan.document_tokens, parts=8, leave_out=leave_out
    )
    weights, losses = RerankWeights(), _Losses(plan)
    parts, place = [], 0
    for number, own in enumerate(rows):
        part = slice(place, place + len(own))
        place += len(own)
        vector = texts[part].float() @ queries[number].float()
        late = max_similarity(query_tokens[number : number + 1], text_tokens[part][None])[0]
        gold, factor = data.gold[own], data.factor[own]
        read = weights.encoder * shares(vector) + weights.late * shares(late)
        total = weights.fused * data.search[own] + factor * read
        losses.alone("vector", vector / plan.temperature, gold)
        losses.alone("late", late / plan.late_temperature, gold)
        losses.together("read", total, gold)
        first = torch.topk(total.detach() + 1e4 * gold, min(CODE_READ, len(own))).indices
        parts.append((own[first], total[first], factor[first], gold[first]))
    numbers = torch.cat([part[0] for part in parts])
    owners = torch.repeat_interleave(asked, torch.tensor([len(part[0]) for part in parts], device=device))
    pairs = read_pairs(
        model, given.queries, owners, plan.pair_query_tokens, given.texts, numbers, plan.pair_tokens, leave_out, parts=6
    )
    for (_, total, factor, gold), logits in zip(parts, pairs.split([len(part[0]) for part in parts]), strict=True):
        losses.alone("pairs", logits, gold)
        losses.together("judged", total + factor * weights.code * shares(logits), gold)
    return losses.means(len(cases))


class _Losses:
    """Sums of losses by name, each with what it counts; what counts nothing is not there."""

    def __init__(self, plan: TuningPlan) -> None:
        self._plan = plan
        self._sums: dict[str, Tensor] = {}

    def alone(self, name: str, scores: Tensor, gold: Tensor) -> None:
        self._add(name, self._plan.alone, scores, gold)

    def together(self, name: str, scores: Tensor, gold: Tensor) -> None:
        self._add(name, self._plan.together, scores / self._plan.sum_temperature, gold)

    def means(self, count: int) -> dict[str, Tensor]:
        return {name: value / count for name, value in self._sums.items()}

    def _add(self, name: str, counts: float, scores: Tensor, gold: Tensor) -> None:
        if counts:
            loss = counts * order_loss(scores, gold)
            self._sums[name] = self._sums[name] + loss if name in self._sums else loss


def order_loss(scores: Tensor, gold: Tensor) -> Tensor:
    """The mean over gold of its cross-entropy against everything that is not gold."""
    others = torch.logsumexp(scores.masked_fill(gold, -1e4), dim=0)
    return f.softplus(others - scores[gold]).mean()


def shares(values: Tensor) -> Tensor:
    """z-scores as a search adds them, 1/2 on average. They are not clipped, so that outliers still learn."""
    spread = values.std(correction=0).clamp(min=1e-6)
    return ((values - values.mean()) / spread + _CLIPPED_AT) / (2 * _CLIPPED_AT)


def tune(model: Bert, data: CaseData, plan: TuningPlan, log: Tell, every: int = 20) -> int:
    """Tune a model, and leave it ready to be asked. Returns the number of steps."""
    device = data.search.device
    draw = torch.Generator().manual_seed(plan.seed)
    leave_out = leaving_out(plan, torch.Generator(device=device).manual_seed(plan.seed))

    def losses(_: float) -> dict[str, Tensor]:
        return case_losses(model, data, data.sample(plan.cases, draw), plan, leave_out)

    return run_steps(model, plan, losses, log, every)


def tune_models(
    candidates: Sequence[Path],
    base: Path,
    out: Path,
    options: Mapping[str, Any] | None = None,
    *,
    say: Say = on_screen,
) -> dict[str, Any]:
    """Tune the models of `base` on sets that `trackdown train candidates` wrote. `options` are fields of the plan.

    Raises UsageError and ModelError for what is not there.
    """
    plan = checked_tuning(replace(TuningPlan(), **(options or {})))
    if not candidates:
        raise UsageError("there are no candidates: write them with `trackdown train candidates`")
    found = joined([read_candidates(path) for path in candidates])
    state, tokenizer = load_base(base)
    device = chosen_device()
    torch.manual_seed(plan.seed)  # heads that the base does not have begin at random
    try:
        model = from_checkpoint(state).to(device)
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"the base is not a BERT ({error})") from None
    data = CaseData.of(found, device)
    log = Log(out / LOG, say)
    repositories = len(set(found.repositories.tolist()))
    log("start", plan=asdict(plan), device=device, cases=found.cases, usable=len(data.cases), repositories=repositories)
    steps = tune(model, data, plan, log)
    save_state(model.state_dict(), out, MODEL)
    shutil.copyfile(tokenizer, out / TOKENIZER)
    log("tuned", steps=steps)
    return {"run": str(out), "cases": len(data.cases), "steps": steps, "seconds": log.told["tuned"]["seconds"]}


def main(arguments: Sequence[str] | None = None) -> None:
    """`python -m trackdown.lab.train.tuning SETS --base MODELS --out RUN`: `trackdown train tune` with torch alone."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("candidates", type=Path, nargs="+")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    for option, name, default, said in plan_options(TuningPlan):
        parser.add_argument(option, dest=name, type=type(default), default=default, help=said)
    given = vars(parser.parse_args(arguments))
    files, base, out = (given.pop(name) for name in ("candidates", "base", "out"))
    try:
        tune_models(files, base, out, given)
    except TrackdownError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
