"""The published recipe: mined examples → a shared encoder with its relevance head, and a static table.

1. Look at every example with BM25 and with the base model: keep those whose answer ranks well under one of them
   (SweRank's filter), and take the best wrong documents as hard negatives.
2. Where there is a teacher, a larger model: train it in the same way first, and then a copy of it to read pairs.
3. Learn vectors: InfoNCE with large batches, and to see a batch as the teacher does.
4. Take new hard negatives from the model as it is now, and past commits like each commit.
5. Learn vectors and relevance together (CasCode's shared model): code by edited units, commits by shared files.
6. Distil the static table.

Everything that is measured goes into `log.jsonl`. What a stage made is kept beside it, so that a run can be cut into
several: with `resume` the next one continues from there.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trackdown.lab.train.batches import Data, encode_all
from trackdown.lab.train.hard_negatives import bm25_scores, rank_negatives, vector_scores
from trackdown.lab.train.judge import HeldOutData, held_out, load_held_out
from trackdown.lab.train.learn import TrainingPlan, commit_pairs, learn
from trackdown.lab.train.pack import COMMIT, DOCSTRING, REWRITTEN, load_pack
from trackdown.lab.train.table import TablePlan, first_table, judge_table, learn_table
from trackdown.lab.train.training_state import Log, load_state, save_state
from trackdown.lab.train.transformer import Bert, Mpnet, from_checkpoint, halved
from trackdown.lab.train.transformer import teacher as teacher_of


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to do and for how long, in seconds of training. `within` is the rank an answer must have to be kept,
    `issues` how many times as often as a commit an issue counts.
    """

    layers: int = 6
    within: int = 30
    issues: int = 4
    teacher: TrainingPlan = field(
        default_factory=lambda: TrainingPlan(
            steps=1000, batch=320, hard=2, rate=3e-5, query_tokens=192, document_tokens=176, messages=0.75
        )
    )
    reader: TrainingPlan = field(
        default_factory=lambda: TrainingPlan(
            steps=1500,
            batch=0,
            pairs=64,
            hard_pairs=7,
            relevance="listwise",
            rate=3e-5,
            pair_query_tokens=128,
            pair_tokens=320,
            messages=0.75,
        )
    )
    vectors: TrainingPlan = field(
        default_factory=lambda: TrainingPlan(
            steps=4000, batch=1024, hard=2, query_tokens=192, document_tokens=176, messages=0.75, taught=0.7
        )
    )
    both: TrainingPlan = field(
        default_factory=lambda: TrainingPlan(
            steps=4000,
            batch=384,
            hard=2,
            pairs=192,
            hard_pairs=7,
            commits=48,
            relevance="listwise",
            query_tokens=192,
            document_tokens=176,
            pair_query_tokens=128,
            pair_tokens=320,
            messages=0.75,
            taught=0.7,
        )
    )
    table: TablePlan = field(default_factory=TablePlan)


SMALL = Recipe(
    layers=3,
    teacher=TrainingPlan(steps=20, batch=16, hard=1, rate=3e-5, query_tokens=64, document_tokens=96),
    reader=TrainingPlan(
        steps=10, batch=0, pairs=4, hard_pairs=3, relevance="listwise", rate=3e-5, pair_query_tokens=64, pair_tokens=160
    ),
    vectors=TrainingPlan(steps=40, batch=16, hard=1, query_tokens=64, document_tokens=96, taught=0.7),
    both=TrainingPlan(
        steps=30,
        batch=8,
        hard=1,
        pairs=4,
        hard_pairs=3,
        commits=2,
        relevance="listwise",
        query_tokens=64,
        document_tokens=96,
        pair_query_tokens=64,
        pair_tokens=160,
        taught=0.7,
    ),
    table=TablePlan(steps=100, batch=256),
)
"""The same in minutes on a CPU: it shows that everything works, and its models are not good ones."""


@dataclass(slots=True)
class SearchedExamples:
    """What BM25 and a model say of every example: hard negatives of both, and the better of the two ranks."""

    negatives: Tensor
    rank: Tensor
    documents: Tensor
    queries: Tensor


def search_with_model(model: Bert, data: Data, words: Tensor | None, k: int = 12, skip: int = 0) -> SearchedExamples:
    """Search every repository with the model; `words` are BM25's (negatives and rank in the last column)."""
    device = data.device
    documents = encode_all(model, data.documents, torch.arange(data.pack.documents, device=device), 160)
    queries = encode_all(model, data.queries, torch.arange(2 * data.pack.examples, device=device), 192)
    found = rank_negatives(data, vector_scores(documents, queries), k=k, skip=skip)
    if words is None:
        return SearchedExamples(found.negatives, found.rank, documents, queries)
    rank = torch.minimum(found.rank, words[:, -1])
    return SearchedExamples(torch.cat([found.negatives, words[:, :-1]], dim=1), rank, documents, queries)


