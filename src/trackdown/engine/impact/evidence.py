"""What one signal says of a snapshot's files and units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.excerpts import Sought

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Scores of all files and, unless the signal knows files only, of all units.

    They are from 0 to 1; those of a `relative` signal are so when they are settled. `reason` says in plain words why a
    file has its score or, if a unit is given, why that unit has. `sought` is what to look for in the lines of a result.
    """

    signal: str
    files: Floats
    reason: Callable[[int, int], str]
    units: Floats | None = None
    relative: bool = False
    sought: Sought | None = None

    def settle(self, files: Sequence[int], units: Sequence[int]) -> None:
        """Take out what has changed already, and scale what is relative to the best of the rest."""
        for scores, changed in ((self.files, files), (self.units, units)):
            if scores is None:
                continue
            scores[list(changed)] = 0.0
            best = float(scores.max(initial=0.0))
            if self.relative and best > 0:
                scores /= best
