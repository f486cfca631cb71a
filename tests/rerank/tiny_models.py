"""A folder of real but tiny models: thirty words, where a few mean the same, and graphs that onnxruntime runs.

The encoder adds up the vectors of a text's words; the cross-encoder says how like the sums of query and text are. The
graph is written here byte by byte (ONNX is protobuf), so that tests need no package beside onnxruntime.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trackdown.models.manifest import ModelManifest, Role, write_manifest
from trackdown.models.static import quantised
from trackdown.models.weights_file import file_entry

DIMENSIONS = 32
SAME = (("cookie", "biscuit"), ("sign", "autograph"), ("parse", "dissect"), ("header", "headline"))
"""Words that mean the same: the second of each stands in queries, never in code."""
WORDS = """session value key secret return self line def class store load save route request response test docs web src
core one two three a b c get set begin fix the of is where""".split()
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_FLOAT, _INT64 = 1, 7


def make_models(
    folder: Path,
    name: str = "tiny",
    roles: Sequence[str] = ("static", "encoder", "cross_encoder"),
    seed: int = 0,
    late: bool = False,
) -> Path:
    """Write a set of models and return its folder. Another seed gives other weights, hence another model id.

    With `late` the encoder has a vector for each token: that of its word.
    """
    folder.mkdir(parents=True, exist_ok=True)
    words = [*SPECIAL, *(word for pair in SAME for word in pair), *WORDS]
    table = _vectors(words, seed)
    vocabulary = {word: number for number, word in enumerate(words)}
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(vocabulary)))
    np.save(folder / "static.npy", quantised(table))
    (folder / "encoder.onnx").write_bytes(_model(table))
    made = {
        "static": Role("static.npy", "tokenizer.json", table.size, DIMENSIONS),
        "encoder": Role(
            "encoder.onnx",
            "tokenizer.json",
            table.size,
            DIMENSIONS,
            "embedding",
            longest=64,
            tokens="words" if late else "",
            token_dimensions=DIMENSIONS if late else 0,
        ),
        "cross_encoder": Role(
            "encoder.onnx", "tokenizer.json", table.size, output="relevance", longest=96, longest_query=32
        ),
    }
    files = {file: file_entry(folder / file) for file in ("tokenizer.json", "static.npy", "encoder.onnx")}
    write_manifest(folder, ModelManifest(name, "Apache-2.0", "made by a test", {r: made[r] for r in roles}, files))
    return folder


def _vectors(words: Sequence[str], seed: int) -> npt.NDArray[np.float32]:
    """A vector of length 1 for each word, the same for words that mean the same, and none for special tokens."""
    random = np.random.default_rng(seed)
    meaning = {other: word for word, other in SAME}
    by_word = {word: random.standard_normal(DIMENSIONS) for word in dict.fromkeys(meaning.get(w, w) for w in words)}
    rows = np.stack([by_word[meaning.get(word, word)] for word in words])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[: len(SPECIAL)] = 0.0
    return rows.astype(np.float32)


def _tokenizer(vocabulary: dict[str, int]) -> dict[str, object]:
    around = [{"SpecialToken": {"id": token, "type_id": 0}} for token in ("[CLS]", "[SEP]")]
    single = [around[0], {"Sequence": {"id": "A", "type_id": 0}}, around[1]]
    special = {token: {"id": token, "ids": [vocabulary[token]], "tokens": [token]} for token in ("[CLS]", "[SEP]")}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, {"Sequence": {"id": "B", "type_id": 1}}, around[1]],
            "special_tokens": special,
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocabulary,
        },
    }


# ONNX


def _model(table: npt.NDArray[np.float32]) -> bytes:
    nodes = [
        _node("Gather", ["table", "input_ids"], "words"),
        _node("Cast", ["attention_mask"], "mask", to=_FLOAT),
        _node("Cast", ["token_type_ids"], "types", to=_FLOAT),
        _node("Mul", ["mask", "types"], "second"),
        _node("Sub", ["mask", "second"], "first"),
        *_normed_sum("mask", "embedding"),
        *_normed_sum("first", "asked"),
        *_normed_sum("second", "read"),
        _node("Mul", ["asked", "read"], "products"),
        _node("ReduceSum", ["products", "axis1"], "likeness", keepdims=0),
        _node("Mul", ["likeness", "eight"], "scaled"),
        _node("Sub", ["scaled", "four"], "relevance"),
    ]
    constants = [
        _tensor("table", table),
        _tensor("axis1", np.array([1], np.int64)),
        _tensor("axis2", np.array([2], np.int64)),
        _tensor("tiny", np.array([1e-6], np.float32)),
        _tensor("eight", np.array([8.0], np.float32)),
        _tensor("four", np.array([4.0], np.float32)),
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            *(_field(5, constant) for constant in constants),
            *(_field(11, _value(name, _INT64, "rows", "length")) for name in names),
            _field(12, _value("embedding", _FLOAT, "rows", DIMENSIONS)),
            _field(12, _value("relevance", _FLOAT, "rows")),
            _field(12, _value("words", _FLOAT, "rows", "length", DIMENSIONS)),
        ]
    )
    return _field(1, 8) + _field(8, _field(1, b"") + _field(2, 13)) + _field(7, graph)


def _normed_sum(mask: str, output: str) -> list[bytes]:
    """The words under a mask, added up and brought to length 1."""
    return [
        _node("Unsqueeze", [mask, "axis2"], f"{output}_mask"),
        _node("Mul", ["words", f"{output}_mask"], f"{output}_words"),
        _node("ReduceSum", [f"{output}_words", "axis1"], f"{output}_sum", keepdims=0),
        _node("ReduceL2", [f"{output}_sum"], f"{output}_length", axes=[1], keepdims=1),
        _node("Max", [f"{output}_length", "tiny"], f"{output}_some"),
        _node("Div", [f"{output}_sum", f"{output}_some"], output),
    ]


def _node(operator: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    written = []
    for name, value in attributes.items():
        if isinstance(value, int):
            written.append(_field(1, name.encode()) + _field(3, value) + _field(20, 2))
        else:
            numbers = b"".join(_field(8, number) for number in value)
            written.append(_field(1, name.encode()) + numbers + _field(20, 7))
    return b"".join(
        [
            *(_field(1, given.encode()) for given in inputs),
            _field(2, output.encode()),
            _field(4, operator.encode()),
            *(_field(5, attribute) for attribute in written),
        ]
    )


def _tensor(name: str, array: npt.NDArray[np.float32] | npt.NDArray[np.int64]) -> bytes:
    kind = _INT64 if array.dtype == np.int64 else _FLOAT
    shape = b"".join(_field(1, size) for size in array.shape)
    return shape + _field(2, kind) + _field(8, name.encode()) + _field(9, array.tobytes())


def _value(name: str, kind: int, *shape: str | int) -> bytes:
    sizes = b"".join(
        _field(1, _field(1, size) if isinstance(size, int) else _field(2, size.encode())) for size in shape
    )
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _field(number: int, value: int | bytes) -> bytes:
    """One field of a protobuf message: a number, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])