def search_with_bm25(data: Data, vocabulary: int, k: int = 12) -> Tensor:
    """BM25's hard negatives, with the answer's rank in the last column."""
    found = rank_negatives(data, lambda documents: bm25_scores(data, documents, vocabulary), k=k)
    return torch.cat([found.negatives, found.rank[:, None]], dim=1)


def kept_examples(data: Data, rank: Tensor, within: int) -> Tensor:
    """Examples whose answer ranks within a limit; docstrings are kept however they rank."""
    return torch.nonzero((rank <= within) | (data.kind == DOCSTRING)).squeeze(1)


def with_commits_twice(data: Data, examples: Tensor) -> Tensor:
    """Examples, those of commits a second time: docstrings are many, and issues are more like commits."""
    return torch.cat([examples, examples[data.kind[examples] != DOCSTRING]])


def with_issues_more(data: Data, examples: Tensor, times: int) -> Tensor:
    """Examples, those that ask with an issue `times` as often: they are what search is for, and few."""
    issues = examples[data.kind[examples] == REWRITTEN]
    return torch.cat([examples, *[issues] * (times - 1)])


def with_long_twice(data: Data, examples: Tensor, tokens: int = 48) -> Tensor:
    """Examples, those with long messages a second time: issues are long, and most messages are not."""
    return torch.cat([examples, examples[data.queries.lengths(2 * examples + 1) >= tokens]])


def run_recipe(
    recipe: Recipe,
    base: dict[str, Tensor],
    train: Data,
    bench: HeldOutData,
    out: Path,
    log: Log,
    teacher: dict[str, Tensor] | None = None,
    *,
    resume: bool = False,
    until: str = "",
) -> Bert:
    """Train everything and write `model.npz.*` and `table.npz.*` into a folder. Returns the shared model.

    `resume` takes the teachers and the vectors that an earlier run left in the folder; `until` ends behind the
    teachers or behind the vectors.
    """
    torch.manual_seed(0)  # the relevance head of a checkpoint begins at random
    model = from_checkpoint(base, recipe.layers).to(train.device)
    log(
        "start",
        recipe=asdict(recipe),
        examples=train.pack.examples,
        documents=train.pack.documents,
        repositories=len(train.pack.repositories),
        kinds=np.bincount(train.pack.example_kind).tolist(),
        pairs=len(train.pack.answer),
        base=bench.report(model, pairs="relevance_head.weight" in base),
    )
    words = search_with_bm25(train, model.shape.vocabulary)
    first = search_with_model(model, train, words)
    examples = kept_examples(train, first.rank, recipe.within)
    log("looked", kept=len(examples), bm25_mrr=_mrr(words[:, -1], train), base_mrr=_mrr(first.rank, train))
    judge, mixed = _judge(bench), _mixed(train, examples, recipe)
    teachers = _taught(teacher, train, mixed, first.negatives, recipe, bench, out, log, resume) if teacher else ()
    if until == "teacher":
        return model
    if resume and _left(out, "vectors"):
        model.load_state_dict(load_state(out, "vectors"))
    else:
        learn(model, train, mixed, first.negatives, recipe.vectors, None, judge, log.line, *teachers[:1])
        save_state(model.state_dict(), out, "vectors")
        log("vectors", **bench.report(model, pairs=False))
    if until == "vectors":
        return model
    del first
    second = search_with_model(model, train, words, skip=1)
    examples = kept_examples(train, second.rank, recipe.within)
    past = commit_pairs(train, second.queries, examples)
    log(
        "looked again",
        kept=len(examples),
        mrr=_mrr(second.rank, train),
        commit_pairs=len(past.examples),
        share=round(float(past.labels.float().mean()), 3) if len(past.examples) else 0.0,
    )
    mixed = _mixed(train, examples, recipe)
    learn(model, train, mixed, second.negatives, recipe.both, past, judge, log.line, *teachers)
    del teachers
    log("both", **bench.report(model, pairs=True))
    save_state(model.state_dict(), out, "model")
    third = search_with_model(model, train, words)
    table = fit_table(model, train, examples, third, recipe.table, log)
    log("table", dimensions=recipe.table.dimensions, dev_mrr=round(judge_table(table, bench.dev), 4))
    save_state({"table": table.weight.detach()}, out, "table")
    return model


