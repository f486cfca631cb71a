"""The code index: units of a snapshot as arrays. An immutable base segment, and a delta for what differs from it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import FieldScorer, FormGroups, Mask, Scores
from trackdown.index.code_segment import FIELDS, KIND_NUMBERS, KINDS, CodeSegment
from trackdown.index.freed_memory import keep_freed_memory
from trackdown.index.postings import find_terms, known_terms
from trackdown.index.program_messages import ProgramMessages
from trackdown.types import CODE, GENERATED, VENDORED
from trackdown.units import terms, words

_TOO_COMMON = 400
_MOSTLY = 9


class CodeIndex:
    """A searchable snapshot: base and delta as one space of files and one of units.

    Files of the base that the snapshot has changed or removed are dead, and so are their units.
    """

    def __init__(self, segments: Sequence[CodeSegment], dead_files: npt.NDArray[np.int64]) -> None:
        keep_freed_memory()
        self.segments = list(segments)
        self.file_offsets = np.cumsum([0, *(len(segment.paths) for segment in segments)])
        self.unit_offsets = np.cumsum([0, *(len(segment.symbols) for segment in segments)])
        self._file_starts: list[int] = self.file_offsets.tolist()
        self._unit_starts: list[int] = self.unit_offsets.tolist()
        self.has_dead = len(dead_files) > 0
        self.file_alive = np.ones(int(self.file_offsets[-1]), dtype=bool)
        self.file_alive[dead_files] = False
        self.left_out = self._left_out()
        self.file_alive &= self._joined("file_skip") == 0
        self.unit_file = np.concatenate(
            [segment.arrays["unit_file"] + offset for segment, offset in zip(segments, self.file_offsets, strict=False)]
        )
        self.unit_alive = self.file_alive[self.unit_file]
        self.unit_kind = self._joined("unit_kind")
        self.unit_start = self._joined("unit_start")
        self.unit_end = self._joined("unit_end")
        self.unit_declares: Mask = self._joined("unit_declares")
        self.file_lines = self._joined("file_lines")
        self.file_role = self._roles()
        self.unit_class = np.concatenate(
            [
                np.where(segment.arrays["unit_class"] >= 0, segment.arrays["unit_class"] + offset, -1)
                for segment, offset in zip(segments, self.unit_offsets, strict=False)
            ]
        )

    def _left_out(self) -> dict[str, int]:
        """Content rule → number of the snapshot's files that it leaves out."""
        counts: dict[str, int] = {}
        for segment, offset in zip(self.segments, self.file_offsets.tolist(), strict=False):
            numbers = segment.arrays["file_skip"]
            live = numbers[self.file_alive[offset : offset + len(numbers)]]
            for reason, count in zip(segment.reasons, np.bincount(live, minlength=len(segment.reasons)), strict=True):
                if reason and count:
                    counts[reason] = counts.get(reason, 0) + int(count)
        return counts

    def _roles(self) -> npt.NDArray[np.int32]:
        """The role of every file. A repository that consists of third-party or generated code has it for its own."""
        roles: npt.NDArray[np.int32] = self._joined("file_role")
        lines = np.bincount(roles, weights=self.file_lines * self.file_alive, minlength=GENERATED + 1)
        foreign = [role for role in (VENDORED, GENERATED) if lines[role] > _MOSTLY * lines[CODE]]
        return np.where(np.isin(roles, foreign), np.int32(CODE), roles) if foreign else roles

    def _joined(self, name: str) -> npt.NDArray[Any]:
        return np.concatenate([segment.arrays[name] for segment in self.segments])

    @property
    def unit_count(self) -> int:
        return int(self.unit_alive.sum())

    @property
    def file_count(self) -> int:
        return int(self.file_alive.sum())

    @cached_property
    def files_by_path(self) -> dict[str, int]:
        """Path → number of every live file."""
        found: dict[str, int] = {}
        for segment, offset in zip(self.segments, self.file_offsets.tolist(), strict=False):
            for number, path in enumerate(segment.paths.all_text(), offset):
                if self.file_alive[number]:
                    found[path] = number
        return found

    @cached_property
    def files_by_name(self) -> dict[str, list[tuple[str, int]]]:
        """File name → path and number of every live file."""
        found: dict[str, list[tuple[str, int]]] = {}
        for path, file in self.files_by_path.items():
            found.setdefault(path.rsplit("/", 1)[-1], []).append((path, file))
        return found

    @cached_property
    def folders_by_name(self) -> dict[str, list[str]]:
        """Folder name → path of every folder with a live file below it."""
        folders = {path.rpartition("/")[0] for path in self.files_by_path}
        for folder in list(folders):
            while folder := folder.rpartition("/")[0]:
                folders.add(folder)
        found: dict[str, list[str]] = {}
        for folder in folders:
            found.setdefault(folder.rsplit("/", 1)[-1], []).append(folder)
        return found

    def is_kind(self, kinds: frozenset[str], units: npt.NDArray[np.int64] | slice = slice(None)) -> Mask:
        """Which units, of these or of all, are of one of these kinds."""
        return np.isin(self.unit_kind[units], [KIND_NUMBERS[kind] for kind in kinds])

    def kind(self, unit: int) -> str:
        return KINDS[int(self.unit_kind[unit])]

    def symbol(self, unit: int) -> str:
        segment, local = self._locate(unit, self._unit_starts)
        return segment.symbols.text(local)

    def path(self, file: int) -> str:
        segment, local = self._locate(file, self._file_starts)
        return segment.paths.text(local)

    def fact_key(self, file: int) -> str:
        segment, local = self._locate(file, self._file_starts)
        return segment.keys.text(local)

    def language(self, file: int) -> str:
        segment, local = self._locate(file, self._file_starts)
        return segment.languages[int(segment.arrays["file_language"][local])]

    def in_languages(self, names: Sequence[str]) -> Mask:
        """Which files are in one of these languages."""
        masks = []
        for segment in self.segments:
            numbers = [number for number, name in enumerate(segment.languages) if name in names]
            masks.append(np.isin(segment.arrays["file_language"], numbers))
        return np.concatenate(masks)

    def units_of(self, file: int) -> range:
        """The rows of a file's units, which are contiguous."""
        first, last = np.searchsorted(self.unit_file, [file, file + 1])
        return range(int(first), int(last))

    def languages(self) -> dict[str, int]:
        """Language → number of live files, most first."""
        counts: dict[str, int] = {}
        for segment, offset in zip(self.segments, self.file_offsets.tolist(), strict=False):
            numbers = segment.arrays["file_language"]
            live = numbers[self.file_alive[offset : offset + len(numbers)]]
            for number, count in enumerate(np.bincount(live, minlength=len(segment.languages)).tolist()):
                if count:
                    counts[segment.languages[number]] = counts.get(segment.languages[number], 0) + count
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def score(
        self,
        field: str,
        wanted: Sequence[str],
        weights: Sequence[float],
        k1: float,
        b: float,
        forms: FormGroups | None = None,
    ) -> Scores:
        """BM25 of a field: over units for body and name, over files for path."""
        rows = [segment.rows(tuple(wanted)) for segment in self.segments]
        return self._scorers[field].score(rows, weights, k1, b, forms)

    def has_terms(self, wanted: Sequence[str]) -> list[bool]:
        """Which terms occur in some field."""
        return known_terms([segment.terms for segment in self.segments], wanted)

    @cached_property
    def _scorers(self) -> dict[str, FieldScorer]:
        """The scorer of each field."""
        return {field: self._scorer(field) for field in FIELDS}

    def _scorer(self, field: str) -> FieldScorer:
        alive = self.file_alive if field == "path" else self.unit_alive
        offsets = (self.file_offsets if field == "path" else self.unit_offsets).tolist()
        masked = self.has_dead or (field == "path" and bool(self.left_out))
        return FieldScorer(
            [
                (segment.fields[field], alive[first:last] if masked else None)
                for segment, first, last in zip(self.segments, offsets, offsets[1:], strict=False)
            ]
        )

    @cached_property
    def messages(self) -> ProgramMessages:
        """What the units say."""
        arrays = [segment.arrays for segment in self.segments]
        return ProgramMessages(arrays, self.unit_offsets.tolist(), self.unit_alive)

    def units_with(self, word: str) -> npt.NDArray[np.int64]:
        """Live units whose text has this word, whatever its case."""
        return self._holders([word.lower().strip("_")], "body")

    def units_using(self, name: str) -> list[int]:
        """Live units whose text has the words of a name or key, whatever their case. Empty for a very common one."""
        holders = self._holders([word.lower().strip("_") for word in words(name)], "body")
        return holders.tolist() if len(holders) <= _TOO_COMMON else []

    def units_named(self, name: str) -> list[int]:
        """Live units whose symbol is `name` or ends with it, case-sensitive. Empty for a very common name."""
        wanted = list(dict.fromkeys(word.lower().strip("_") for word in words(name) if terms(word)))
        holders = self._holders(wanted, "name") if wanted else self._with_symbols_like(name)
        if len(holders) > _TOO_COMMON:
            return []
        return [unit for unit in holders.tolist() if f".{self.symbol(unit)}".endswith(f".{name}")]

    def windows_defining(self, letter: str) -> list[int]:
        """Live windows that define a variable, constant or macro with a name of one letter."""
        found: list[int] = self._holders([f"{letter}="], "body").tolist()
        return found

    def _with_symbols_like(self, name: str) -> npt.NDArray[np.int64]:
        """The live units whose symbols end with a name that has no terms."""
        return self._live([segment.symbols.ending_with(f".{name}") for segment in self.segments])

    def _holders(self, wanted: Sequence[str], field: str) -> npt.NDArray[np.int64]:
        """The live units that have all these terms in a field."""
        return self._live([_units_with(segment, wanted, field) for segment in self.segments])

    def _live(self, rows: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
        """Rows of each segment's units → those that are alive, numbered over all segments."""
        offsets = self.unit_offsets.tolist()
        units = np.concatenate([own + offset for own, offset in zip(rows, offsets, strict=False)])
        alive: npt.NDArray[np.int64] = units[self.unit_alive[units]]
        return alive

    def _locate(self, number: int, offsets: list[int]) -> tuple[CodeSegment, int]:
        place = bisect_right(offsets, number) - 1
        return self.segments[place], int(number) - offsets[place]


def _units_with(segment: CodeSegment, wanted: Sequence[str], field_name: str) -> npt.NDArray[np.int64]:
    """The units of a segment that have all these terms in a field."""
    rows = find_terms(segment.terms, wanted)
    if not rows or min(rows) < 0:
        return np.zeros(0, dtype=np.int64)
    field = segment.fields[field_name]
    postings = sorted((field.documents[field.pointers[row] : field.pointers[row + 1]] for row in rows), key=len)
    common = postings[0]
    for other in postings[1:]:
        common = common[np.isin(common, other)]
    return common.astype(np.int64)
