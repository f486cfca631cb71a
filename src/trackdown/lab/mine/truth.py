"""What should be found for a commit's message: the units that the commit edited.

A unit counts if it existed before and a line of it was removed or added. Removed lines belong to the units of the old
text, added ones to the units of the new text, of which only those count whose symbol the old text has. So a line
appended to a function counts for it and a new function after it does not; a new method counts for its class. Blank
lines count for nothing.

`past` gives what the commit edited, as it was before; `head` what it touched and still exists, under its present name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trackdown.lab import CodeLocation, files_among, regular_files
from trackdown.repository import (
    BlobReader,
    File,
    FilePatch,
    Git,
    Hunk,
    Source,
    apply_patch,
    commit_snapshot,
    decode_text,
    fitted_patch,
    parse_patch,
    reason_to_skip,
)
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units import TEXT, UNCERTAIN, Unit, extract_alone, language_of, language_of_content

_UNIT_KINDS = FUNCTION_KINDS | CLASS_KINDS


@dataclass(frozen=True, slots=True)
class EditedUnits:
    """The edited units of one file as (symbol, kind), in the order of the old text.

    `functions` are the innermost functions that hold an edited line, `classes` the innermost classes around one, and
    `innermost` what is nearest to each line, be it a function or a class.
    """

    functions: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    innermost: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """What a whole patch edited, under the paths of the old state."""

    files: tuple[str, ...] = ()
    functions: tuple[CodeLocation, ...] = ()
    classes: tuple[CodeLocation, ...] = ()


def find_edits(path: str, old_text: str, new_text: str, hunks: Sequence[Hunk], *, forced: bool = False) -> EditedUnits:
    """The units of one file that hunks edited; none for a language without a grammar.

    The path tells the language. `forced` files are parsed although a rule on contents would leave them out.
    """
    if not hunks or language_of(path) == TEXT:
        return EditedUnits()
    old = _Text(path, old_text, forced)
    if not old.units:
        return EditedUnits()
    return _Touched(old, _Text(path, new_text, forced), hunks).edits()


def edited_by_patch(patch_text: str, read_old: Callable[[str], str | None]) -> Edited:
    """What a unified diff edited. `read_old` gives the text of a path before the change, None where it cannot.

    Files are all that were there before and are modified, deleted or renamed; links and submodules are none. Raises
    ValueError when the patch cannot be read or was made for another text.
    """
    files: dict[str, None] = {}
    places: dict[str, dict[CodeLocation, None]] = {"functions": {}, "classes": {}}
    for patch in parse_patch(patch_text):
        if patch.old_path is None or not patch.regular:
            continue
        files[patch.old_path] = None
        found = _edits_of(patch, patch.old_path, read_old)
        for name, wanted in places.items():
            units: Iterable[tuple[str, str]] = getattr(found, name)
            wanted.update(dict.fromkeys(CodeLocation(patch.old_path, symbol) for symbol, _ in units))
    return Edited(tuple(files), *(tuple(found) for found in places.values()))


def _edits_of(patch: FilePatch, path: str, read_old: Callable[[str], str | None]) -> EditedUnits:
    old_text = read_old(path) if patch.hunks else None
    if old_text is None:
        return EditedUnits()
    patch = fitted_patch(patch, old_text)
    return find_edits(path, old_text, apply_patch(patch, old_text), patch.hunks)


class _Text:
    """A text with its units, nested ones behind those that enclose them."""

    def __init__(self, path: str, text: str, forced: bool) -> None:
        self.lines = text.split("\n")
        facts = extract_alone(text.encode("utf-8", "replace"), language_of(path), forced=forced)
        self.units = [unit for unit in facts.units if unit.kind in _UNIT_KINDS]
        self.by_symbol: dict[str, list[Unit]] = {}
        for unit in self.units:
            self.by_symbol.setdefault(unit.symbol, []).append(unit)

    def is_blank(self, line: int) -> bool:
        return line > len(self.lines) or not self.lines[line - 1].strip()

    def holding(self, line: int) -> list[Unit]:
        """The units that hold a line, the innermost first."""
        return [unit for unit in reversed(self.units) if unit.start_line <= line <= unit.end_line]

    def owners(self, unit: Unit) -> list[Unit]:
        """The class that a symbol names and that does not stand around it: Go's receivers, Rust's `impl`."""
        name = unit.symbol.rpartition(".")[0]
        return [found for found in self.by_symbol.get(name, ()) if found.kind in CLASS_KINDS] if name else []

    def content(self, symbol: str) -> list[list[str]]:
        """The lines of every unit of a symbol."""
        return [self.lines[unit.start_line - 1 : unit.end_line] for unit in self.by_symbol.get(symbol, ())]


class _Touched:
    """Collects the units of the old text that edited lines belong to."""

    def __init__(self, old: _Text, new: _Text, hunks: Sequence[Hunk]) -> None:
        self._old, self._new = old, new
        self._found: dict[frozenset[str], set[str]] = {FUNCTION_KINDS: set(), CLASS_KINDS: set(), _UNIT_KINDS: set()}
        self._changed: dict[str, bool] = {}
        self._removed = {line for hunk in hunks for line in hunk.removed() if not old.is_blank(line)}
        added = [line for hunk in hunks for line in hunk.added() if not new.is_blank(line)]
        for text, lines in ((old, sorted(self._removed)), (new, added)):
            for line in lines:
                self._take(text, text.holding(line))

    def edits(self) -> EditedUnits:
        """All that was collected."""
        return EditedUnits(*map(self._listed, (FUNCTION_KINDS, CLASS_KINDS, _UNIT_KINDS)))

    def _take(self, text: _Text, holding: list[Unit]) -> None:
        """Units around a line, the innermost first. What is new itself does not count, what encloses it does."""
        units = [unit for unit in holding if self._has_changed(unit.symbol)]
        if units and units[-1] is holding[-1]:
            units += text.owners(units[-1])
        units = [unit for unit in units if self._was_there(unit)]
        for kinds, symbols in self._found.items():
            symbols.update([unit.symbol for unit in units if unit.kind in kinds][:1])

    def _was_there(self, unit: Unit) -> bool:
        """Whether the old text has this symbol, as a function where it is one, as a class where it is one."""
        is_function = unit.kind in FUNCTION_KINDS
        return any((old.kind in FUNCTION_KINDS) == is_function for old in self._old.by_symbol.get(unit.symbol, ()))

    def _has_changed(self, symbol: str) -> bool:
        """Whether anything of a unit did: a diff may show a neighbour's lines as its own, where they are alike."""
        if symbol not in self._changed:
            self._changed[symbol] = self._old.content(symbol) != self._new.content(symbol) or self._was_moved(symbol)
        return self._changed[symbol]

    def _was_moved(self, symbol: str) -> bool:
        """Whether all of a unit was removed here, to stand elsewhere now."""
        return all(
            line in self._removed or self._old.is_blank(line)
            for unit in self._old.by_symbol[symbol]
            for line in range(unit.start_line, unit.end_line + 1)
        )

    def _listed(self, kinds: frozenset[str]) -> tuple[tuple[str, str], ...]:
        symbols = self._found[kinds]
        found: dict[str, str] = {}
        for unit in self._old.units:
            if unit.symbol in symbols and unit.kind in kinds:
                found.setdefault(unit.symbol, unit.kind)
        return tuple(found.items())


