"""The transformers in plain PyTorch. Heads share one body: a vector for a text, one for each token, a pair's relevance.

`Bert` is what is trained. Its parameters map to those of all-MiniLM-L6-v2's checkpoints. `Mpnet` is the teacher, such
as all-mpnet-base-v2: positions enter it as embeddings that count from 2 and as a learned bias on the distance of two
tokens that all layers share. It reads the token ids of our vocabulary, since its word pieces are BERT's under
other numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as f

from trackdown.errors import ModelError, UsageError
from trackdown.lab.train.int8_rounding import ACTIVATION_STEPS, Int8Linear, rounded
from trackdown.lab.train.training_state import CHECKPOINT, TOKENIZER


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
    """Token ids → hidden states, with heads for a text (its mean, length 1), for its tokens, and for a pair (a number).

    `round_to_int8` makes it compute as the exported graph does, so that it learns to live with the rounding.
    """

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

    def hidden(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """The last layer's states. `mask` is 1 for a token, 0 for padding."""
        places = torch.arange(ids.shape[1], device=ids.device)
        kinds = self.types(types) if types is not None else self.types.weight[0]
        words = self.words(ids)
        if self._rounding:
            words = rounded(words, ACTIVATION_STEPS)
        state = self.norm(words + self.places(places)[None] + kinds)
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


def from_checkpoint(state: dict[str, Tensor], layers: int | None = None) -> Bert:
    """The model of a BERT checkpoint (its state dict), or of a state of ours, whose relevance head it keeps.

    `layers` keeps that many, spread evenly over those there are. Raises KeyError for the state
    of something else.
    """
    ours = state if "words.weight" in state else _renamed(state, _BERT_NAMES, _BERT_LAYER_NAMES)
    there = 1 + max((int(name.split(".")[1]) for name in ours if name.startswith("layers.")), default=0)
    wanted = min(layers or there, there)
    kept = [round(place * (there - 1) / max(wanted - 1, 1)) for place in range(wanted)]
    words, width = ours["words.weight"].shape
    inner, positions = ours["layers.0.inner.weight"].shape[0], ours["places.weight"].shape[0]
    late = ours["late.weight"].shape[0] if "late.weight" in ours else 64
    heads = max(width // 32, 1) if width == 384 else width // 64
    model = Bert(Shape(words, width, wanted, heads, inner, positions, late))
    chosen = {name: value for name, value in ours.items() if not name.startswith("layers.")}
    for place, layer in enumerate(kept):
        for name in _BERT_LAYER_NAMES.values():
            for end in ("weight", "bias"):
                chosen[f"layers.{place}.{name}.{end}"] = ours[f"layers.{layer}.{name}.{end}"]
    model.load_state_dict(chosen, strict=False)
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


IDS = "ids"
"""The key in a teacher's state of the map from our ids to its own."""
_BUCKETS, _FAR = 32, 128
_SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>", "[UNK]": "<unk>"}
_MPNET_NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "places",
    "embeddings.LayerNorm": "norm",
    "encoder.relative_attention_bias": "distances",
}
_MPNET_LAYER_NAMES = {
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
        raise ModelError(f"{folder} has no readable MPNet ({error})") from None
    found = _renamed(raw, _MPNET_NAMES, _MPNET_LAYER_NAMES)
    if "distances.weight" not in found:
        raise UsageError(f"{folder} has no MPNet: name a folder with all-mpnet-base-v2 or a similar model")
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
