"""The candidates of a level (functions, classes or files), and how they get scores from units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from trackdown.index import CodeIndex, Mask, files_matching, kth_largest, units_called
from trackdown.query import Filters
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS, Level

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
_UNITS_COUNTED = 5
KINDS_OF_LEVELS: dict[Level, frozenset[str]] = {
    "function": FUNCTION_KINDS,
    "class": CLASS_KINDS,
    "symbol": FUNCTION_KINDS | CLASS_KINDS,
}
_EACH_FOR_ITSELF = ("function", "symbol")
"""The levels at which a candidate is a single unit."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of a level. Candidate c is the unit `units[c]` (at file level: -1) in file `files[c]`.

    `owner` says for every unit which candidate it belongs to, or -1; `owned` are the units that belong to one.
    `roles` are the roles of the candidates' files.
    """

    level: Level
    units: Int64s
    files: Int64s
    owner: Int64s
    owned: Int64s
    roles: npt.NDArray[np.int32]

    @property
    def count(self) -> int:
        return len(self.files)

    @property
    def by_itself(self) -> bool:
        """Whether each candidate is a single unit."""
        return self.level in _EACH_FOR_ITSELF

    def from_units(self, scores: Floats) -> Floats:
        """Scores of candidates: the best unit, half of the second, a third of the third and so on, up to five."""
        if self.by_itself:
            return scores[self.units]
        inside = np.flatnonzero((self.owner >= 0) & (scores > 0))
        order = inside[np.lexsort((-scores[inside], self.owner[inside]))]
        owner = self.owner[order]
        starts = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1]))) if len(owner) else owner
        rank = np.arange(len(owner)) - np.repeat(starts, np.diff(np.append(starts, len(owner))))
        shares = np.where(rank < _UNITS_COUNTED, scores[order] / (rank + 1), 0.0)
        return np.bincount(owner, weights=shares, minlength=self.count).astype(np.float64)

    def best_of_units(self, scores: Floats) -> Floats:
        """Scores of candidates: those of their best units, 0 without any."""
        if self.by_itself:
            return scores[self.units]
        found = np.zeros(self.count)
        inside = np.flatnonzero((self.owner >= 0) & (scores > 0))
        np.maximum.at(found, self.owner[inside], scores[inside])
        return found

    def from_files(self, scores: Floats) -> Floats:
        """Scores of candidates: those of their files."""
        return scores[self.files]

    def best_units(self, chosen: Sequence[int], scores: Floats) -> list[int]:
        """The unit of each chosen candidate with the highest score; -1 if it has none."""
        if self.by_itself:
            return [int(self.units[candidate]) for candidate in chosen]
        return [found[0] if found else -1 for found in self.units_of(chosen, scores, 1)]

    def units_of(self, chosen: Sequence[int], scores: Floats, most: int) -> list[list[int]]:
        """The units of each chosen candidate with the highest scores, up to `most`; ties in their order."""
        if self.by_itself:
            return [[int(self.units[candidate])] for candidate in chosen]
        found: dict[int, list[int]] = {candidate: [] for candidate in chosen}
        inside = np.flatnonzero(np.isin(self.owner, chosen))
        for unit in inside[np.argsort(-scores[inside], kind="stable")].tolist():
            units = found[int(self.owner[unit])]
            if len(units) < most:
                units.append(unit)
        return [found[candidate] for candidate in chosen]

    def allowed(
        self,
        index: CodeIndex,
        *,
        folders: Sequence[str],
        without_roles: frozenset[int] = frozenset(),
        among: Sequence[str] = (),
        filters: Sequence[Filters] = (),
    ) -> Mask:
        """Which candidates may be in the answer: those below a folder ('' is the root), of the files `among`, that pass
        all filters, and in no file whose role is in `without_roles`.
        """
        allowed = np.ones(self.count, dtype=bool)
        for role in without_roles:
            allowed &= self.roles != role
        if folders and "" not in folders:
            inside = np.zeros(len(index.file_alive), dtype=bool)
            for path, file in index.files_by_path.items():
                inside[file] = any(path == folder or path.startswith(f"{folder}/") for folder in folders)
            allowed &= inside[self.files]
        if among:
            chosen = [index.files_by_path[path] for path in among if path in index.files_by_path]
            allowed &= np.isin(self.files, chosen)
        for each in filters:
            if each:
                allowed &= self._passing(index, each)
        return allowed

    def _passing(self, index: CodeIndex, filters: Filters) -> Mask:
        """Which candidates pass filters. Of a class or file, one unit with the name is enough."""
        files = np.ones(len(index.file_alive), dtype=bool)
        if filters.paths:
            files &= files_matching(index, filters.paths)
        if filters.without_paths:
            files &= ~files_matching(index, filters.without_paths)
        if filters.languages:
            files &= index.in_languages(filters.languages)
        if filters.without_languages:
            files &= ~index.in_languages(filters.without_languages)
        passing: Mask = files[self.files]
        if filters.symbols:
            passing &= self.with_a_unit(units_called(index, filters.symbols))
        if filters.without_symbols:
            passing &= ~self.with_a_unit(units_called(index, filters.without_symbols))
        return passing

    def with_a_unit(self, units: Mask) -> Mask:
        """Which candidates have one of these units."""
        found = np.zeros(self.count, dtype=bool)
        owners = self.owner[units]
        found[owners[owners >= 0]] = True
        return found

    def best(self, index: CodeIndex, scores: Floats, k: int) -> list[int]:
        """The k best candidates with a score. Ties are ordered by path and line, so storage order does not matter."""
        found = np.flatnonzero(scores > 0)
        if len(found) > k:
            found = found[scores[found] >= kth_largest(scores[found], k)]

        def order(candidate: int) -> tuple[float, str, int]:
            unit = int(self.units[candidate])
            line = int(index.unit_start[unit]) if unit >= 0 else 0
            return -float(scores[candidate]), index.path(int(self.files[candidate])), line

        return sorted(found.tolist(), key=order)[:k]


_MADE: WeakKeyDictionary[CodeIndex, dict[tuple[Level, frozenset[str]], Candidates]] = WeakKeyDictionary()


def candidates(index: CodeIndex, level: Level, kinds: frozenset[str] = frozenset()) -> Candidates:
    """All live candidates of a level, cached as long as the index lives. `kinds` replace those of the level."""
    made = _MADE.setdefault(index, {})
    key = (level, kinds)
    if key not in made:
        made[key] = _candidates(index, level, kinds or KINDS_OF_LEVELS.get(level, frozenset()))
    return made[key]


def _candidates(index: CodeIndex, level: Level, kinds: frozenset[str]) -> Candidates:
    if level == "file":
        files = np.flatnonzero(index.file_alive)
        units = np.full(len(files), -1, dtype=np.int64)
        number = np.full(len(index.file_alive), -1, dtype=np.int64)
        number[files] = np.arange(len(files))
        owner = np.where(index.unit_alive, number[index.unit_file], -1)
    else:
        units = np.flatnonzero(index.is_kind(kinds) & index.unit_alive)
        files = index.unit_file[units].astype(np.int64)
        owner = np.full(len(index.unit_file), -1, dtype=np.int64)
        owner[units] = np.arange(len(units))
        if level == "class":
            owner = np.where(index.unit_class >= 0, owner[np.maximum(index.unit_class, 0)], -1)
    return Candidates(level, units, files, owner, np.flatnonzero(owner >= 0), index.file_role[files])
