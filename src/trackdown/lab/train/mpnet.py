"""The teacher: an MPNet in plain PyTorch, such as all-mpnet-base-v2, that reads the token ids of our own vocabulary.

It differs from a BERT in where positions enter: as embeddings that count from 2, and as a learned bias on the distance
of two tokens that all layers share. Its word pieces are BERT's under other numbers.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import torch
from torch import Tensor, nn

from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.bert import Layer, Shape, pooled
from trackdown.lab.train.states import CHECKPOINT, TOKENIZER

IDS = "ids"
"""The key in a teacher's state of the map from our ids to its own."""
_BUCKETS, _FAR = 32, 128
_SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>", "[UNK]": "<unk>"}
_NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.LayerNorm": "norm",
    "encoder.relative_attention_bias": "distances",
}
_LAYER_NAMES = {
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "output",
    "attention.LayerNorm": "output_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "outer_norm",
}


class Mpnet(nn.Module):
    """Token ids → a vector for a text, or a relevance for a pair: the heads of the model that it teaches."""

    def __init__(self, shape: Shape, ids: Tensor) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-5)
        # The fast kernels of attention give a bias no gradient, so this one stays as it came.
        self.distances = nn.Embedding(_BUCKETS, shape.heads).requires_grad_(False)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.dense = nn.Linear(shape.width, shape.width)
        self.relevance_head = nn.Linear(shape.width, 1)
        self.register_buffer(IDS, ids.long())
        for layer in self.layers:
            layer.output_norm.eps = layer.outer_norm.eps = 1e-5

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """A vector of length 1 for each text: the mean of its states."""
        return pooled(self.hidden(ids, mask), mask)

    def relevance(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """How well the second text of each pair answers the first. An MPNet tells them apart by what is between."""
        state = self.hidden(ids, mask)
        return self.relevance_head(torch.tanh(self.dense(state[:, 0]))).squeeze(-1)

    def hidden(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The last layer's states. The ids are ours."""
        places = torch.arange(ids.shape[1], device=ids.device)
        state = self.norm(self.words(self.ids[ids]) + self.places(places + 2)[None])
        near = self.distances(bucket(places[None, :] - places[:, None])).permute(2, 0, 1)[None]
        bias = near + (1.0 - mask[:, None, None, :].to(near.dtype)) * -1e4
        for layer in self.layers:
            state = layer(state, bias.to(state.dtype))
        return state


def bucket(distance: Tensor) -> Tensor:
    """The number of the bucket for a distance: small ones have their own, far ones share, each side its half."""
    half = _BUCKETS // 2
    exact = half // 2
    far = distance.abs()
    scale = (half - exact) / math.log(_FAR / exact)
    shared = exact + (torch.log(far.float().clamp(min=1) / exact) * scale).long()
    return torch.where(distance > 0, half, 0) + torch.where(far < exact, far, shared.clamp(max=half - 1))


def teacher(state: dict[str, Tensor]) -> Mpnet:
    """The model of a state that `teacher_state` read, or that training left; only that has a relevance head.

    Raises KeyError for the state of something else.
    """
    words, width = state["words.weight"].shape
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    inner = state["layers.0.inner.weight"].shape[0]
    shape = Shape(words, width, layers, state["distances.weight"].shape[1], inner, state["places.weight"].shape[0])
    model = Mpnet(shape, state[IDS])
    model.load_state_dict({**model.state_dict(), **state, IDS: state[IDS].long()})
    return model


def teacher_state(folder: Path, our_tokenizer: Path) -> dict[str, Tensor]:
    """The weights of a sentence-transformers folder with an MPNet, and the map from our ids to its own.

    Raises UsageError for a folder of something else, ModelError for weights that cannot be read.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        raw = load_file(folder / CHECKPOINT)
        theirs = _vocabulary(folder / TOKENIZER)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise ModelError(f"{folder} holds no MPNet that can be read ({error})") from None
    found: dict[str, Tensor] = {}
    for name, value in raw.items():
        stem, _, end = name.rpartition(".")
        if stem in _NAMES:
            found[f"{_NAMES[stem]}.{end}"] = value
        elif stem.startswith("encoder.layer."):
            number, _, rest = stem.removeprefix("encoder.layer.").partition(".")
            if rest in _LAYER_NAMES:
                found[f"layers.{number}.{_LAYER_NAMES[rest]}.{end}"] = value
    if "distances.weight" not in found:
        raise UsageError(f"{folder} holds no MPNet: name a folder of all-mpnet-base-v2 or of one like it")
    ours = _vocabulary(our_tokenizer)
    unknown = theirs["<unk>"]
    ids = torch.full((max(ours.values()) + 1,), unknown, dtype=torch.long)
    for piece, number in ours.items():
        ids[number] = theirs.get(_SPECIAL.get(piece, piece), unknown)
    return {**found, IDS: ids}


def halved(model: Mpnet) -> Mpnet:
    """The model in bfloat16, to be asked and not trained."""
    return model.to(torch.bfloat16).eval().requires_grad_(False)


def _vocabulary(tokenizer: Path) -> dict[str, int]:
    found = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    return {str(piece): int(number) for piece, number in found.items()}


__all__ = ["IDS", "Mpnet", "bucket", "halved", "teacher", "teacher_state"]
