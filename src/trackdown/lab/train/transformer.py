"""The transformer in plain PyTorch. Heads share one body: a vector for a text, one for each token, a pair's relevance.

Its parameters map to those of all-MiniLM-L6-v2's checkpoints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from trackdown.lab.train.int8_rounding import Int8Linear, rounded
from trackdown.lab.train.int8_scale import ACTIVATION_STEPS


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the transformer."""

    vocabulary: int = 30522
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    positions: int = 512
    late: int = 64

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


class Layer(nn.Module):
    """Attention and feed-forward, each followed by its residual and norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.query = Int8Linear(shape.width, shape.width)
        self.key = Int8Linear(shape.width, shape.width)
        self.value = Int8Linear(shape.width, shape.width)
        self.output = Int8Linear(shape.width, shape.width)
        self.output_norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.inner = Int8Linear(shape.width, shape.inner)
        self.outer = Int8Linear(shape.inner, shape.width)
        self.outer_norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(0.0)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        rows, length, width = hidden.shape

        def split(values: Tensor) -> Tensor:
            return values.view(rows, length, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        if torch.onnx.is_in_onnx_export():
            scores = query @ key.transpose(2, 3) / math.sqrt(width // self.heads) + mask
            mixed = torch.softmax(scores, dim=-1) @ value
        else:
            dropped = self.dropout.p if self.training else 0.0
            mixed = f.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)
        mixed = mixed.transpose(1, 2).reshape(rows, length, width)
        hidden = self.output_norm(hidden + self.dropout(self.output(mixed)))
        return self.outer_norm(hidden + self.dropout(self.outer(f.gelu(self.inner(hidden)))))


class Bert(nn.Module):
    """Token ids → hidden states, with heads for a text (its mean, length 1), for its tokens, and for a pair (a number).

    `round_to_int8` makes it compute as the exported graph does, so that it learns to live with the rounding. `drop_out`
    sets the share of activations that training leaves out.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.types = nn.Embedding(2, shape.width)
        self.norm = nn.LayerNorm(shape.width, eps=1e-12)
        self.dropout = nn.Dropout(0.0)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.dense = nn.Linear(shape.width, shape.width)
        self.relevance_head = nn.Linear(shape.width, 1)
        self.late = Int8Linear(shape.width, shape.late)
        self.importance = Int8Linear(shape.width, 1)
        self._rounding = False
        nn.init.orthogonal_(self.late.weight)
        for value in (self.late.bias, self.importance.weight, self.importance.bias):
            nn.init.zeros_(value)

    @property
    def knows_tokens(self) -> bool:
        """Whether it has learned late interaction: until then all tokens weigh the same."""
        return bool(self.importance.weight.any())

    def round_to_int8(self, on: bool) -> None:
        self._rounding = on
        for part in self.modules():
            if isinstance(part, Int8Linear):
                part.rounding = on

    def drop_out(self, share: float) -> None:
        for part in self.modules():
            if isinstance(part, nn.Dropout):
                part.p = share

    def hidden(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """The last layer's states. `mask` is 1 for a token, 0 for padding."""
        places = torch.arange(ids.shape[1], device=ids.device)
        kinds = self.types(types) if types is not None else self.types.weight[0]
        words = self.words(ids)
        if self._rounding:
            words = rounded(words, ACTIVATION_STEPS)
        state = self.dropout(self.norm(words + self.places(places)[None] + kinds))
        bias = (1.0 - mask[:, None, None, :].to(state.dtype)) * -1e4
        for layer in self.layers:
            state = layer(state, bias)
        return state

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """A vector of length 1 for each text: the mean of its states."""
        return pooled(self.hidden(ids, mask), mask)

    def read(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """A vector for each text, and one for each token, whose length is what the token weighs; 0 for padding."""
        state = self.hidden(ids, mask)
        return pooled(state, mask), self.tokens(state, mask)

    def tokens(self, state: Tensor, mask: Tensor) -> Tensor:
        weight = torch.exp(self.importance(state).float()) * mask[:, :, None]
        return f.normalize(self.late(state).float(), dim=-1) * weight

    def relevance(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """How well the second text of each pair answers the first: a logit."""
        return self.judge(self.hidden(ids, mask, types))

    def judge(self, state: Tensor) -> Tensor:
        return self.relevance_head(torch.tanh(self.dense(state[:, 0]))).squeeze(-1)


def max_similarity(queries: Tensor, texts: Tensor) -> Tensor:
    """Late interaction: the score of each query's texts, [queries, texts], from the vectors of tokens.

    `queries` is [queries, tokens, width], `texts` [queries, texts, tokens, width]. A token's length is its weight in a
    query; in a text only whether it is 0 counts.
    """
    weight = queries.norm(dim=-1)
    there = texts.norm(dim=-1) > 0
    alike = torch.einsum("qtw,qnsw->qnts", f.normalize(queries, dim=-1), f.normalize(texts, dim=-1))
    best = alike.masked_fill(~there[:, :, None, :], -1.0).amax(-1).float()
    return (best * weight[:, None, :]).sum(-1) / weight.sum(-1, keepdim=True).clamp(min=1e-9)


def pooled(state: Tensor, mask: Tensor) -> Tensor:
    """The mean over tokens, with length 1."""
    weight = mask[:, :, None].to(state.dtype)
    return f.normalize((state * weight).sum(1) / weight.sum(1).clamp(min=1.0), dim=-1)


_BERT_NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm",
    "pooler.dense": "dense",
}
_BERT_LAYER_NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "output",
    "attention.output.LayerNorm": "output_norm",
    "intermediate.dense": "inner",
    "output.dense": "outer",
    "output.LayerNorm": "outer_norm",
}


def from_checkpoint(state: dict[str, Tensor]) -> Bert:
    """The model of a BERT checkpoint (its state dict), or of a state of ours, whose heads it keeps.

    Raises KeyError for the state of something else.
    """
    ours = state if "words.weight" in state else _renamed(state, _BERT_NAMES, _BERT_LAYER_NAMES)
    layers = 1 + max((int(name.split(".")[1]) for name in ours if name.startswith("layers.")), default=0)
    words, width = ours["words.weight"].shape
    inner, positions = ours["layers.0.inner.weight"].shape[0], ours["places.weight"].shape[0]
    late = ours["late.weight"].shape[0] if "late.weight" in ours else 64
    heads = max(width // 32, 1) if width == 384 else width // 64
    model = Bert(Shape(words, width, layers, heads, inner, positions, late))
    model.load_state_dict(ours, strict=False)
    return model


def _renamed(state: dict[str, Tensor], names: Mapping[str, str], layer_names: Mapping[str, str]) -> dict[str, Tensor]:
    """A checkpoint under our names; tensors without one are left out."""
    found: dict[str, Tensor] = {}
    for theirs, value in state.items():
        name, _, end = theirs.removeprefix("bert.").rpartition(".")
        if name in names:
            found[f"{names[name]}.{end}"] = value
        elif name.startswith("encoder.layer."):
            number, _, rest = name.removeprefix("encoder.layer.").partition(".")
            if rest in layer_names:
                found[f"layers.{number}.{layer_names[rest]}.{end}"] = value
    return found
