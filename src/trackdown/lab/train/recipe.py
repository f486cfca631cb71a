"""The recipe: mined examples → one model with three heads.

1. Search every repository for its own queries with BM25 and with the model to start from. Keep an issue or a commit if
   its answer ranks well under one of them (SweRank's filter). Wrong documents of both, and some by chance, become
   negatives, but those that score nearly as well as the answer.
2. Learn vectors, late interaction and the relevance of pairs together.
3. In the last phase, search again with the model as it is, and read more negatives of each query.
4. Distil the static table, if it is asked for.

Everything that is measured goes into `log.jsonl`. Runs that differ in rate, time or seed are averaged afterwards.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trackdown.errors import ModelError, TrackdownError, UsageError
from trackdown.lab.train.array_files import has_parts
from trackdown.lab.train.batches import Data
from trackdown.lab.train.hard_negatives import SearchedExamples, search_examples, search_with_bm25
from trackdown.lab.train.held_out import held_out
from trackdown.lab.train.learn import Lesson, learn
from trackdown.lab.train.pack import COMMIT, DEV, DOCSTRING, ISSUE, PULL_REQUEST, TRAIN, load_pack
from trackdown.lab.train.table import TablePlan, first_table, judge_table, learn_table
from trackdown.lab.train.training_plan import TrainingPlan, checked, plan_options
from trackdown.lab.train.training_state import (
    LOG,
    MODEL,
    TABLE,
    TOKENIZER,
    Log,
    Say,
    load_base,
    on_screen,
    save_state,
)
from trackdown.lab.train.transformer import Bert, from_checkpoint


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to do. `within` is the rank that an answer must have under BM25 or the base, `below` the share of an
    answer's score that a negative may have, and the others say how much an example of each kind counts.
    """

    plan: TrainingPlan = field(default_factory=TrainingPlan)
    within: int = 20
    below: float = 0.95
    issues: float = 1.0
    pull_requests: float = 0.5
    commits: float = 0.25
    docstrings: float = 0.12
    table: TablePlan | None = None


def lesson_of(data: Data, searched: SearchedExamples, recipe: Recipe) -> Lesson:
    """The examples whose answer ranks well, and all docstrings, with what each counts."""
    kept = torch.nonzero((searched.rank <= recipe.within) | (data.kind == DOCSTRING)).squeeze(1)
    counts = torch.zeros(4, device=data.device)
    counts[ISSUE], counts[PULL_REQUEST] = recipe.issues, recipe.pull_requests
    counts[COMMIT], counts[DOCSTRING] = recipe.commits, recipe.docstrings
    weights = counts[data.kind[kept]]
    kept, weights = kept[weights > 0], weights[weights > 0]
    if not len(kept):
        raise UsageError("no example passes the filter: mine more repositories")
    return Lesson(kept, weights, searched.negatives)


def run_recipe(recipe: Recipe, base: dict[str, Tensor], train: Data, dev: Data | None, out: Path, log: Log) -> Bert:
    """Train, and write `model.npz.*` and, where asked for, `table.npz.*` into a folder. Returns the model.

    Raises ModelError for a base that is not a BERT, UsageError when nothing passes the filter.
    """
    torch.manual_seed(recipe.plan.seed)  # heads that the base does not have begin at random
    try:
        model = from_checkpoint(base).to(train.device)
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"the base is not a BERT ({error})") from None
    pack = train.pack
    log(
        "start",
        recipe=asdict(recipe),
        device=torch.cuda.get_device_name() if train.device == "cuda" else train.device,
        documents=pack.documents,
        repositories=len(pack.repositories),
        kinds=np.bincount(pack.example_kind, minlength=4).tolist(),
        base=held_out(model, dev) if dev is not None else {},
    )
    words = search_with_bm25(train, model.shape.vocabulary, recipe.below)

    def search(asked: Bert) -> tuple[SearchedExamples, Lesson]:
        found = search_examples(asked, train, words, recipe.below, recipe.plan.seed)
        lesson = lesson_of(train, found, recipe)
        kinds = torch.bincount(train.kind[lesson.examples], minlength=4).tolist()
        log("searched", kept=kinds, mrr={name: _mrr(found, train, kind) for name, kind in _ASKED.items()})
        return found, lesson

    steps = learn(model, train, search(model)[1], recipe.plan, log, lambda asked: search(asked)[1])
    save_state(model.state_dict(), out, MODEL)
    log("trained", steps=steps, **(held_out(model, dev) if dev is not None else {}))
    if recipe.table is not None:
        found, lesson = search(model)
        start = first_table(model, recipe.table.dimensions, model.shape.vocabulary)
        taught = (found.documents, found.queries)
        table = learn_table(start, train, lesson.examples, found.negatives, taught, recipe.table, log)
        save_state({TABLE: table.weight.detach()}, out, TABLE)
        log(TABLE, **({"commit MRR": round(judge_table(table, dev), 4)} if dev is not None else {}))
    return model


_ASKED = {"issues": ISSUE, "commits": COMMIT}


def _mrr(found: SearchedExamples, data: Data, kind: int) -> float | None:
    ranks = found.rank[data.kind == kind].float()
    return round(float((1.0 / ranks).mean()), 4) if len(ranks) else None


def chosen_device() -> str:
    """A GPU if there is one, else the CPU."""
    if not torch.cuda.is_available():
        return "cpu"
    torch.set_float32_matmul_precision("high")
    return "cuda"


def train_models(
    pack: Path,
    out: Path,
    options: Mapping[str, Any] | None = None,
    *,
    base: Path | None = None,
    table_seconds: float = 0.0,
    say: Say = on_screen,
) -> dict[str, Any]:
    """Train on the folder that `trackdown train pack` wrote. `options` are fields of the training plan.

    `base` starts from other weights than the pack's. Raises UsageError and ModelError for what is not there.
    """
    plan = checked(replace(TrainingPlan(), **(options or {})))
    state, tokenizer = load_base(base or pack)
    device = chosen_device()
    train = Data(load_pack(pack, TRAIN), device)
    dev = Data(load_pack(pack, DEV), device) if has_parts(pack, DEV) else None
    table = TablePlan(seconds=table_seconds) if table_seconds else None
    log = Log(out / LOG, say)
    run_recipe(Recipe(plan, table=table), state, train, dev, out, log)
    shutil.copyfile(tokenizer, out / TOKENIZER)
    trained = dict(log.told["trained"])
    return {"run": str(out), "steps": trained.pop("steps"), "seconds": trained.pop("seconds")} | {
        name: trained[name] for name in trained if name != "what"
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """`python -m trackdown.lab.train.recipe PACK OUT`: `trackdown train models` with torch and numpy alone."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, help="start from these weights, not from the pack's")
    parser.add_argument("--table-seconds", type=float, default=0.0, help="distil a static table for this long")
    for option, name, default, said in plan_options():
        parser.add_argument(option, dest=name, type=type(default), default=default, help=said)
    given = vars(parser.parse_args(arguments))
    pack, out, base, seconds = (given.pop(name) for name in ("pack", "out", "base", "table_seconds"))
    try:
        train_models(pack, out, given, base=base, table_seconds=seconds)
    except TrackdownError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
