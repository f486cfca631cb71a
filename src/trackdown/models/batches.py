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


def run_in_batches(
    lengths: Sequence[int], run: Callable[[list[int]], Numbers], *, tokens: int = TOKENS
) -> tuple[list[int], list[Numbers]]:
    """Run all rows and return their places in the order they ran, and the results of each batch.

    Rows of like length go together, the longest first, so little is padded and memory is highest at the start. `run`
    gets the places of a batch; when it raises OutOfMemory, this and all later batches are half as large. Raises
    ModelError when not even a single row fits.
    """
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    results: list[Numbers] = []
    done = 0
    while done < len(order):
        longest = lengths[order[done]]
        batch = order[done : done + max(tokens // longest, 1)]
        try:
            results.append(run(batch))
        except OutOfMemory:
            if len(batch) == 1:
                raise ModelError(f"there is no memory to run the model on {longest} tokens: free some") from None
            tokens = len(batch) // 2 * longest
            continue
        done += len(batch)
    return order, results
