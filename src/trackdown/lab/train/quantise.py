"""A graph in full precision → one with int8 matrix products, of a quarter of the size and twice the speed.

Weights have one scale per column, activations one per token, found while the graph runs. onnxruntime's own dynamic
quantisation takes one scale for a whole batch: less exact, and the vector of a text then depends on its neighbours.
Weights use 7 of the 8 bits, so that sums of two products fit into 16 bits: processors without VNNI would clip them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from trackdown.lab.train.int8_scale import ACTIVATION_STEPS, WEIGHT_STEPS

_MODEL = "model."
_CONSTANTS = {
    "quantise.one": np.float32(1),
    "quantise.zero_point": np.uint8(128),
    "quantise.step": np.float32(1 / ACTIVATION_STEPS),
    "quantise.tiny": np.float32(1e-9),
}


def quantise(whole: Path, small: Path) -> None:
    """Replace every product with a constant matrix by its int8 form. Products of activations stay as they are."""
    model = onnx.load(whole)
    graph = model.graph
    matrices = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[onnx.NodeProto] = []
    tensors = [numpy_helper.from_array(np.array(value), name) for name, value in _CONSTANTS.items()]
    replaced: set[str] = set()
    quantised: set[str] = set()
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in matrices:
            nodes.append(node)
            continue
        given, weight = node.input
        if given not in quantised:
            nodes += _activation(given)
            quantised.add(given)
        if weight not in replaced:
            tensors += _weight(weight, numpy_helper.to_array(matrices[weight]))
            replaced.add(weight)
        nodes += _product(given, weight, node.output[0])
    tensors += [tensor for tensor in graph.initializer if tensor.name not in replaced]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, small)


def _activation(name: str) -> list[onnx.NodeProto]:
    """`name.int8` is each token's vector in steps of its largest value / 127; `name.scale` is the step.

    As few nodes as there can be: each costs onnxruntime a fifth of a millisecond when it loads the graph.
    """
    return [
        helper.make_node("Abs", [name], [f"{name}.size"]),
        helper.make_node("ReduceMax", [f"{name}.size"], [f"{name}.largest"], axes=[-1], keepdims=1),
        helper.make_node("Mul", [f"{name}.largest", "quantise.step"], [f"{name}.bare_scale"]),
        helper.make_node("Add", [f"{name}.bare_scale", "quantise.tiny"], [f"{name}.scale"]),
        helper.make_node("Div", [name, f"{name}.scale"], [f"{name}.steps"]),
        helper.make_node("QuantizeLinear", [f"{name}.steps", "quantise.one", "quantise.zero_point"], [f"{name}.int8"]),
    ]


def _weight(name: str, matrix: np.ndarray) -> list[onnx.TensorProto]:
    scales = np.maximum(np.abs(matrix).max(axis=0), 1e-12).astype(np.float32) / WEIGHT_STEPS
    values = np.rint(matrix / scales).astype(np.int8)
    return [numpy_helper.from_array(values, f"{name}.int8"), numpy_helper.from_array(scales, f"{name}.scale")]


def _product(given: str, weight: str, output: str) -> list[onnx.NodeProto]:
    inputs = [f"{given}.int8", f"{weight}.int8", "quantise.one", f"{weight}.scale", "quantise.zero_point"]
    return [
        helper.make_node("MatMulIntegerToFloat", inputs, [f"{output}.steps"], domain="com.microsoft"),
        helper.make_node("Mul", [f"{output}.steps", f"{given}.scale"], [output]),
    ]


def dequantised(path: Path) -> dict[str, np.ndarray]:
    """The weights of a graph that was exported and made small, by their names in the model, in full precision again.

    A matrix is known by the bias that is added to its product. Raises KeyError for the graph of something else.
    """
    graph = onnx.load(path).graph
    held = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    found = {name.removeprefix(_MODEL): value for name, value in held.items() if name.startswith(_MODEL)}
    found["words.weight"] = found.pop("words.values").astype(np.float32) * found.pop("words.scales")
    biases = {given: name for node in graph.node if node.op_type == "Add" for given, name in _with_bias(node)}
    for node in graph.node:
        if node.op_type == "Mul" and node.input[0].endswith(".steps") and node.output[0] in biases:
            product = next(other for other in graph.node if other.output[0] == node.input[0])
            matrix = held[product.input[1]].astype(np.float32) * held[product.input[3]]
            found[biases[node.output[0]].removeprefix(_MODEL).replace(".bias", ".weight")] = matrix.T
    return found


def _with_bias(node: onnx.NodeProto) -> list[tuple[str, str]]:
    """(what is added to, name of the bias) of an addition; nothing where neither side is a bias."""
    first, second = node.input
    return [(given, name) for given, name in ((first, second), (second, first)) if name.endswith(".bias")]
