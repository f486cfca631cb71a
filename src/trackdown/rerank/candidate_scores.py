"""A model's scores of candidates: each that was reached has that of its best unit; and how models compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_CLIPPED_AT = 3.0


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """The candidates' scores in their order (nan: nothing could be read), and the unit behind each (-1: none).

    `reached` counts the candidates, from the first on, that there was time for.
    """

    values: Floats
    units: list[int]
    reached: int


class ScoreCollector:
    """Keeps each candidate's best score while its units are scored one by one."""

    def __init__(self, candidates: Sequence[Sequence[int]]) -> None:
        self._candidates = candidates
        self._values = np.full(len(candidates), np.nan)
        self._units = [-1] * len(candidates)
        self._reached = 0
        self._left = sum(map(len, candidates))

    def items(self) -> list[tuple[int, int]]:
        """(candidate, unit), candidates in their order and each candidate's units together."""
        return [(number, unit) for number, units in enumerate(self._candidates) for unit in units]

    def add(self, batch: Sequence[tuple[int, int]], values: Sequence[float | None]) -> None:
        """Take in the scores of some items; None for a unit that could not be read."""
        self._left -= len(batch)
        for (candidate, unit), value in zip(batch, values, strict=True):
            self._reached = max(self._reached, candidate + 1)
            if value is not None and not value <= self._values[candidate]:
                self._values[candidate] = value
                self._units[candidate] = unit

    def scores(self) -> CandidateScores:
        """The scores so far. When no unit is left, all candidates count as reached, even those without units."""
        return CandidateScores(self._values, self._units, self._reached if self._left else len(self._candidates))


def clipped_z_scores(values: Floats) -> Floats:
    """z-scores, clipped at ±3 and mapped to 0 … 1, so that the average is 1/2. A nan stays nan."""
    known = values[~np.isnan(values)]
    spread = float(known.std()) if len(known) else 0.0
    if not spread:
        return np.where(np.isnan(values), np.nan, 0.5)
    cut: Floats = np.clip((values - known.mean()) / spread, -_CLIPPED_AT, _CLIPPED_AT)
    return (cut + _CLIPPED_AT) / (2 * _CLIPPED_AT)
