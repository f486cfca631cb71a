"""A segment of the code index: the units of some files as arrays. It is built from facts and never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from trackdown.index.postings import PostingsWriter, find_terms, open_field
from trackdown.index.program_messages import MessageWriter
from trackdown.index.strings import SortedTable, StringTable, pack, to_bytes
from trackdown.repository import MISSING, role_of
from trackdown.store import Arrays
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS, GENERATED
from trackdown.units import BlobFacts, words

FIELDS = ("body", "name", "path")
KINDS = ("window", *sorted(FUNCTION_KINDS), *sorted(CLASS_KINDS))
KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
FILE_COLUMNS = ("file_language", "file_lines", "file_role", "file_skip")
UNIT_COLUMNS = ("unit_kind", "unit_start", "unit_end", "unit_file", "unit_class")


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
    messages = MessageWriter()
    paths: list[bytes] = []
    keys: list[bytes] = []
    symbols: list[bytes] = []
    languages: dict[str, int] = {}
    reasons = {"": 0}
    as_text: dict[str, str] = {}
    declares: list[bool] = []
    columns: dict[str, list[int]] = {name: [] for name in (*FILE_COLUMNS, *UNIT_COLUMNS)}
    for number, item in enumerate(indexed):
        facts = item.facts
        first = len(symbols)
        paths.append(to_bytes(item.path))
        keys.append(item.key.encode())
        columns["file_language"].append(languages.setdefault(facts.language, len(languages)))
        columns["file_lines"].append(facts.lines)
        columns["file_role"].append(_role(item))
        columns["file_skip"].append(reasons.setdefault(facts.skip, len(reasons)))
        if facts.as_text:
            as_text[str(number)] = facts.as_text
        for unit in facts.units:
            symbols.append(to_bytes(unit.symbol))
            columns["unit_kind"].append(KIND_NUMBERS[unit.kind])
            columns["unit_start"].append(unit.start_line)
            columns["unit_end"].append(unit.end_line)
            columns["unit_file"].append(number)
            declares.append(unit.declares)
        columns["unit_class"] += _innermost_classes(facts, first)
        if facts.skip:
            continue
        add_body(writer, facts, first)
        _add_names(writer, facts, first)
        messages.add(facts, first)
        path_words = writer.number(words(item.path))
        writer.fields["path"].add(np.full(len(path_words), number), path_words, np.ones(len(path_words)))
    arrays: dict[str, npt.NDArray[Any]] = {name: np.array(column, np.int32) for name, column in columns.items()}
    arrays["unit_declares"] = np.array(declares, np.bool_)
    arrays |= pack("paths", paths) | pack("keys", keys) | pack("symbols", symbols)
    arrays |= writer.arrays({"body": len(symbols), "name": len(symbols), "path": len(paths)})
    arrays |= messages.arrays()
    return arrays, {"languages": list(languages), "reasons": list(reasons), "as_text": as_text}


def _role(item: IndexedFile) -> int:
    """The role of a file by its path, or by its first lines if the path doesn't say."""
    role = role_of(item.path)
    return GENERATED if role == CODE and item.facts.generated else role


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

    @property
    def key(self) -> str:
        """The key of the index that it was built for."""
        return self.name.partition("-")[2]

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
