"""The k-th largest of many values, without sorting all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_STEP = 8
_MARGIN = 2
_FEWEST = 8


def kth_largest(values: npt.NDArray[np.float64], k: int) -> float:
    """The k-th largest of at least k values, exactly.

    A sample of every eighth value tells roughly where it is. Only values above that are partitioned, unless there are
    too few.
    """
    sample = values[::_STEP]
    rank = _MARGIN * k // _STEP + _FEWEST
    if rank < len(sample):
        above = values[values >= np.partition(sample, len(sample) - rank)[len(sample) - rank]]
        values = above if len(above) >= k else values
    return float(np.partition(values, len(values) - k)[len(values) - k])
