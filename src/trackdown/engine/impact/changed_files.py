"""Where a diff stands in a snapshot: its files, the classes and functions that it changes, its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from trackdown.engine.searching.source_reader import SourceReader
from trackdown.index import CodeIndex
from trackdown.repository import FilePatch, Hunk, fitted_patch
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units import oid_of_key

MOST_FILES = 200
"""A diff that changes more files is looked at for the first ones only."""
_MOST_LINES = 20_000
_MOST_COMPARED = 20_000_000
_KINDS = FUNCTION_KINDS | CLASS_KINDS


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """A file of a diff. `file` is its number in the snapshot, -1 if it is not there (any more, or yet).

    `old_path` is what history calls it. `units` are the innermost classes and functions with changed lines; a file
    that does not `fit` is in the snapshot with another text than the diff was made for.
    """

    path: str
    old_path: str
    file: int
    units: tuple[int, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    is_new: bool = False
    fits: bool = True


def changed_files(code: CodeIndex, reader: SourceReader, patches: Sequence[FilePatch]) -> list[PatchedFile]:
    """The files of a diff in a snapshot, each once, in the diff's order."""
    found: dict[str, PatchedFile] = {}
    for patch in patches[:MOST_FILES]:
        one = _changed_file(code, reader, patch)
        found.setdefault(one.path, one)
    return list(found.values())


def _changed_file(code: CodeIndex, reader: SourceReader, patch: FilePatch) -> PatchedFile:
    old, new = patch.old_path, patch.new_path
    path = next((path for path in (new, old) if path in code.files_by_path), new or old or "")
    file = code.files_by_path.get(path, -1)
    changed = PatchedFile(path, old or path, file, is_new=old is None)
    lines = reader.lines(path, oid_of_key(code.fact_key(file))) if file >= 0 else None
    if not patch.hunks:
        whole = tuple(lines[:_MOST_LINES]) if lines and old is None else ()  # an untracked file
        return replace(changed, added=whole, units=_units(code, file, ((n, n) for n in range(1, len(whole) + 1))))
    signed = [line for hunk in patch.hunks for line in hunk.lines][:_MOST_LINES]
    changed = replace(
        changed,
        removed=tuple(line[1:] for line in signed if line[0] == "-"),
        added=tuple(line[1:] for line in signed if line[0] == "+"),
    )
    if lines is None:
        return changed
    spans = _spans_here(patch, lines)
    return replace(changed, fits=spans is not None, units=_units(code, file, spans or ()))


def _spans_here(patch: FilePatch, lines: Sequence[str]) -> list[tuple[int, int]] | None:
    """The changed lines of a text that is either side of the patch; None if it is neither."""
    text = "\n".join(lines)
    backwards = replace(patch, hunks=tuple(hunk.reversed() for hunk in patch.hunks))
    for side in (backwards, patch):
        if sum(len(hunk.lines) for hunk in side.hunks) * len(lines) > _MOST_COMPARED:
            placed = side if _stands_there(side, lines) else None
        else:
            placed = _placed(side, text)
        if placed is not None:
            return [span for hunk in placed.hunks for span in _changed_spans(hunk)]
    return None


def _placed(patch: FilePatch, text: str) -> FilePatch | None:
    try:
        return fitted_patch(patch, text)
    except ValueError:
        return None


def _stands_there(patch: FilePatch, lines: Sequence[str]) -> bool:
    """Whether every hunk's old lines are at its own numbers."""
    sides = ((hunk.old_start - 1, hunk.old_lines) for hunk in patch.hunks)
    return all(list(lines[start : start + len(side)]) == side for start, side in sides if side)


def _changed_spans(hunk: Hunk) -> list[tuple[int, int]]:
    """The old side's changed lines, each by itself; where something is only inserted, the lines around that place."""
    spans: list[tuple[int, int]] = []
    line = hunk.old_start - bool(hunk.old_lines)
    for is_change, run in groupby((text[0] for text in hunk.lines), key=lambda sign: sign != " "):
        signs = list(run)
        removed = signs.count("-") if is_change else 0
        if removed:
            spans += [(number, number) for number in range(line + 1, line + removed + 1)]
        elif is_change:
            spans.append((line, line + 1))
        line += removed if is_change else len(signs)
    return spans


def _units(code: CodeIndex, file: int, spans: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The innermost class or function around each span, in the order of their lines."""
    if file < 0:
        return ()
    rows = [row for row in code.units_of(file) if code.kind(row) in _KINDS]
    rows.sort(key=lambda row: int(code.unit_start[row] - code.unit_end[row]))
    inner = np.full(int(code.file_lines[file]) + 2, -1, dtype=np.int64)
    for row in rows:
        inner[int(code.unit_start[row]) : int(code.unit_end[row]) + 1] = row
    found: dict[int, None] = {}
    for first, last in spans:
        around = [int(inner[line]) for line in (first, last) if 0 < line < len(inner)]
        common = [row for row in around if code.unit_start[row] <= first and last <= code.unit_end[row]]
        if len(around) == 2 and common and common[0] >= 0:
            found[common[0]] = None
    return tuple(sorted(found))
