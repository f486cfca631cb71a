"""`trackdown train --own --reranker`: the reranker, fine-tuned on a repository's own older commits.

The newer commits judge, with what search uses now on the other side: both order, for each of them, the units it edited
among those that BM25 takes for them. Only where that wins is a folder of models left, whose other parts are those of
the set in use. The models that come with the program are int8 graphs, which cannot be trained: `base` must be given.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from trackdown.errors import ModelError, UsageError
from trackdown.lab.gate import ALPHA
from trackdown.lab.measure.significance import paired_permutation_test
from trackdown.lab.mine.harvest import Harvest, Limits
from trackdown.lab.mine.negatives import bm25_negatives
from trackdown.lab.mine.pairs import harvest
from trackdown.lab.train.bert import Bert, from_checkpoint
from trackdown.lab.train.export import copy_tokenizer, export
from trackdown.lab.train.learn import Plan, learn
from trackdown.lab.train.log import Say, on_screen
from trackdown.lab.train.pack import Packer
from trackdown.lab.train.pack_folder import Row, by_time, read_tokenizer
from trackdown.lab.train.ragged import Data
from trackdown.lab.train.recipe import look, look_at_words
from trackdown.lab.train.states import WHERE_FROM, load_base
from trackdown.lab.train.whole import chosen_device
from trackdown.models.manifest import write_manifest
from trackdown.models.normalization import normalized, normalized_unit
from trackdown.models.registry import Models, open_models
from trackdown.settings import Settings

FEWEST_CASES = 40
OLDER = 0.7
LIMITS = Limits(cases=600, docstrings=0)
ON_A_GPU = Plan(steps=300, batch=0, pairs=32, hard_pairs=5, relevance="listwise", rate=3e-5)
ON_A_CPU = replace(ON_A_GPU, steps=80, pairs=4, hard_pairs=3, pair_query_tokens=64, pair_tokens=192)
_AMONG = 20


@dataclass(frozen=True, slots=True)
class Question:
    """A newer commit: its message, the texts to order, and how many of them (the first ones) are right."""

    query: str
    texts: tuple[str, ...]
    right: int


def fit_own_reranker(
    place: str,
    settings: Settings,
    base: Path | None,
    out: Path | None,
    *,
    plan: Plan | None = None,
    max_cases: int | None = None,
    dry_run: bool = False,
    say: Say = on_screen,
) -> dict[str, Any]:
    """Fine-tune, judge, and write a folder of models if it won. `dry_run` counts the commits and stops there.

    Raises UsageError for too few commits and for a base or folder that is missing, and what `harvest` raises.
    """
    found = harvest(place, str(place), replace(LIMITS, cases=max_cases or LIMITS.cases))
    documents, examples = _rows(found)
    older, newer = by_time(examples, OLDER)
    report: dict[str, Any] = {"commits": len(older) + len(newer), "older": len(older), "newer": len(newer)}
    if dry_run:
        return report | {"needed": FEWEST_CASES}
    if len(older) + len(newer) < FEWEST_CASES or not older or not newer:
        raise UsageError(f"{place}: {report['commits']} commits can be learned from, and {FEWEST_CASES} are needed")
    if base is None or out is None:
        raise UsageError(f"--own --reranker needs --base and --out; for --base {WHERE_FROM}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not an empty folder: name one for the models")
    state, tokenizer = load_base(base)
    in_use = open_models(settings.models, settings.thread_count) if settings.models != "none" else None
    device = chosen_device()
    torch.manual_seed(0)  # a checkpoint has no relevance head: it begins at random
    try:
        model = from_checkpoint(state).to(device)
    except (KeyError, ValueError) as error:
        raise ModelError(f"{base} does not hold a BERT ({error})") from None
    questions = _questions(found, newer)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".part-") as aside:
        reads = in_use is not None and in_use.cross_encoder is not None
        before = in_use if in_use and reads else _export(model, tokenizer, Path(aside) / "before", in_use)
        first = _judged(before, questions)
        packer = Packer(read_tokenizer(tokenizer))
        packer.add(str(place), documents, older)
        _learn(model, Data(packer.pack(), device), plan or (ON_A_CPU if device == "cpu" else ON_A_GPU), say)
        after = _export(model, tokenizer, Path(aside) / "after", in_use)
        second = _judged(after, questions)
        chance = paired_permutation_test(second, first)
        won = chance < ALPHA
        report |= {"MRR before": _mean(first), "MRR after": _mean(second), "p": round(chance, 4), "won": won}
        if not won:
            return report | {"result": "no win: nothing was kept, searches go on as before"}
        out.mkdir(exist_ok=True)
        for path in after.folder.iterdir():
            shutil.move(path, out / path.name)
    return report | {"result": f"won: set TRACKDOWN_MODELS={out.resolve()} for searches in this repository"}


def _rows(found: Harvest) -> tuple[list[Row], list[Row]]:
    documents = [asdict(one) | {"present_path": found.present_path(one.path)} for one in found.documents]
    return documents, [asdict(example) for example in found.examples]


def _learn(model: Bert, data: Data, plan: Plan, say: Say) -> None:
    words = look_at_words(data, model.shape.vocabulary)
    looked = look(model, data, words)
    learn(model, data, torch.arange(data.pack.examples, device=data.device), looked.negatives, plan, log=say)


def _export(model: Bert, tokenizer: Path, folder: Path, in_use: Models | None) -> Models:
    """The model as the reranker of the set in use; as a set of its own where there is none, or none that fits."""
    folder.mkdir()
    roles, name = ["encoder", "cross_encoder"], "own"
    if in_use is not None and _copied(in_use, tokenizer, folder):
        roles, name = ["cross_encoder"], f"{in_use.manifest.name}+own"
    export(model, tokenizer, folder, name=name, licence="", roles=roles)
    return open_models(folder)


def _copied(in_use: Models, tokenizer: Path, folder: Path) -> bool:
    """Copy the other parts of a set, if one tokenizer serves them and the model."""
    manifest = in_use.manifest
    kept = {name: role for name, role in manifest.roles.items() if name != "cross_encoder"}
    ours = copy_tokenizer(tokenizer, folder).read_bytes()
    if not kept or any((in_use.folder / role.tokenizer).read_bytes() != ours for role in kept.values()):
        return False
    for role in kept.values():
        (folder / role.file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(in_use.folder / role.file, folder / role.file)
    names = {name for role in kept.values() for name in (role.file, role.tokenizer)}
    files = {name: entry for name, entry in manifest.files.items() if name in names}
    write_manifest(folder, replace(manifest, roles=kept, files=files, figures={}))
    return True


def _questions(found: Harvest, newer: list[Row]) -> list[Question]:
    ranked = bm25_negatives(
        [row["message"] for row in newer], found.documents, [row["answers"] for row in newer], _AMONG,
        unit_of=lambda document: (found.present_path(document.path), document.symbol),
    )  # fmt: skip
    questions = []
    for row, wrong in zip(newer, ranked.negatives, strict=True):
        listed = [found.documents[number] for number in (*row["answers"], *wrong)]
        texts = tuple(normalized_unit(one.path, one.symbol, one.code) for one in listed)
        questions.append(Question(normalized(row["message"]), texts, len(row["answers"])))
    return questions


def _judged(models: Models, questions: list[Question]) -> list[float]:
    """The reciprocal rank of the first right text of each question."""
    reader = models.cross_encoder
    if reader is None:
        raise ModelError(f"{models.folder} has no reranker")
    ranks = []
    for question in questions:
        scores = reader.score(question.query, list(question.texts))
        best = scores[: question.right].max()
        ranks.append(1.0 / (1 + int((scores[question.right :] >= best).sum())))
    return ranks


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 4)


__all__ = ["FEWEST_CASES", "fit_own_reranker"]
