"""What a commit says should be found for its message, by the protocol.

`past`: what it edited, as it was before it. `head`: what it touched and still exists, under its present name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trackdown.lab.cases import Place
from trackdown.lab.mine.edits import EditedUnits, find_edits
from trackdown.lab.mine.patches import FilePatch, apply
from trackdown.lab.mine.states import files_among, regular_files
from trackdown.repository.blobs import BlobReader
from trackdown.repository.content_rules import decode_text, reason_to_skip
from trackdown.repository.git import Git
from trackdown.repository.snapshot import File, commit_snapshot
from trackdown.repository.source import Source
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units.extract import extract
from trackdown.units.languages import UNCERTAIN, language_of, language_of_content

_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Change:
    """A commit whose truth is wanted. `present` tells the present path of each path that it left behind."""

    parent: str | None
    patches: Sequence[FilePatch]
    present: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Truth:
    """Files, and the functions and classes in them that are nearest to the edited lines."""

    files: tuple[str, ...] = ()
    symbols: tuple[Place, ...] = ()


TruthOf = Callable[[Change, Callable[[str], bool]], Truth]
"""A change and which paths may be in a truth → the truth."""


class PastTruth:
    """The state before the commit."""

    def __init__(self, git: Git, blobs: BlobReader) -> None:
        self._git, self._blobs = git, blobs

    def __call__(self, change: Change, wanted: Callable[[str], bool]) -> Truth:
        """Raises GitError when trees are missing, ValueError when a patch does not fit."""
        if change.parent is None:
            return Truth()
        paths = [patch.old_path for patch in change.patches if patch.old_path is not None and wanted(patch.old_path)]
        files = files_among(self._git, self._blobs, change.parent, paths)
        found: dict[str, EditedUnits] = {}
        for patch in change.patches:
            file = files.get(patch.old_path or "")
            data = self._blobs.read(file.oid, _MAX_BYTES) if file is not None else None
            if file is None or data is None or not _is_taken_in(file, data):
                continue
            old, new = (decode_text(text) or "" for text in (data, _after(patch, data)))
            found[file.path] = find_edits(file.path, old, new, patch.hunks, forced=file.forced)
        symbols = (Place(path, symbol) for path, units in found.items() for symbol, _ in units.innermost)
        return Truth(tuple(found), tuple(symbols))


class HeadTruth:
    """The present state. A symbol counts when its file still has one of that name."""

    def __init__(self, source: Source, head: str, blobs: BlobReader) -> None:
        assert source.git is not None
        self._git, self._blobs = source.git, blobs
        self._files = {file.path: file for file in commit_snapshot(source, head).files}
        self._symbols = lru_cache(maxsize=4096)(self._read_symbols)

    def __call__(self, change: Change, wanted: Callable[[str], bool]) -> Truth:
        """Raises GitError when trees are missing, ValueError when a patch does not fit."""
        patches = [(patch, change.present.get(patch.new_path or "", patch.new_path)) for patch in change.patches]
        kept = [(patch, path) for patch, path in patches if path is not None and patch.regular and wanted(path)]
        there = {path: symbols for _, path in kept if (symbols := self._symbols(path)) is not None}
        before = [patch.old_path for patch, path in kept if path in there and patch.old_path is not None]
        oids = regular_files(self._git, change.parent, before) if change.parent is not None else {}
        places: dict[Place, None] = {}
        for patch, path in kept:
            if path in there:
                touched = (symbol for symbol in self._touched(patch, oids) if symbol in there[path])
                places.update(dict.fromkeys(Place(path, symbol) for symbol in touched))
        return Truth(tuple(there), tuple(places))

    def _read_symbols(self, path: str) -> frozenset[str] | None:
        """The functions and classes of a present file; None when there is none that a search takes in."""
        file = self._files.get(path)
        data = self._blobs.read(file.oid, _MAX_BYTES) if file is not None else None
        if file is None or data is None or not _is_taken_in(file, data):
            return None
        units = extract(data, language_of(path), forced=file.forced, path=path).units
        return frozenset(unit.symbol for unit in units if unit.kind in FUNCTION_KINDS | CLASS_KINDS)

    def _touched(self, patch: FilePatch, oids: Mapping[str, str]) -> Sequence[str]:
        """The symbols that the commit left with changed lines: what it edited, seen from behind it."""
        oid = oids.get(patch.old_path or "")
        data = self._blobs.read(oid, _MAX_BYTES) if oid is not None else b""
        if data is None or len(data) > _MAX_BYTES or (oid is None and patch.old_path is not None):
            return ()
        old, new = (decode_text(text) or "" for text in (data, _after(patch, data)))
        hunks = [hunk.reversed() for hunk in patch.hunks]
        return [symbol for symbol, _ in find_edits(patch.new_path or "", new, old, hunks).innermost]


def _after(patch: FilePatch, data: bytes) -> bytes:
    """A file's bytes after its patch."""
    return apply(patch, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _is_taken_in(file: File, data: bytes) -> bool:
    """Whether the rules on contents let a search see a file."""
    language = language_of(file.path)
    if language == UNCERTAIN:
        language = language_of_content(data)
    return (file.forced or not reason_to_skip(data, language, _MAX_BYTES)) and decode_text(data) is not None


__all__ = ["Change", "HeadTruth", "PastTruth", "Truth", "TruthOf"]
