"""Read a sentence-transformers folder as a set of models with one encoder.

It needs an ONNX graph (model.onnx or onnx/model.onnx) with the output last_hidden_state, and tokenizer.json. The
pooling module's config.json says how token vectors become one vector, which is always scaled to length 1.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trackdown.errors import ModelError
from trackdown.models.manifest import ModelManifest, Role
from trackdown.models.weights_file import file_entry
from trackdown.plain_files import read_plain

_GRAPHS = ("model.onnx", "onnx/model.onnx")
_POOLINGS = ("1_Pooling/config.json", "modules/1_Pooling/config.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_MAX_TOKENS = 512
_BYTES_PER_PARAMETER = 4


def read_sentence_transformers(folder: Path) -> ModelManifest:
    """The manifest of such a folder. Raises ModelError that says what is missing."""
    graph = next((name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None:
        if any((folder / name).is_file() for name in _WEIGHTS):
            raise ModelError(f"{folder} has no ONNX graph: export it with `trackdown train export {folder}`")
        raise ModelError(f"{folder} has no models: it needs manifest.json, or model.onnx and tokenizer.json")
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(f"{folder} has no tokenizer.json: save the model's fast tokenizer there")
    pooling = next((_read(folder / name) for name in _POOLINGS if (folder / name).is_file()), None)
    if pooling is None:
        raise ModelError(f"{folder} has no 1_Pooling/config.json, which says how token vectors are pooled")
    config = _read(folder / "config.json")
    dimensions = pooling.get("word_embedding_dimension") or config.get("hidden_size")
    if not isinstance(dimensions, int):
        raise ModelError(f"{folder} does not say how many dimensions its vectors have (1_Pooling/config.json)")
    file = file_entry(folder / graph)
    role = Role(
        file=graph,
        tokenizer="tokenizer.json",
        parameters=file.bytes // _BYTES_PER_PARAMETER,
        dimensions=dimensions,
        output="last_hidden_state",
        pooling=_kind(folder, pooling),
        longest=_longest(folder, config),
    )
    files = {graph: file, "tokenizer.json": file_entry(folder / "tokenizer.json")}
    name = folder.resolve().name
    return ModelManifest(name, "as its authors say", str(folder), {"encoder": role}, files)


def _kind(folder: Path, pooling: dict[str, Any]) -> str:
    """Mean or first token. Other poolings of sentence-transformers, and combinations, are refused."""
    wanted = {name for name, value in pooling.items() if name.startswith("pooling_mode_") and value is True}
    kinds = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if len(wanted) != 1 or not wanted <= kinds.keys():
        raise ModelError(f"{folder} pools by {', '.join(sorted(wanted)) or 'nothing'}: only mean and cls are supported")
    return kinds[wanted.pop()]


def _longest(folder: Path, config: dict[str, Any]) -> int:
    limits = (_read(folder / "sentence_bert_config.json").get("max_seq_length"), config.get("max_position_embeddings"))
    return min([_MAX_TOKENS, *(number for number in limits if isinstance(number, int) and number > 0)])


def _read(path: Path) -> dict[str, Any]:
    """A JSON file of settings; empty if there is none."""
    try:
        content = json.loads(read_plain(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as JSON ({error}): put the right file there") from None
    return content if isinstance(content, dict) else {}
