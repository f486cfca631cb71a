"""What each part of the recipe is worth: short runs that differ in one thing, judged alike.

Every variant starts from the same base, sees the same examples and trains for the same time, except where that is what
differs. `trackdown train ablations` runs them and writes `log.jsonl`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from trackdown.lab.train.batches import Data
from trackdown.lab.train.judge import HeldOutData
from trackdown.lab.train.learn import CommitPairs, TrainingPlan, commit_pairs, learn
from trackdown.lab.train.pack import DOCSTRING, REWRITTEN
from trackdown.lab.train.recipe import (
    SearchedExamples,
    fit_table,
    kept_examples,
    search_with_bm25,
    search_with_model,
    with_long_twice,
)
from trackdown.lab.train.table import TablePlan, judge_table
from trackdown.lab.train.training_state import Log
from trackdown.lab.train.transformer import Bert, from_checkpoint

WITHIN = 30
PLAN = TrainingPlan(steps=100_000, batch=512, hard=2, seconds=24.0)
SMALL_PLAN = TrainingPlan(
    steps=20, batch=16, hard=1, seconds=60.0, query_tokens=64, document_tokens=96, pair_tokens=160
)


@dataclass(slots=True)
class AblationSetup:
    """What all variants share."""

    base: dict[str, Tensor]
    train: Data
    bench: HeldOutData
    looked: SearchedExamples
    past: CommitPairs
    plan: TrainingPlan
    log: Log

    def model(self, layers: int = 6) -> Bert:
        torch.manual_seed(0)
        return from_checkpoint(self.base, layers).to(self.train.device)

    def kept(self, within: int = WITHIN) -> Tensor:
        return kept_examples(self.train, self.looked.rank, within)

    def fit(self, name: str, plan: TrainingPlan, examples: Tensor, negatives: Tensor | None, layers: int = 6) -> Bert:
        """Train one variant and log how it is judged."""
        model = self.model(layers)
        learn(model, self.train, examples, negatives, plan, self.past, log=lambda text: None)
        self.log(name, examples=len(examples), **self.bench.report(model, pairs=bool(plan.pairs)))
        return model


def variants(ground: AblationSetup) -> Iterator[Callable[[], Bert]]:
    """The runs, in order of what we most want to know."""
    train, plan, hard = ground.train, ground.plan, ground.looked.negatives
    kept = ground.kept()
    commits_only = kept[train.kind[kept] != DOCSTRING]
    everything = torch.arange(train.pack.examples, device=train.device)
    rewritten = torch.nonzero(train.kind == REWRITTEN).squeeze(1)
    yield lambda: ground.fit("as published", plan, kept, hard)
    yield lambda: ground.fit("without the filter", plan, everything, hard)
    yield lambda: ground.fit("without docstrings", plan, commits_only, hard)
    yield lambda: ground.fit("easy negatives only", replace(plan, hard=0), kept, None)
    yield lambda: ground.fit("subjects only", replace(plan, messages=0.0), kept, hard)
    yield lambda: ground.fit("messages only", replace(plan, messages=1.0), kept, hard)
    yield lambda: ground.fit("long messages twice", plan, with_long_twice(train, kept), hard)
    yield lambda: ground.fit("temperature .05", replace(plan, temperature=0.05), kept, hard)
    yield lambda: ground.fit("rate 3e-4", replace(plan, rate=3e-4), kept, hard)
    for layers in (4, 3):
        yield partial(ground.fit, f"{layers} layers", plan, kept, hard, layers)
    short = replace(plan, seconds=plan.seconds / 3)
    for name, messages in (("rewritten queries", 1.0), ("their own subjects", 0.0)) if len(rewritten) else ():
        varied = replace(short, messages=messages)
        yield partial(ground.fit, f"{name} (only those commits)", varied, rewritten, hard)
    pairs = replace(plan, pairs=plan.batch // 4, commits=plan.batch // 8)
    yield lambda: ground.fit("shared", pairs, kept, hard)
    yield lambda: ground.fit("separate: relevance alone", replace(pairs, batch=0), kept, hard)
    yield lambda: ground.fit("separate: mean squared error", replace(pairs, batch=0, relevance="mse"), kept, hard)
    yield lambda: ground.fit("separate: listwise", replace(pairs, batch=0, relevance="listwise"), kept, hard)


def table_sizes(ground: AblationSetup, teacher: Bert, seconds: float) -> None:
    """Static tables of several widths, and one that is not distilled."""
    looked = search_with_model(teacher, ground.train, None)
    kept = ground.kept()
    for dimensions, distilled in ((64, 1.0), (128, 1.0), (256, 1.0), (384, 1.0), (256, 0.0)):
        plan = TablePlan(dimensions, ground.plan.steps, 8 * ground.plan.batch, distilled=distilled, seconds=seconds)
        table = fit_table(teacher, ground.train, kept, looked, plan, ground.log)
        score = round(judge_table(table, ground.bench.dev), 4)
        ground.log("table", dimensions=dimensions, distilled=distilled, dev_mrr=score)


def run_ablations(base: dict[str, Tensor], train: Data, bench: HeldOutData, plan: TrainingPlan, log: Log) -> None:
    """Train every variant, and log how each is judged."""
    model = from_checkpoint(base).to(train.device)
    looked = search_with_model(model, train, search_with_bm25(train, model.shape.vocabulary))
    past = commit_pairs(train, looked.queries, kept_examples(train, looked.rank, WITHIN))
    ground = AblationSetup(base, train, bench, looked, past, plan, log)
    log("base", **bench.report(model, pairs=False))
    for number, variant in enumerate(variants(ground)):
        made = variant()
        if number == 0:
            table_sizes(ground, made, plan.seconds / 2)
