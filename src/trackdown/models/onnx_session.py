"""An ONNX graph, run by onnxruntime: rows of token ids in, one row of numbers each out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError
from trackdown.models.batches import Numbers, OutOfMemory

_QUIET = 4


class Runtime(Protocol):
    """What is used of onnxruntime's session."""

    def run(self, output_names: list[str], input_feed: dict[str, Any]) -> Sequence[Any]: ...


class OnnxSession:
    """A graph in memory. Roles that use the same file share one.

    A batch is computed in one thread, and `threads` batches side by side: on two cores that is twice as fast as all
    cores on one batch, whose operators are too small to be shared out.
    """

    def __init__(self, path: Path, threads: int = 0) -> None:
        """Load a file that was checked before. `threads` 0 means one for each core.

        Raises ModelError when the file is no graph that onnxruntime can run.
        """
        import onnxruntime  # here, since it takes a tenth of a second, and most searches do without

        self.path = path
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _QUIET
        # Memory planned by shape would be kept for every length there is. The arena stays: without it a batch takes
        # three times the memory and longer.
        options.enable_mem_pattern = False
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            # onnxruntime's exceptions have no base of their own.
            raise ModelError(f"{path} is not a graph that onnxruntime can run ({_first_line(error)})") from None
        self.inputs = {given.name for given in session.get_inputs()}
        self.outputs = {given.name: len(given.shape) for given in session.get_outputs()}
        self.runtime: Runtime = session
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads, "model")

    def spread(self, run: Callable[[list[int]], Numbers], batches: Sequence[list[int]]) -> list[Numbers]:
        """Run some batches side by side."""
        return [run(batches[0])] if len(batches) == 1 else list(self._pool.map(run, batches))

    def run(self, output: str, rows: Sequence[Sequence[int]], seconds: Sequence[int] | None = None) -> Numbers:
        """One output for rows of token ids, padded to the longest. `seconds` says where second texts begin.

        Raises OutOfMemory when the batch does not fit, or fails otherwise while it is more than one row.
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
            (numbers,) = self.runtime.run([output], {name: feeds[name] for name in self.inputs})
        except MemoryError:
            raise OutOfMemory from None
        except Exception as error:
            # Want of memory has no class or code of its own in onnxruntime, only words that differ by operator.
            if len(rows) > 1 or "alloc" in str(error).lower():
                raise OutOfMemory from None
            raise ModelError(f"{self.path} cannot be run ({_first_line(error)})") from None
        return np.asarray(numbers, np.float32)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def padded_mask(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    """1 for a token, 0 for padding, one more axis for vectors."""
    lengths = np.array([len(row) for row in rows])
    return (np.arange(lengths.max())[None, :] < lengths[:, None]).astype(np.float32)[:, :, None]
