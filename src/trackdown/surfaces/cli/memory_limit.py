"""A limit on the address space (`ulimit -v`): native libraries abort when it is too low, so we look at it first."""

from __future__ import annotations

import os
import resource

from trackdown.errors import TrackdownError

LEAST_BYTES = 384 << 20
"""What Python, numpy and a small index need."""


def check_memory_limit() -> None:
    """Raise TrackdownError if the address space is too small to start. Call it before numpy is imported."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # it reserves memory for each thread
    if limit < LEAST_BYTES:
        raise TrackdownError(
            f"only {limit >> 20} MB of address space are allowed, and {LEAST_BYTES >> 20} MB are needed: "
            "raise the limit (`ulimit -v`)"
        )
