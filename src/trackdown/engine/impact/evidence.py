"""What one signal says of a snapshot's files and units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.excerpts import Sought

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Scores from 0 to 1 of all files and, unless the signal knows files only, of all units.

    `reason` says in plain words why a file has its score or, if a unit is given, why that unit has. `sought` is what
    to look for in the lines of a result.
    """

    signal: str
    files: Floats
    reason: Callable[[int, int], str]
    units: Floats | None = None
    sought: Sought | None = None


def scaled(scores: Floats) -> Floats:
    """Scores with 1 for the best."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores
