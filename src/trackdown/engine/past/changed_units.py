"""What a commit changed, in units: the functions and classes that hold the lines it removed and added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trackdown.index import CodeIndex
from trackdown.repository import FileDiff
from trackdown.types import CLASS_KINDS, FUNCTION_KINDS
from trackdown.units import BlobFacts, Unit

Facts = Mapping[tuple[str, str], BlobFacts]
"""(path, blob id) → the facts of a content."""
_KINDS = FUNCTION_KINDS | CLASS_KINDS


@dataclass(frozen=True, slots=True)
class PresentPlace:
    """Where something is now."""

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class ChangedUnit:
    """A function or class that a commit changed, with its lines after the commit, or before it if it was removed.

    `added` and `removed` count the lines that no smaller unit holds. `now` is where a unit of this name is in the
    searched state; None if there is none.
    """

    path: str
    symbol: str
    kind: str
    change: Literal["added", "modified", "removed"]
    start_line: int
    end_line: int
    added: int
    removed: int
    now: PresentPlace | None = None


def changed_units(
    files: Sequence[FileDiff], facts: Facts, code: CodeIndex, present: Mapping[str, str]
) -> Iterator[ChangedUnit]:
    """The units that some files' changed lines belong to, by file and line. `present` is path → present path."""
    for file in files:
        old_units = _units(facts, file.old_path or file.path, file.old_oid)
        new_units = _units(facts, file.path, file.new_oid)
        old, new = _by_symbol(old_units, file.removed), _by_symbol(new_units, file.added)
        had, has = {unit.symbol for unit in old_units}, {unit.symbol for unit in new_units}
        named = {unit.symbol: unit for unit in reversed(new_units)}
        touched = {symbol: named.get(symbol, unit) for symbol, (unit, _) in [*old.items(), *new.items()]}
        for symbol, unit in sorted(touched.items(), key=lambda item: (item[1].start_line, item[0])):
            yield ChangedUnit(
                file.path if symbol in has else file.old_path or file.path,
                symbol,
                unit.kind,
                "added" if symbol not in had else "modified" if symbol in has else "removed",
                unit.start_line,
                unit.end_line,
                new[symbol][1] if symbol in new else 0,
                old[symbol][1] if symbol in old else 0,
                _now(code, present.get(file.path, ""), symbol),
            )


def _units(facts: Facts, path: str, oid: str) -> list[Unit]:
    found = facts.get((path, oid))
    return [] if found is None else [unit for unit in found.units if unit.kind in _KINDS]


def _by_symbol(units: Sequence[Unit], lines: Iterable[int]) -> dict[str, tuple[Unit, int]]:
    """Symbol → the first unit of that name, and how many of the lines its units hold and no smaller unit does."""
    innermost: dict[int, Unit] = {}
    for unit in sorted(units, key=lambda unit: unit.start_line - unit.end_line):  # the largest first
        innermost.update(dict.fromkeys(range(unit.start_line, unit.end_line + 1), unit))
    found: dict[str, tuple[Unit, int]] = {}
    for line in lines:
        if line in innermost:
            unit = innermost[line]
            first, count = found.get(unit.symbol, (unit, 0))
            found[unit.symbol] = (first, count + 1)
    return found


def _now(code: CodeIndex, path: str, symbol: str) -> PresentPlace | None:
    file = code.files_by_path.get(path)
    for unit in code.units_of(file) if file is not None else ():
        if code.symbol(unit) == symbol:
            return PresentPlace(path, int(code.unit_start[unit]), int(code.unit_end[unit]))
    return None
