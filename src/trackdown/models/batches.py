"""Run many rows of different lengths through a model, in batches that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError

Numbers = npt.NDArray[np.float32]
TOKENS = 1024
"""The size of a batch, rows × length. Larger batches don't fit the processor's cache and take more memory."""


_QUEUED = 8
"""Batches for each thread that are given to the threads together."""


class OutOfMemory(Exception):
    """A batch did not fit into memory."""


Output = TypeVar("Output")
Run = Callable[[list[int]], Sequence[Output]]
"""Row numbers of a batch → the model's output for each."""


class Spread(Protocol):
    """Runs batches, one after another or in parallel."""

    def __call__(self, run: Run[Output], batches: Sequence[list[int]]) -> list[Sequence[Output]]: ...


def one_by_one(run: Run[Output], batches: Sequence[list[int]]) -> list[Sequence[Output]]:
    """Run batches one after another."""
    return [run(batch) for batch in batches]


def run_in_batches(
    lengths: Sequence[int],
    run: Run[Output],
    *,
    tokens: int = TOKENS,
    threads: int = 1,
    spread: Spread = one_by_one,
) -> list[Output]:
    """Run all rows and return the output of each in the given order.

    Rows of similar length go together, longest first, so there is little padding, memory use peaks at the start and
    threads end at about the same time. `spread` runs batches in `threads` threads. When one raises OutOfMemory, later
    batches run one at a time, and then at half the size. Raises ModelError when not even a single row fits.
    """
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    results: list[Sequence[Output]] = []
    done = 0
    while done < len(order):
        batches = _next_batches(order, done, lengths, tokens, threads)
        try:
            results += spread(run, batches)
        except OutOfMemory:
            longest = lengths[order[done]]
            if threads > 1:
                threads = 1
            elif len(batches[0]) == 1:
                raise ModelError(f"not enough memory to run the model on {longest} tokens: free some") from None
            else:
                tokens = len(batches[0]) // 2 * longest
            continue
        done += sum(map(len, batches))
    outputs = dict(zip(order, chain.from_iterable(results), strict=True))
    return [outputs[row] for row in range(len(order))]


def _next_batches(order: list[int], done: int, lengths: Sequence[int], tokens: int, threads: int) -> list[list[int]]:
    batches: list[list[int]] = []
    while done < len(order) and len(batches) < (threads * _QUEUED if threads > 1 else 1):
        batches.append(order[done : done + max(tokens // lengths[order[done]], 1)])
        done += len(batches[-1])
    return batches
