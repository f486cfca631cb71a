"""Small real models, built on the spot: a tokenizer of word pieces, a static table, graphs that onnxruntime runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from trackdown.models.manifest import ModelManifest, Role, write_manifest
from trackdown.models.static import quantised
from trackdown.models.weights_file import file_entry

WIDTH = 8
LONGEST = 16
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WHOLE = "parse date row http read write file index search query the state initial ##ing 語 große".split()
VOCABULARY = {
    piece: number
    for number, piece in enumerate(
        ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *_LETTERS, *(f"##{letter}" for letter in _LETTERS), *_WHOLE]
    )
}


def make_tokenizer(path: Path) -> Tokenizer:
    """BERT's tokenizer over a small vocabulary, with the truncation and padding that published ones have."""
    tokenizer = Tokenizer(models.WordPiece(VOCABULARY, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, VOCABULARY[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    tokenizer.save(str(path))
    return tokenizer


def table(seed: int = 0) -> npt.NDArray[np.float32]:
    """A vector for every piece."""
    return np.random.default_rng(seed).standard_normal((len(VOCABULARY), WIDTH)).astype(np.float32)


def make_graph(path: Path, outputs: Sequence[str] = ("embedding", "relevance")) -> None:
    """`embedding` is the mean of the tokens' vectors, `relevance` the product of the means of a pair's two texts."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["mask", "second"], ["first"]),
        *_mean("mask", "mean"),
        *_mean("first", "query"),
        *_mean("second", "text"),
        helper.make_node("LpNormalization", ["mean"], ["embedding"], axis=1, p=2),
        helper.make_node("Mul", ["query", "text"], ["products"]),
        helper.make_node("ReduceSum", ["products", "last"], ["relevance"], keepdims=0),
    ]
    shapes: dict[str, list[str | int | None]] = {
        "embedding": ["rows", WIDTH],
        "relevance": ["rows"],
        "last_hidden_state": ["rows", "length", WIDTH],
    }
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in outputs],
        [
            numpy_helper.from_array(table(), "table"),
            numpy_helper.from_array(np.array([-1]), "last"),
            numpy_helper.from_array(np.array([1]), "tokens"),
            numpy_helper.from_array(np.array(1e-9, np.float32), "tiny"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _mean(weights: str, name: str) -> list[onnx.NodeProto]:
    return [
        helper.make_node("Unsqueeze", [weights, "last"], [f"{name}.weights"]),
        helper.make_node("Mul", ["last_hidden_state", f"{name}.weights"], [f"{name}.weighted"]),
        helper.make_node("ReduceSum", [f"{name}.weighted", "tokens"], [f"{name}.sum"], keepdims=0),
        helper.make_node("ReduceSum", [weights, "tokens"], [f"{name}.count"], keepdims=1),
        helper.make_node("Max", [f"{name}.count", "tiny"], [f"{name}.divisor"]),
        helper.make_node("Div", [f"{name}.sum", f"{name}.divisor"], [name]),
    ]


def make_folder(folder: Path, name: str = "tiny") -> ModelManifest:
    """A whole set: one graph for two roles, and a static table."""
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer(folder / "tokenizer.json")
    make_graph(folder / "encoder.onnx")
    np.save(folder / "static.npy", quantised(table()))
    size = len(VOCABULARY) * WIDTH
    roles = {
        "static": Role("static.npy", "tokenizer.json", size, WIDTH),
        "encoder": Role("encoder.onnx", "tokenizer.json", size, WIDTH, "embedding", longest=LONGEST),
        "cross_encoder": Role(
            "encoder.onnx", "tokenizer.json", size, output="relevance", longest=LONGEST, longest_query=5
        ),
    }
    files = {file: file_entry(folder / file) for file in ("tokenizer.json", "encoder.onnx", "static.npy")}
    manifest = ModelManifest(name, "Apache-2.0", "made for a test", roles, files)
    write_manifest(folder, manifest)
    return manifest


def make_foreign(folder: Path, pooling: str = "mean_tokens", graph: str = "onnx/model.onnx") -> Path:
    """A folder as sentence-transformers writes it, with its graph in ONNX."""
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / graph).parent.mkdir(exist_ok=True)
    make_tokenizer(folder / "tokenizer.json")
    make_graph(folder / graph, ["last_hidden_state"])
    modes = {f"pooling_mode_{mode}": mode == pooling for mode in ("mean_tokens", "cls_token", "max_tokens")}
    write_json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": WIDTH, **modes})
    write_json(folder / "config.json", {"hidden_size": WIDTH, "max_position_embeddings": 512})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": LONGEST})
    return folder


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "utf-8")
