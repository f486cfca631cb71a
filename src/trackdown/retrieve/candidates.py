"""What is ranked at a level: functions, classes or files, and how scores of units become scores of those."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.index.code import CodeIndex
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
_MORE_EVIDENCE = 0.1


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a level. Candidate c is the unit `units[c]` (at file level: -1) in file `files[c]`.

    `owner` says for every unit which candidate it belongs to, or -1.
    """

    level: Level
    units: Int64s
    files: Int64s
    owner: Int64s

    @property
    def count(self) -> int:
        return len(self.files)

    def from_units(self, scores: Floats) -> Floats:
        """Scores of candidates: the best of its units, and a little for each further one."""
        if self.level == "function":
            return scores[self.units]
        inside = self.owner >= 0
        owner, values = self.owner[inside], scores[inside]
        best = np.zeros(self.count)
        np.maximum.at(best, owner, values)
        return best + _MORE_EVIDENCE * (np.bincount(owner, weights=values, minlength=self.count) - best)

    def from_files(self, scores: Floats) -> Floats:
        """Scores of candidates, each that of its file."""
        return scores[self.files]

    def best_units(self, chosen: Int64s, scores: Floats) -> Int64s:
        """For each chosen candidate its unit with the highest score."""
        if self.level == "function":
            return self.units[chosen]
        best = np.empty(len(chosen), dtype=np.int64)
        for index, candidate in enumerate(chosen.tolist()):
            own = np.flatnonzero(self.owner == candidate)
            best[index] = own[np.argmax(scores[own])] if len(own) else -1
        return best


def candidates(index: CodeIndex, level: Level) -> Candidates:
    """All live candidates of a level."""
    if level == "file":
        files = np.flatnonzero(index.file_alive)
        number = np.full(len(index.file_alive), -1, dtype=np.int64)
        number[files] = np.arange(len(files))
        owner = np.where(index.unit_alive, number[index.unit_file], -1)
        return Candidates(level, np.full(len(files), -1, dtype=np.int64), files, owner)
    kinds = FUNCTION_KINDS if level == "function" else CLASS_KINDS
    units = np.flatnonzero(index.is_kind(kinds) & index.unit_alive)
    number = np.full(len(index.unit_file), -1, dtype=np.int64)
    number[units] = np.arange(len(units))
    owner = number
    if level == "class":
        owner = np.where(index.unit_class >= 0, number[np.maximum(index.unit_class, 0)], -1)
    return Candidates(level, units, index.unit_file[units].astype(np.int64), owner)
