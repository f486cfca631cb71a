"""`trackdown train --data MINED --base FOLDER --out FOLDER`: from mined files to models that search can open.

The folder that comes of it holds the set of models, and in `training` what they were trained with: the packs, the
weights in a form that can be trained on, and `log.jsonl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trackdown.errors import ModelError
from trackdown.lab.train.ablations import PLAN, SMALL_PLAN, run_ablations
from trackdown.lab.train.batches import Data
from trackdown.lab.train.export import export, export_static
from trackdown.lab.train.judge import HeldOutData, load_held_out
from trackdown.lab.train.pack import Pack, Packed, PackLimits, load_pack, pack_folder, read_tokenizer
from trackdown.lab.train.recipe import SMALL, Recipe, run_recipe
from trackdown.lab.train.training_state import TOKENIZER, TRAINING, Log, Say, load_base, load_state, on_screen
from trackdown.lab.train.transformer import from_checkpoint, teacher_state

FEW = PackLimits(others=200, examples=300)
"""Of each repository, where a small recipe is to end in minutes."""
_CHECKED = 48


@dataclass(slots=True)
class TrainingInputs:
    """All that training needs."""

    base: dict[str, Tensor]
    tokenizer: Path
    packed: Packed
    train: Data
    bench: HeldOutData
    log: Log


def prepare_training(
    mined: Path,
    base: Path,
    out: Path,
    held_out: Sequence[str] = (),
    *,
    issues: Path | None = None,
    small: bool = False,
    say: Say = on_screen,
) -> TrainingInputs:
    """Pack a mined folder, and one of issues, below `out`, and load everything.

    Raises UsageError and ModelError for what is not there.
    """
    state, tokenizer = load_base(base)
    try:
        model = from_checkpoint(state)
    except (KeyError, ValueError) as error:
        raise ModelError(f"{base} does not hold a BERT ({error})") from None
    device = chosen_device()
    if device == "cpu" and not small:
        say("There is no GPU here: this takes days on a CPU. --small takes minutes.")
    packed = pack_folder(mined, read_tokenizer(tokenizer), out / TRAINING, held_out, FEW if small else None, issues)
    log = Log(out / TRAINING / "log.jsonl", say)
    log("packed", **asdict(packed))
    train = Data(load_pack([out / TRAINING / "train.xz"]), device)
    return TrainingInputs(state, tokenizer, packed, train, load_held_out(out / TRAINING, model.to(device), device), log)


def chosen_device() -> str:
    """A GPU if there is one, else the CPU."""
    if not torch.cuda.is_available():
        return "cpu"
    torch.set_float32_matmul_precision("high")
    return "cuda"


def train_models(
    mined: Path,
    base: Path,
    out: Path,
    *,
    held_out: Sequence[str] = (),
    teacher: Path | None = None,
    issues: Path | None = None,
    recipe: Recipe | None = None,
    small: bool = False,
    say: Say = on_screen,
) -> dict[str, Any]:
    """Train by the published recipe, or by a small one, export, and compare what was exported with what was trained.

    `teacher` is a folder with a larger model to learn from, an MPNet, `issues` one that was mined with issues.
    """
    taught_by = None if teacher is None else teacher_state(teacher, base / TOKENIZER)
    ready = prepare_training(mined, base, out, held_out, issues=issues, small=small, say=say)
    recipe = recipe or (SMALL if small else Recipe())
    model = run_recipe(recipe, ready.base, ready.train, ready.bench, out / TRAINING, ready.log, taught_by)
    before, after = ready.log.told["start"]["base"], ready.log.told["both"]
    name = out.resolve().name
    origin = f"trackdown train: {ready.packed.repositories} repositories, from {base.resolve().name}"
    table = load_state(out / TRAINING, "table")["table"].numpy()
    export_static(table, ready.tokenizer, out, name=name, licence="", origin=origin)
    texts = _texts(ready.bench.dev.pack, ready.tokenizer)
    manifest = export(model, ready.tokenizer, out, name=name, licence="", origin=origin, texts=texts)
    ready.log("exported", figures=manifest.figures)
    return {
        "models": str(out),
        "repositories": ready.packed.repositories,
        "examples": ready.packed.train,
        "held out": ", ".join(ready.packed.held_out) or "the newest commits",
        "MRR of the base": before["dev MRR"],
        "MRR": after["dev MRR"],
        "MRR of past commits": after.get("commit MRR"),
        "int8 against full precision": {part: dict(found) for part, found in manifest.figures.items()},
        "use it with": f"TRACKDOWN_MODELS={out.resolve()}",
    }


def train_ablations(
    mined: Path, base: Path, out: Path, *, held_out: Sequence[str] = (), small: bool = False, say: Say = on_screen
) -> dict[str, Any]:
    """What each part of the recipe is worth, as lines of `training/log.jsonl`."""
    ready = prepare_training(mined, base, out, held_out, small=small, say=say)
    run_ablations(ready.base, ready.train, ready.bench, SMALL_PLAN if small else PLAN, ready.log)
    return {"log": str(out / TRAINING / "log.jsonl")}


def _texts(pack: Pack, tokenizer: Path) -> list[str]:
    """Some documents as a model reads them."""
    starts = pack.document_start[: _CHECKED + 1].tolist()
    rows = [pack.document[start:end].tolist() for start, end in pairwise(starts)]
    return list(read_tokenizer(tokenizer).decode_batch(rows))
