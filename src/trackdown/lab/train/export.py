"""Trained weights → a folder of models that search can open: ONNX graphs, a static table, a manifest. Needs `train`.

The graph is exported in full precision and then made small: matrix products become int8, and rows of the word embedding
int8 with a scale each.
"""

from __future__ import annotations

import copy
import json
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from trackdown.errors import ModelError
from trackdown.lab.train.fidelity import check_fidelity
from trackdown.lab.train.quantise import quantise
from trackdown.lab.train.transformer import Bert, from_checkpoint, pooled
from trackdown.models import (
    MANIFEST,
    ModelManifest,
    Role,
    file_entry,
    quantised,
    read_manifest,
    write_manifest,
)

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = {"encoder": "embedding", "cross_encoder": "relevance"}
TOKENS = "tokens"
LONGEST = {"encoder": 224, "cross_encoder": 384}
MAX_QUERY_TOKENS = {"encoder": 512, "cross_encoder": 190}
_OPSET = 17


def export(
    model: Bert,
    tokenizer_json: Path,
    folder: Path,
    *,
    name: str,
    licence: str = "Apache-2.0",
    origin: str = "",
    int8: bool = True,
    roles: Sequence[str] = ("encoder", "cross_encoder"),
    texts: Sequence[str] = (),
) -> ModelManifest:
    """Write the model as one graph with an output for each role, and enter it in the folder's manifest.

    A model that has learned late interaction has one more output: a vector for each token.

    Called twice with one role each, it makes a set in which the roles have files of their own. With spoken `texts` the
    graph is compared with the model: `figures` of the manifest that is returned say how true it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("encoder.onnx" if "encoder" in roles else "cross_encoder.onnx")
    graph = _Graph(model, roles, int8).eval()
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as aside:
        whole, small = Path(aside) / "whole.onnx", Path(aside) / "small.onnx"
        _write_graph(graph, whole)
        if int8:
            quantise(whole, small)
        shutil.move(small if int8 else whole, path)
    tokenizer = copy_tokenizer(tokenizer_json, folder)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    made = {
        role: Role(
            file=path.name,
            tokenizer=tokenizer.name,
            parameters=parameters,
            dimensions=model.shape.width if role == "encoder" else 0,
            output=OUTPUTS[role],
            longest=min(LONGEST[role], model.shape.positions),
            longest_query=min(MAX_QUERY_TOKENS[role], model.shape.positions),
            tokens=TOKENS if role == "encoder" and model.knows_tokens else "",
            token_dimensions=model.shape.late if role == "encoder" and model.knows_tokens else 0,
        )
        for role in roles
    }
    manifest = enter(folder, ModelManifest(name, licence, origin, made, {}))
    return check_fidelity(model, folder, texts) if texts else manifest


def export_folder(source: Path, folder: Path, *, int8: bool = True, texts: Sequence[str] = ()) -> ModelManifest:
    """Export the encoder of a sentence-transformers folder that has safetensors only.

    Raises ModelError when it is not a BERT, or does not pool by the mean: nothing else can be exported.
    """
    config = _settings(source / "config.json")
    pooling = _settings(source / "1_Pooling" / "config.json")
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        raise ModelError(f"{source} is not a BERT with gelu: only these can be exported")
    if not pooling.get("pooling_mode_mean_tokens"):
        raise ModelError(f"{source} does not pool by the mean: only such models can be exported")
    try:
        model = from_checkpoint(load_file(source / "model.safetensors"))
    except (OSError, KeyError, ValueError, SafetensorError) as error:
        raise ModelError(f"{source}/model.safetensors cannot be read as a BERT ({error})") from None
    if model.shape.heads != config.get("num_attention_heads"):
        raise ModelError(f"{source} has {config.get('num_attention_heads')} heads, read as {model.shape.heads}")
    name = source.resolve().name
    tokenizer = source / "tokenizer.json"
    return export(model, tokenizer, folder, name=name, licence="", int8=int8, roles=("encoder",), texts=texts)


def export_static(
    table: npt.NDArray[np.float32],
    tokenizer_json: Path,
    folder: Path,
    *,
    name: str,
    licence: str = "Apache-2.0",
    origin: str = "",
) -> ModelManifest:
    """Write a table with a row per word piece; the weight that a piece has in a sum is the length of its row."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "static.npy", quantised(table))
    tokenizer = copy_tokenizer(tokenizer_json, folder)
    role = Role("static.npy", tokenizer.name, parameters=int(table.size), dimensions=int(table.shape[1]))
    return enter(folder, ModelManifest(name, licence, origin, {"static": role}, {}))


def copy_tokenizer(source: Path, folder: Path) -> Path:
    """The tokenizer without its padding and truncation, which are ours to do."""
    content = json.loads(source.read_text("utf-8")) | {"padding": None, "truncation": None}
    target = folder / "tokenizer.json"
    target.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), "utf-8")
    return target


def _settings(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{path} cannot be read ({error}): name a sentence-transformers folder") from None


def enter(folder: Path, made: ModelManifest) -> ModelManifest:
    """Add roles to the manifest that the folder has, or begin one. Files are summed anew."""
    before = read_manifest(folder) if (folder / MANIFEST).exists() else made
    roles = {**before.roles, **made.roles}
    names = sorted({name for role in roles.values() for name in (role.file, role.tokenizer)})
    files = {name: file_entry(folder / name) for name in names}
    merged = replace(made, roles=roles, files=files, figures=before.figures)
    write_manifest(folder, merged)
    return merged


class _Int8Embedding(nn.Module):
    """An embedding whose rows are int8 with a scale each: a quarter of the bytes, and no outlier spoils other rows."""

    values: Tensor
    scales: Tensor

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        scales = weight.abs().amax(1, keepdim=True).clamp(min=1e-12) / 127
        self.register_buffer("values", torch.round(weight / scales).to(torch.int8))
        self.register_buffer("scales", scales)

    def forward(self, ids: Tensor) -> Tensor:
        return self.values[ids].float() * self.scales[ids]


class _Graph(nn.Module):
    """What is exported: the model with one output for each role, and tokens, over one pass through its layers."""

    def __init__(self, model: Bert, roles: Sequence[str], int8: bool) -> None:
        super().__init__()
        self.model = copy.deepcopy(model).cpu().float()
        self.outputs = [OUTPUTS[role] for role in roles]
        if "encoder" in roles and model.knows_tokens:
            self.outputs.append(TOKENS)
        if int8:
            self.model.words = _Int8Embedding(self.model.words.weight.detach())  # type: ignore[assignment]

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, ...]:
        state = self.model.hidden(ids, mask, types)
        heads = {
            OUTPUTS["encoder"]: lambda: pooled(state, mask),
            TOKENS: lambda: self.model.tokens(state, mask),
            OUTPUTS["cross_encoder"]: lambda: self.model.judge(state),
        }
        return tuple(heads[name]() for name in self.outputs)


def _write_graph(graph: _Graph, path: Path) -> None:
    example = torch.ones(2, 9, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            graph,
            (example, example, torch.zeros_like(example)),
            path,
            input_names=list(INPUTS),
            output_names=graph.outputs,
            dynamic_axes={
                name: {0: "rows", 1: "length"} if name in (*INPUTS, TOKENS) else {0: "rows"}
                for name in (*INPUTS, *graph.outputs)
            },
            opset_version=_OPSET,
            dynamo=False,
        )
    assert not any(part.training for part in graph.modules())
