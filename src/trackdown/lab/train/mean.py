"""Runs → one folder of models that search can open: the mean of their weights, exported, and how true int8 is to it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.array_files import has_parts
from trackdown.lab.train.export import copy_tokenizer, enter, export, export_static
from trackdown.lab.train.pack import DEV, load_pack
from trackdown.lab.train.packing import read_tokenizer
from trackdown.lab.train.training_state import MODEL, TABLE, load_base, load_state, save_state
from trackdown.lab.train.transformer import Bert, from_checkpoint
from trackdown.models import ModelManifest, Role, read_manifest

STATIC = "static.npy"
_CHECKED = 120


def mean_state(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor. Raises ModelError when the states are of different shapes."""
    first = states[0]
    for other in states[1:]:
        if {name: value.shape for name, value in first.items()} != {n: value.shape for n, value in other.items()}:
            raise ModelError("these models have different shapes: only runs from one base can be averaged")
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in first}


def mean_of_runs(
    runs: Sequence[Path],
    out: Path,
    *,
    static: Path | None = None,
    texts: Sequence[str] = (),
    pack: Path | None = None,
    licence: str = "",
) -> dict[str, Any]:
    """Average runs, export the mean to a folder that TRACKDOWN_MODELS can name, and compare int8 with full precision.

    A run is any folder that can be trained on. The static table is that of the folder `static`, or one that a run
    distilled. The comparison reads documents of a pack's held-out repositories, or `texts`. Raises UsageError and
    ModelError for what is not there.
    """
    if not runs:
        raise UsageError("there is no run to average: name folders that `trackdown train models` wrote")
    states, tokenizers = zip(*(load_base(run) for run in runs), strict=True)
    models = [_model(state, run) for state, run in zip(states, runs, strict=True)]
    mean = from_checkpoint(mean_state([model.state_dict() for model in models])).eval()
    name = out.resolve().name
    origin = f"trackdown train mean of {len(runs)}: {', '.join(run.resolve().name for run in runs)}"
    about: dict[str, Any] = {"name": name, "licence": licence, "origin": origin}
    table = _take_table(runs, static, tokenizers[0], out, about)
    read = _documents(pack, tokenizers[0]) if pack is not None else list(texts)
    manifest = export(mean, tokenizers[0], out, texts=read, **about)
    save_state(mean.state_dict(), out, MODEL)
    return {
        "models": str(out),
        "runs": len(runs),
        "static table": table or "none",
        "int8 against full precision": {part: dict(found) for part, found in manifest.figures.items()},
        "use it with": f"TRACKDOWN_MODELS={out.resolve()}",
    }


def _model(state: dict[str, Tensor], run: Path) -> Bert:
    try:
        return from_checkpoint(state)
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(f"{run} does not hold a BERT ({error})") from None


def _take_table(runs: Sequence[Path], static: Path | None, tokenizer: Path, out: Path, about: dict[str, Any]) -> str:
    """Put a static table into the folder. Returns where it comes from."""
    if static is not None:
        role = read_manifest(static).roles.get("static")
        if role is None:
            raise UsageError(f"{static} has no static table: name a folder of models that has one")
        out.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(static / role.file, out / STATIC)
        copy_tokenizer(tokenizer, out)
        kept = Role(STATIC, "tokenizer.json", parameters=role.parameters, dimensions=role.dimensions)
        enter(out, ModelManifest(about["name"], about["licence"], about["origin"], {"static": kept}, {}))
        return str(static)
    for run in reversed(runs):
        if has_parts(run, f"{TABLE}.npz"):
            export_static(load_state(run, TABLE)[TABLE].numpy(), tokenizer, out, **about)
            return str(run)
    return ""


def _documents(pack: Path, tokenizer: Path) -> list[str]:
    """Some documents of held-out repositories, from all over the pack, as a model reads them."""
    held = load_pack(pack, DEV)
    bounds = list(pairwise(held.document_start.tolist()))
    rows = [held.document[start:end].tolist() for start, end in bounds[:: max(1, len(bounds) // _CHECKED)][:_CHECKED]]
    return list(read_tokenizer(tokenizer).decode_batch(rows))
