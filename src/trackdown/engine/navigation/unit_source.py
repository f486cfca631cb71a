"""The source of an indexed file, of a unit in it, or of a range of lines, as it was indexed."""

from __future__ import annotations

from dataclasses import dataclass

from trackdown.engine.navigation.similar_names import dotted_name, nearest_names, suggestion
from trackdown.engine.searching.filters import lies_below
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UsageError
from trackdown.index import CodeIndex
from trackdown.types import UnitSource
from trackdown.units import oid_of_key

_LISTED = 3
_WINDOW = "window"


@dataclass(frozen=True, slots=True)
class UnitQuery:
    """Which source to read. Raises UsageError for an invalid path (it must be below the root) or invalid lines.

    Without `symbol` and `lines`, the whole file.
    """

    path: str
    symbol: str | None = None
    lines: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if not self.path or "\0" in self.path or self.path.startswith("/") or not {"..", ".", ""}.isdisjoint(parts):
            raise UsageError(f"{self.path!r} is not the path of a file, relative to the repository's root")
        if self.symbol is not None and self.lines is not None:
            raise UsageError("give a symbol or lines, not both")
        if self.lines is not None and not 1 <= self.lines[0] <= self.lines[1]:
            raise UsageError(f"lines are counted from 1, first to last, not {self.lines[0]}-{self.lines[1]}")


def read_unit(
    code: CodeIndex, snippets: SourceReader, wanted: UnitQuery, repository: str, within: str = "", lacks: str = ""
) -> UnitSource | None:
    """Read it. None if the file has changed since it was indexed. Raises UsageError, with the most similar names.

    Files outside the folder `within` are ignored. `lacks` says what is missing from a partial index.
    """
    file = code.files_by_path.get(wanted.path) if lies_below(wanted.path, within) else None
    if file is None:
        near = nearest_names(wanted.path, (path for path in code.files_by_path if lies_below(path, within)), "/")
        raise UsageError(
            f"{wanted.path} is not an indexed file of {repository}{suggestion(near)}{f' ({lacks})' if lacks else ''}"
        )
    lines = snippets.lines(wanted.path, oid_of_key(code.fact_key(file)))
    if lines is None:
        return None
    if len(lines) > 1 and not lines[-1]:
        lines = lines[:-1]  # no line follows the last line break
    symbol, kind, first, last = "", "file", 1, len(lines)
    notes: tuple[str, ...] = ()
    if wanted.lines is not None:
        kind, first, last = "lines", wanted.lines[0], min(wanted.lines[1], len(lines))
        if first > len(lines):
            raise UsageError(f"{wanted.path} has only {len(lines)} lines, not {first}")
    elif wanted.symbol is not None:
        unit, notes = _named(code, file, wanted.path, wanted.symbol)
        symbol, kind = code.symbol(unit), code.kind(unit)
        first, last = int(code.unit_start[unit]), int(code.unit_end[unit])
    text = "\n".join(line.rstrip("\r") for line in lines[first - 1 : last])
    return UnitSource(
        repository, wanted.path, symbol, kind, code.language(file), first, last, len(lines), text, notes=notes
    )


def _named(code: CodeIndex, file: int, path: str, symbol: str) -> tuple[int, tuple[str, ...]]:
    """The first unit of a file with this symbol, or whose symbol ends with it; a note if there are more."""
    wanted = dotted_name(symbol)
    units = [unit for unit in code.units_of(file) if code.kind(unit) != _WINDOW]
    whole = [unit for unit in units if code.symbol(unit) == wanted]
    found = whole or [unit for unit in units if wanted and code.symbol(unit).endswith(f".{wanted}")]
    if not found:
        near = nearest_names(wanted, (code.symbol(unit) for unit in units), ".")
        raise UsageError(f"{path} has no class or function {symbol!r}{suggestion(near)}")
    if len(found) == 1:
        return found[0], ()
    places = ", ".join(f"{code.symbol(unit)} at line {code.unit_start[unit]}" for unit in found[: _LISTED + 1])
    return found[0], (f"{path} has {len(found)} matches for {symbol!r}; this is the first: {places}",)