_MAX_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class CommitChange:
    """A commit whose truth is wanted. `present` tells the present path of each path that it left behind."""

    parent: str | None
    patches: Sequence[FilePatch]
    present: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Truth:
    """Files, and the functions and classes in them that are nearest to the edited lines."""

    files: tuple[str, ...] = ()
    symbols: tuple[CodeLocation, ...] = ()


TruthOf = Callable[[CommitChange, Callable[[str], bool]], Truth]
"""A change and which paths may be in a truth → the truth."""


class PastTruth:
    """The state before the commit."""

    def __init__(self, git: Git, blobs: BlobReader) -> None:
        self._git, self._blobs = git, blobs

    def __call__(self, change: CommitChange, wanted: Callable[[str], bool]) -> Truth:
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
        symbols = (CodeLocation(path, symbol) for path, units in found.items() for symbol, _ in units.innermost)
        return Truth(tuple(found), tuple(symbols))


class HeadTruth:
    """The present state. A symbol counts when its file still has one of that name."""

    def __init__(self, source: Source, head: str, blobs: BlobReader) -> None:
        assert source.git is not None
        self._git, self._blobs = source.git, blobs
        self._files = {file.path: file for file in commit_snapshot(source, head).files}
        self._symbols = lru_cache(maxsize=4096)(self._read_symbols)

    def __call__(self, change: CommitChange, wanted: Callable[[str], bool]) -> Truth:
        """Raises GitError when trees are missing, ValueError when a patch does not fit."""
        patches = [(patch, change.present.get(patch.new_path or "", patch.new_path)) for patch in change.patches]
        kept = [(patch, path) for patch, path in patches if path is not None and patch.regular and wanted(path)]
        there = {path: symbols for _, path in kept if (symbols := self._symbols(path)) is not None}
        before = [patch.old_path for patch, path in kept if path in there and patch.old_path is not None]
        oids = regular_files(self._git, change.parent, before) if change.parent is not None else {}
        places: dict[CodeLocation, None] = {}
        for patch, path in kept:
            if path in there:
                touched = (symbol for symbol in self._touched(patch, oids) if symbol in there[path])
                places.update(dict.fromkeys(CodeLocation(path, symbol) for symbol in touched))
        return Truth(tuple(there), tuple(places))

    def _read_symbols(self, path: str) -> frozenset[str] | None:
        """The functions and classes of a present file; None when there is none that a search takes in."""
        file = self._files.get(path)
        data = self._blobs.read(file.oid, _MAX_BYTES) if file is not None else None
        if file is None or data is None or not _is_taken_in(file, data):
            return None
        units = extract_alone(data, language_of(path), forced=file.forced).units
        return frozenset(unit.symbol for unit in units if unit.kind in FUNCTION_KINDS | CLASS_KINDS)

    def _touched(self, patch: FilePatch, oids: Mapping[str, str]) -> Sequence[str]:
        """The symbols that the commit left with changed lines: what it edited, seen from after it."""
        oid = oids.get(patch.old_path or "")
        data = self._blobs.read(oid, _MAX_BYTES) if oid is not None else b""
        if data is None or len(data) > _MAX_BYTES or (oid is None and patch.old_path is not None):
            return ()
        old, new = (decode_text(text) or "" for text in (data, _after(patch, data)))
        hunks = [hunk.reversed() for hunk in patch.hunks]
        return [symbol for symbol, _ in find_edits(patch.new_path or "", new, old, hunks).innermost]


def _after(patch: FilePatch, data: bytes) -> bytes:
    """A file's bytes after its patch."""
    return apply_patch(patch, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _is_taken_in(file: File, data: bytes) -> bool:
    """Whether the rules on contents let a search see a file."""
    language = language_of(file.path)
    if language == UNCERTAIN:
        language = language_of_content(data)
    return (file.forced or not reason_to_skip(data, language, _MAX_BYTES)) and decode_text(data) is not None
