"""A session of onnxruntime that fails where the real one would: it stands between ours and the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onnxruntime.capi.onnxruntime_pybind11_state import Fail

from trackdown.models.onnx_session import Runtime


def want_of_memory() -> Exception:
    """What onnxruntime raises when its arena cannot grow."""
    error: Exception = Fail(
        "[ONNXRuntimeError] : 1 : FAIL : Failed to allocate memory for requested buffer of size 201326592"
    )
    return error


class FailingRuntime:
    """Fails for more rows than it can hold, and keeps the shapes that were tried."""

    def __init__(self, real: Runtime, most_rows: int, error: Callable[[], BaseException] = want_of_memory) -> None:
        self._real = real
        self._most_rows = most_rows
        self._error = error
        self.shapes: list[tuple[int, int]] = []

    def run(self, output_names: list[str], input_feed: dict[str, Any]) -> Sequence[Any]:
        rows, length = input_feed["input_ids"].shape
        self.shapes.append((rows, length))
        if rows > self._most_rows:
            raise self._error()
        return self._real.run(output_names, input_feed)
