"""The code index: units of a snapshot as arrays. An immutable base segment, and a delta for what differs from it."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.bm25 import FieldScorer, Mask, Scores
from trackdown.index.freed_memory import keep_freed_memory
from trackdown.index.postings import PostingsWriter, find_terms, open_field
from trackdown.index.strings import SortedTable, StringTable, pack, to_bytes
from trackdown.repository import MISSING, role_of
from trackdown.store import Arrays
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units import BlobFacts, words

FIELDS = ("body", "name", "path")
KINDS = ("window", *sorted(FUNCTION_KINDS), *sorted(CLASS_KINDS))
_TOO_COMMON = 400
_FILE_COLUMNS = ("file_language", "file_lines", "file_role", "file_skip")
_UNIT_COLUMNS = ("unit_kind", "unit_start", "unit_end", "unit_file", "unit_class")
_KIND_NUMBER = {kind: number for number, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of a segment: its path, the key of its facts, and the facts.

    Files that a content rule leaves out are stored without units, so that they are known and counted.
    """

    path: str
    key: str
    facts: BlobFacts


def build_segment(indexed: Iterable[IndexedFile]) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Gather facts into arrays. The same files in the same order give the same bytes."""
    writer = PostingsWriter(*FIELDS)
    paths: list[bytes] = []
    keys: list[bytes] = []
    symbols: list[bytes] = []
    languages: dict[str, int] = {}
    reasons = {"": 0}
    as_text: dict[str, str] = {}
    columns: dict[str, list[int]] = {name: [] for name in (*_FILE_COLUMNS, *_UNIT_COLUMNS)}
    for number, item in enumerate(indexed):
        facts = item.facts
        first = len(symbols)
        paths.append(to_bytes(item.path))
        keys.append(item.key.encode())
        columns["file_language"].append(languages.setdefault(facts.language, len(languages)))
        columns["file_lines"].append(facts.lines)
        columns["file_role"].append(role_of(item.path))
        columns["file_skip"].append(reasons.setdefault(facts.skip, len(reasons)))
        if facts.as_text:
            as_text[str(number)] = facts.as_text
        for unit in facts.units:
            symbols.append(to_bytes(unit.symbol))
            columns["unit_kind"].append(_KIND_NUMBER[unit.kind])
            columns["unit_start"].append(unit.start_line)
            columns["unit_end"].append(unit.end_line)
            columns["unit_file"].append(number)
        columns["unit_class"] += _innermost_classes(facts, first)
        if facts.skip:
            continue
        add_body(writer, facts, first)
        _add_names(writer, facts, first)
        path_words = writer.number(words(item.path))
        writer.fields["path"].add(np.full(len(path_words), number), path_words, np.ones(len(path_words)))
    arrays: dict[str, npt.NDArray[Any]] = {name: np.array(column, np.int32) for name, column in columns.items()}
    arrays |= pack("paths", paths) | pack("keys", keys) | pack("symbols", symbols)
    arrays |= writer.arrays({"body": len(symbols), "name": len(symbols), "path": len(paths)})
    return arrays, {"languages": list(languages), "reasons": list(reasons), "as_text": as_text}


def _innermost_classes(facts: BlobFacts, first: int) -> list[int]:
    """The row of the class that each unit is or belongs to, or -1."""
    classes: list[int] = []
    for index, unit in enumerate(facts.units):
        if unit.kind in CLASS_KINDS:
            classes.append(first + index)
        else:
            classes.append(classes[unit.parent] if unit.parent >= 0 else -1)
    return classes


def add_body(writer: PostingsWriter, facts: BlobFacts, first: int, times: npt.NDArray[Any] | None = None) -> None:
    """Add the words of a file's units, whose rows begin with `first`, each `times` times."""
    numbers = np.array(writer.number(facts.vocabulary), dtype=np.int64)
    ids = np.frombuffer(facts.word_ids, dtype="<u4")
    pointers = np.frombuffer(facts.pointers, dtype="<u4").astype(np.int64)
    documents = np.repeat(np.arange(first, first + len(facts.units)), np.diff(pointers))
    counts = np.frombuffer(facts.counts, dtype="<u4").astype(np.int64)
    if times is not None:
        counts *= np.repeat(times, np.diff(pointers))
    writer.fields["body"].add(documents, numbers[ids], counts)


def _add_names(writer: PostingsWriter, facts: BlobFacts, first: int) -> None:
    documents: list[int] = []
    names: list[int] = []
    for row, unit in enumerate(facts.units, first):
        found = writer.number(words(unit.symbol)) if unit.symbol else []
        names += found
        documents += [row] * len(found)
    writer.fields["name"].add(documents, names, np.ones(len(names)))


