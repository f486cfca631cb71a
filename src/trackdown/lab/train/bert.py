"""A small BERT in plain PyTorch, with the two heads that share it: a vector for a text, a relevance for a pair.

The parameters have the names that checkpoints of all-MiniLM-L6-v2 use, so its weights load as they are. `layers` keeps
the first of them, `vocabulary` takes rows of the embedding.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as f


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the transformer."""

    vocabulary: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 512

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


class Layer(nn.Module):
    """Attention and feed-forward, each with its residual and norm behind it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = nn.Linear(shape.width, shape.width)
        self.key = nn.Linear(shape.width, shape.width)
        self.value = nn.Linear(shape.width, shape.width)
        self.output = nn.Linear(shape.width, shape.width)
        self.output_norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.outer_norm = nn.LayerNorm(shape.width, eps=1e-12)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        rows, length, width = hidden.shape

        def split(values: Tensor) -> Tensor:
            return values.view(rows, length, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        if torch.onnx.is_in_onnx_export():
            scores = query @ key.transpose(2, 3) / math.sqrt(width // self.heads) + mask
            mixed = torch.softmax(scores, dim=-1) @ value
        else:
            mixed = f.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        mixed = mixed.transpose(1, 2).reshape(rows, length, width)
        hidden = self.output_norm(hidden + self.output(mixed))
        return self.outer_norm(hidden + self.outer(f.gelu(self.inner(hidden))))


class Bert(nn.Module):
    """Token ids → hidden states, with an embedding head (mean, length 1) and a relevance head (a number)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.types = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.dense = nn.Linear(shape.width, shape.width)
        self.relevance_head = nn.Linear(shape.width, 1)

    def hidden(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """The last layer's states. `mask` is 1 for a token, 0 for padding."""
        places = torch.arange(ids.shape[1], device=ids.device)
        kinds = self.types(types) if types is not None else self.types.weight[0]
        state = self.norm(self.words(ids) + self.places(places)[None] + kinds)
        bias = (1.0 - mask[:, None, None, :].to(state.dtype)) * -1e4
        for layer in self.layers:
            state = layer(state, bias)
        return state

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """A vector of length 1 for each text: the mean of its states."""
        return pooled(self.hidden(ids, mask), mask)

    def relevance(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """How well the second text of each pair answers the first: a logit."""
        return self.judge(self.hidden(ids, mask, types))

    def judge(self, state: Tensor) -> Tensor:
        return self.relevance_head(torch.tanh(self.dense(state[:, 0]))).squeeze(-1)


def pooled(state: Tensor, mask: Tensor) -> Tensor:
    """The mean over tokens, with length 1."""
    weight = mask[:, :, None].to(state.dtype)
    return f.normalize((state * weight).sum(1) / weight.sum(1).clamp(min=1.0), dim=-1)


_NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm",
    "pooler.dense": "dense",
}
_LAYER_NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "output_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "outer_norm",
}


def from_checkpoint(state: dict[str, Tensor], layers: int | None = None) -> Bert:
    """The model of a BERT checkpoint (its state dict), or of a state of ours, whose relevance head it keeps.

    `layers` keeps so many, spread evenly over what is there; never more than there are. Raises KeyError for the state
    of something else.
    """
    ours = state if "words.weight" in state else _ours(state)
    there = 1 + max((int(name.split(".")[1]) for name in ours if name.startswith("layers.")), default=0)
    wanted = min(layers or there, there)
    kept = [round(place * (there - 1) / max(wanted - 1, 1)) for place in range(wanted)]
    words, width = ours["words.weight"].shape
    inner, positions = ours["layers.0.inner.weight"].shape[0], ours["places.weight"].shape[0]
    model = Bert(Shape(words, width, wanted, max(width // 32, 1) if width == 384 else width // 64, inner, positions))
    chosen = {name: value for name, value in ours.items() if not name.startswith("layers.")}
    for place, layer in enumerate(kept):
        for name in _LAYER_NAMES.values():
            for end in ("weight", "bias"):
                chosen[f"layers.{place}.{name}.{end}"] = ours[f"layers.{layer}.{name}.{end}"]
    model.load_state_dict(chosen, strict=False)
    return model


def _ours(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A checkpoint under our names."""
    found: dict[str, Tensor] = {}
    for theirs, value in state.items():
        name, _, end = theirs.removeprefix("bert.").rpartition(".")
        if name in _NAMES:
            found[f"{_NAMES[name]}.{end}"] = value
        elif name.startswith("encoder.layer."):
            number, _, rest = name.removeprefix("encoder.layer.").partition(".")
            if rest in _LAYER_NAMES:
                found[f"layers.{number}.{_LAYER_NAMES[rest]}.{end}"] = value
    return found


__all__ = ["Bert", "Shape", "from_checkpoint", "pooled"]
