"""Where graphs run: on a GPU if onnxruntime offers one, else on the processor."""

from __future__ import annotations

import onnxruntime
import pytest

from trackdown.models.onnx_session import preferred
from trackdown.models.registry import Models


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        (["CPUExecutionProvider"], ["CPUExecutionProvider"]),
        (["CUDAExecutionProvider", "CPUExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"]),
        (["AzureExecutionProvider", "CoreMLExecutionProvider", "CPUExecutionProvider"], ["CPUExecutionProvider"]),
    ],
)
def test_a_gpu_comes_first(offered: list[str], expected: list[str]) -> None:
    assert preferred(offered) == expected


def test_a_session_runs_where_this_machine_can(packaged: Models) -> None:
    session = packaged.session("encoder").runtime
    assert isinstance(session, onnxruntime.InferenceSession)
    assert set(session.get_providers()) <= set(preferred(onnxruntime.get_available_providers()))
