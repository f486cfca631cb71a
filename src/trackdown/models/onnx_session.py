"""An ONNX graph, run by onnxruntime: rows of token ids in, one row of numbers out for each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.models.batches import Numbers, OutOfMemory, Output, Run

_QUIET = 4
_CPU = "CPUExecutionProvider"
_GPUS = ("CUDAExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider")
"""They come with packages of onnxruntime of their own: who installed one has such a GPU."""


def preferred(offered: Sequence[str]) -> list[str]:
    """Where to run a graph: on a GPU if this onnxruntime offers one, and what that cannot run on the processor.

    A GPU adds up in another order, so the last digits of its vectors may differ from a processor's.
    """
    return [*(name for name in _GPUS if name in offered), _CPU]


class Runtime(Protocol):
    """The part of onnxruntime's session that we use."""

    def run(self, output_names: list[str], input_feed: dict[str, Any]) -> Sequence[Any]: ...


class OnnxSession:
    """A graph in memory.

    Each batch runs in one thread, and `threads` batches run in parallel. On two cores that is twice as fast as all
    cores on one batch, because the operators are too small to be split.
    """

    def __init__(self, path: Path, threads: int = 0) -> None:
        """Load a file that has been verified. `threads` 0 means one for each core.

        Raises ModelError when onnxruntime cannot run the file.
        """
        import onnxruntime  # here, because it takes a tenth of a second and most searches do without

        self.path = path
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _QUIET
        # Memory patterns would be cached for every input length. The arena stays on: without it a batch needs three
        # times the memory and more time.
        options.enable_mem_pattern = False
        try:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=preferred(onnxruntime.get_available_providers())
            )
        except Exception as error:
            # onnxruntime's exceptions have no common base class.
            raise ModelError(f"{path} cannot be loaded by onnxruntime ({_first_line(error)})") from None
        self.inputs = {given.name for given in session.get_inputs()}
        self.outputs = {given.name: len(given.shape) for given in session.get_outputs()}
        self.runtime: Runtime = session
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads, "model")

    def spread(self, run: Run[Output], batches: Sequence[list[int]]) -> list[Sequence[Output]]:
        """Run batches in parallel."""
        return [run(batches[0])] if len(batches) == 1 else list(self._pool.map(run, batches))

    def run(
        self, outputs: Sequence[str], rows: Sequence[Sequence[int]], seconds: Sequence[int] | None = None
    ) -> list[Numbers]:
        """The named outputs for rows of token ids, padded to the longest.

        `seconds` says where the second text of each row begins.

        Raises OutOfMemory when the batch doesn't fit into memory, or when a batch of several rows fails for any reason.
        """
        length = max(map(len, rows))
        ids = np.zeros((len(rows), length), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            mask[place, : len(row)] = 1
            if seconds is not None:
                types[place, seconds[place] : len(row)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            found = self.runtime.run(list(outputs), {name: feeds[name] for name in self.inputs})
        except MemoryError:
            raise OutOfMemory from None
        except Exception as error:
            # onnxruntime has no class or code for a lack of memory, only messages that differ by operator.
            if len(rows) > 1 or "alloc" in str(error).lower():
                raise OutOfMemory from None
            raise ModelError(f"{self.path} cannot be run ({_first_line(error)})") from None
        return [np.asarray(numbers, np.float32) for numbers in found]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def padded_mask(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    """1 for a token, 0 for padding, with one more axis for vectors."""
    lengths = np.array([len(row) for row in rows])
    return (np.arange(lengths.max())[None, :] < lengths[:, None]).astype(np.float32)[:, :, None]