class CodeSegment:
    """The arrays of one segment, read lazily. `name` is that of its file; empty when it is in memory only.

    `kin` is a segment of the store with many of the same files: data computed for those can be copied.
    """

    def __init__(self, arrays: Arrays, name: str = "", kin: CodeSegment | None = None) -> None:
        self.arrays = arrays
        self.name = name
        self.kin = kin
        self.paths = StringTable(arrays, "paths")
        self.keys = StringTable(arrays, "keys")
        self.symbols = StringTable(arrays, "symbols")
        self.terms = SortedTable(arrays, "terms")
        self.fields = {name: open_field(arrays, name) for name in FIELDS}
        self.languages: list[str] = arrays.meta["languages"]
        self.reasons: list[str] = arrays.meta["reasons"]
        self._rows: tuple[tuple[str, ...], list[int]] = ((), [])

    @cached_property
    def content(self) -> str:
        """A digest of the files it was gathered from, because a segment may be replaced under the same name."""
        # A blob that was missing may have arrived since.
        names = ("paths_bytes", "keys_bytes", *(["file_skip"] if MISSING in self.reasons else []))
        pieces = b"".join(self.arrays[name].tobytes() for name in names)
        return hashlib.blake2b(pieces, digest_size=16).hexdigest()

    def units_in_kin(self) -> npt.NDArray[np.int64]:
        """The row of each unit in the kin, if that has the same file with the same content; else -1."""
        unit_file = self.arrays["unit_file"]
        if self.kin is None:
            return np.full(len(unit_file), -1, dtype=np.int64)
        held = {file: number for number, file in enumerate(self.kin.files())}
        files = np.array([held.get(file, -1) for file in self.files()], dtype=np.int64)[unit_file]
        firsts = np.searchsorted(unit_file, np.arange(len(self.paths)))[unit_file]
        kin_firsts = np.searchsorted(self.kin.arrays["unit_file"], np.arange(len(self.kin.paths)))
        return np.where(files >= 0, kin_firsts[files] + np.arange(len(unit_file)) - firsts, -1)

    def files(self) -> list[tuple[str, str]]:
        """The path of every file and the key of its facts."""
        return list(zip(self.paths.all_text(), self.keys.all_text(), strict=True))

    def rows(self, wanted: tuple[str, ...]) -> list[int]:
        """The rows of a query's terms, which all fields share."""
        found = self._rows  # read and written as one value, because another thread may ask for other terms
        if found[0] != wanted:
            found = self._rows = (wanted, find_terms(self.terms, wanted))
        return found[1]


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
        self.file_role = self._joined("file_role")
        self.file_lines = self._joined("file_lines")
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

    def is_kind(self, kinds: frozenset[str]) -> Mask:
        """Which units are of one of these kinds."""
        return np.isin(self.unit_kind, [_KIND_NUMBER[kind] for kind in kinds])

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

    def score(self, field: str, wanted: Sequence[str], weights: Sequence[float], k1: float, b: float) -> Scores:
        """BM25 of a field: over units for body and name, over files for path."""
        rows = [segment.rows(tuple(wanted)) for segment in self.segments]
        return self._scorers[field].score(rows, weights, k1, b)

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

    def units_named(self, name: str) -> list[int]:
        """Live units whose symbol is `name` or ends with it, case-sensitive. Empty for a very common name."""
        wanted = list(dict.fromkeys(word.lower().strip("_") for word in words(name)))
        offsets = self.unit_offsets.tolist()
        holders = np.concatenate(
            [
                self._units_with(segment, wanted) + offset
                for segment, offset in zip(self.segments, offsets, strict=False)
            ]
        )
        holders = holders[self.unit_alive[holders]]
        if len(holders) > _TOO_COMMON:
            return []
        return [unit for unit in holders.tolist() if f".{self.symbol(unit)}".endswith(f".{name}")]

    def _units_with(self, segment: CodeSegment, wanted: Sequence[str]) -> npt.NDArray[np.int64]:
        """The units of a segment whose names have all these terms."""
        rows = find_terms(segment.terms, wanted)
        if not rows or min(rows) < 0:
            return np.zeros(0, dtype=np.int64)
        field = segment.fields["name"]
        postings = sorted((field.documents[field.pointers[row] : field.pointers[row + 1]] for row in rows), key=len)
        common = postings[0]
        for other in postings[1:]:
            common = common[np.isin(common, other)]
        return common.astype(np.int64)

    def _locate(self, number: int, offsets: list[int]) -> tuple[CodeSegment, int]:
        place = bisect_right(offsets, number) - 1
        return self.segments[place], int(number) - offsets[place]
