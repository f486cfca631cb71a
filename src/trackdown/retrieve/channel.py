"""What a retriever hands to fusion: a score for every unit or file it found, and its reasons on demand.

A retriever is a function from an index and a query to a Channel. To add one, write a file beside this one, give it a
name, and add it to the list in `pipeline.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Reasons = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True, slots=True)
class Channel:
    """Scores of one signal for all candidates of the level searched (0: not found), and details in words.

    `floor` is the score that counts as full evidence; 0 where only the order within this query means something.
    """

    signal: str
    scores: Floats
    reasons: Reasons
    floor: float = 0.0
