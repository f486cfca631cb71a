"""Gradient steps by a plan: the schedule, the rounding and the log that all runs share."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from itertools import count

import torch
from torch import Tensor

from trackdown.lab.train.batches import LeaveOut, autocast, thinned
from trackdown.lab.train.training_plan import RunPlan
from trackdown.lab.train.transformer import Bert

Tell = Callable[..., None]
Losses = Callable[[float], dict[str, Tensor]]
"""How much of the run is over → what to lower, by name."""


def leaving_out(plan: RunPlan, chance: torch.Generator) -> LeaveOut | None:
    """Leaves a share of the tokens out, if the plan says so."""
    return partial(thinned, share=plan.left_out, chance=chance) if plan.left_out else None


def run_steps(
    model: Bert,
    plan: RunPlan,
    losses: Losses,
    log: Tell,
    every: int = 50,
    prepare: Callable[[float], None] | None = None,
) -> int:
    """Train, and leave the model ready to be asked. Returns the number of steps.

    `log` gets the losses, averaged over `every` steps. `prepare` is called before each step with how much of the run
    is over; its time does not count.
    """
    device = next(model.parameters()).device.type
    torch.manual_seed(plan.seed)
    optimizer = _optimizer(model, plan, device)
    model.drop_out(plan.dropout)
    model.train()
    started, step = time.monotonic(), 0
    sums: dict[str, Tensor] = {}
    for step in count():
        progress = _progress(plan, step, time.monotonic() - started)
        if progress >= 1:
            break
        if prepare is not None:
            paused = time.monotonic()
            prepare(progress)
            started += time.monotonic() - paused
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * _schedule(progress, plan.warmup)
        model.round_to_int8(progress >= plan.rounding)
        with autocast(device):
            found = losses(progress)
        optimizer.zero_grad(set_to_none=True)
        torch.stack(list(found.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        for name, loss in found.items():
            sums[name] = sums.get(name, torch.zeros_like(loss)) + loss.detach()
        if (step + 1) % every == 0:
            means = {name: round(float(value) / every, 4) for name, value in sums.items()}
            log("step", step=step + 1, trained=round(time.monotonic() - started, 1), **means)
            sums = {}
    model.round_to_int8(False)
    model.drop_out(0.0)
    model.eval()
    return step


def _progress(plan: RunPlan, steps: int, seconds: float) -> float:
    """How much of the run is over, by the clock that is further."""
    return max(steps / plan.steps if plan.steps else 0.0, seconds / plan.seconds if plan.seconds else 0.0)


def _optimizer(model: Bert, plan: RunPlan, device: str) -> torch.optim.Optimizer:
    decayed = [value for value in model.parameters() if value.ndim > 1]
    plain = [value for value in model.parameters() if value.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), eps=1e-6, fused=device != "cpu")


def _schedule(progress: float, warmup: float) -> float:
    if progress < warmup:
        return progress / warmup
    return 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))
