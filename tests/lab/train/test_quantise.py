"""Graphs in int8: close to the whole ones, and the result of a row does not depend on the rows beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from trackdown.lab.train.quantise import quantise

INNER, OUTER = 96, 24


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """x·A and x·B share their input, and a third product is of two activations."""
    random = np.random.default_rng(0)
    weights = {name: random.standard_normal((INNER, OUTER)).astype(np.float32) for name in "AB"}
    weights["A"][:, 3] *= 50
    nodes = [
        helper.make_node("MatMul", ["x", "A"], ["a"]),
        helper.make_node("MatMul", ["x", "B"], ["b"]),
        helper.make_node("Transpose", ["b"], ["c"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["a", "c"], ["d"]),
    ]
    shapes: dict[str, str | int] = {"x": INNER, "a": OUTER, "d": "length"}
    given, *outputs = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", "length", last])
        for name, last in shapes.items()
    )
    tensors = [numpy_helper.from_array(values, name) for name, values in weights.items()]
    graph = helper.make_graph(nodes, "products", [given], outputs, tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "w.onnx")
    return tmp_path / "w.onnx"


def run(path: Path, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["a"], {"x": x})[0])


def test_products_are_close_and_rows_keep_to_themselves(whole: Path, tmp_path: Path) -> None:
    quantise(whole, tmp_path / "s.onnx")
    x = np.random.default_rng(1).standard_normal((5, 7, INNER)).astype(np.float32)
    x[2] *= 1000
    x[3] = 0
    wanted, got = run(whole, x), run(tmp_path / "s.onnx", x)
    columns = np.linalg.norm(numpy_helper.to_array(onnx.load(whole).graph.initializer[0]), axis=0)
    largest = np.linalg.norm(x, axis=-1)[:, :, None] * columns
    assert np.all(np.abs(got - wanted) <= 0.01 * largest)
    assert not got[3].any()
    alone = np.concatenate([run(tmp_path / "s.onnx", row[None]) for row in x])
    assert np.allclose(alone, got, rtol=1e-6, atol=1e-6)


def test_weights_are_seven_bits_and_the_file_is_small(whole: Path, tmp_path: Path) -> None:
    quantise(whole, tmp_path / "s.onnx")
    graph = onnx.load(tmp_path / "s.onnx").graph
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    assert {name for name, values in tensors.items() if values.dtype == np.int8} == {"A.int8", "B.int8"}
    assert all(np.abs(tensors[f"{name}.int8"]).max() == 63 for name in "AB")
    assert [node.op_type for node in graph.node].count("QuantizeLinear") == 1
    assert [node.op_type for node in graph.node].count("MatMul") == 1
    assert (tmp_path / "s.onnx").stat().st_size < whole.stat().st_size / 2
