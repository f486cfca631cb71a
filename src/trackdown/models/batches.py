"""Many rows of different lengths through a model, in batches that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError

Numbers = npt.NDArray[np.float32]
TOKENS = 1024
"""Rows times length of a batch. Larger ones are slower, since they leave the cache, and take more memory."""


class OutOfMemory(Exception):
    """A batch did not fit."""


Run = Callable[[list[int]], Numbers]
"""The places of a batch's rows → their numbers."""


def one_by_one(run: Run, batches: Sequence[list[int]]) -> list[Numbers]:
    """Run batches one after another."""
    return [run(batch) for batch in batches]


def run_in_batches(
    lengths: Sequence[int],
    run: Run,
    *,
    tokens: int = TOKENS,
    threads: int = 1,
    spread: Callable[[Run, Sequence[list[int]]], list[Numbers]] = one_by_one,
) -> tuple[list[int], list[Numbers]]:
    """Run all rows and return their places in the order they ran, and the results of each batch.

    Rows of like length go together, the longest first, so little is padded and memory is highest at the start.
    `spread` runs `threads` batches side by side. When one raises OutOfMemory, all that follow run alone, and if that
    was so already, are half as large. Raises ModelError when not even a single row fits.
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    results: list[Numbers] = []
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
                raise ModelError(f"there is no memory to run the model on {longest} tokens: free some") from None
            else:
                tokens = len(batches[0]) // 2 * longest
            continue
        done += sum(map(len, batches))
    return order, results


def _next_batches(order: list[int], done: int, lengths: Sequence[int], tokens: int, threads: int) -> list[list[int]]:
    batches: list[list[int]] = []
    while done < len(order) and len(batches) < threads:
        batches.append(order[done : done + max(tokens // lengths[order[done]], 1)])
        done += len(batches[-1])
    return batches