def _mixed(data: Data, examples: Tensor, recipe: Recipe) -> Tensor:
    """Examples as often as they are to be learned from."""
    return with_issues_more(data, with_long_twice(data, with_commits_twice(data, examples)), recipe.issues)


def _taught(
    state: dict[str, Tensor],
    train: Data,
    examples: Tensor,
    negatives: Tensor,
    recipe: Recipe,
    bench: HeldOutData,
    out: Path,
    log: Log,
    resume: bool,
) -> tuple[Mpnet, Mpnet | None]:
    """The teachers of vectors and of relevance, trained or taken from an earlier run; no second one without time."""

    def one(name: str, start: dict[str, Tensor], plan: TrainingPlan, taken: bool) -> Mpnet:
        if taken:
            return teacher_of(load_state(out, name)).to(train.device)
        model = teacher_of(start).to(train.device)
        if not plan.pairs:
            log(f"{name} as it comes", **bench.report(model, pairs=False))
        learn(model, train, examples, negatives, plan, judge=None if plan.pairs else _judge(bench), log=log.line)
        save_state(model.state_dict(), out, name)
        log(name, **bench.report(model, pairs=bool(plan.pairs)))
        return model

    known = resume and _left(out, "teacher")
    tutor = one("teacher", state, recipe.teacher, known)
    if not recipe.reader.seconds:
        return halved(tutor), None
    reader = one("reader", tutor.state_dict(), recipe.reader, known and _left(out, "reader"))
    return halved(tutor), halved(reader)


def _left(out: Path, name: str) -> bool:
    return any(out.glob(f"{name}.npz.*"))


def fit_table(
    model: Bert, data: Data, examples: Tensor, looked: SearchedExamples, plan: TablePlan, log: Log
) -> torch.nn.Embedding:
    """Distil a static table from a model."""
    start = first_table(model, plan.dimensions, model.shape.vocabulary)
    teacher = (looked.documents, looked.queries)
    return learn_table(start, data, examples, looked.negatives, teacher, plan, log.line)


def _judge(bench: HeldOutData) -> Callable[[Bert | Mpnet], float]:
    return lambda model: held_out(model, bench.dev)


def _mrr(rank: Tensor, data: Data) -> float:
    return round(float((1.0 / rank[data.kind == COMMIT].float()).mean()), 4)


def load_training(folder: Path, device: str) -> tuple[dict[str, Tensor], Data, HeldOutData]:
    """What a data folder holds: `base.npz.*`, `train.xz.*`, and `dev.xz*`."""
    base = load_state(folder, "base")
    train = Data(load_pack(list(folder.glob("train.xz*"))), device)
    return base, train, load_held_out(folder, from_checkpoint(base).to(device), device)


def main(arguments: Sequence[str] | None = None) -> None:
    """`python -m trackdown.lab.train.recipe DATA OUT`: the whole recipe on a GPU, without the command line's needs."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--seconds",
        type=float,
        nargs=5,
        default=(0.0, 0.0, 200.0, 200.0, 40.0),
        metavar=("TEACHER", "READER", "VECTORS", "BOTH", "TABLE"),
    )
    parser.add_argument("--until", choices=["teacher", "vectors"], default="")
    parser.add_argument("--resume", action="store_true", help="take what an earlier run left in OUT")
    parser.add_argument("--batch", type=int, help="queries of a step that learns vectors")
    parser.add_argument("--small", action="store_true", help="the recipe for a CPU")
    parser.add_argument("--compiled", action="store_true")
    given = parser.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    teacher, reader, vectors, both, table = given.seconds
    plain = SMALL if given.small else Recipe()
    batch = given.batch or plain.vectors.batch
    recipe = replace(
        plain,
        teacher=replace(plain.teacher, seconds=teacher),
        reader=replace(plain.reader, seconds=reader),
        vectors=replace(plain.vectors, seconds=vectors, batch=batch, compiled=given.compiled),
        both=replace(plain.both, seconds=both, compiled=given.compiled),
        table=replace(plain.table, seconds=table),
    )
    log = Log(given.out / "log.jsonl", goes_on=given.resume)
    base, train, bench = load_training(given.data, device)
    log("loaded")
    state = load_state(given.data, "teacher") if teacher and _left(given.data, "teacher") else None
    run_recipe(recipe, base, train, bench, given.out, log, state, resume=given.resume, until=given.until)


if __name__ == "__main__":
    main()
