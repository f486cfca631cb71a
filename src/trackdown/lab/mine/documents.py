"""Units of past and present files as documents that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trackdown.lab.mine.foreign import is_foreign, is_written_by_a_program
from trackdown.repository.blobs import BlobReader
from trackdown.repository.content_rules import decode_text
from trackdown.repository.roles import role_of
from trackdown.types import CLASS_KINDS, CODE, FUNCTION_KINDS
from trackdown.units.extract import extract
from trackdown.units.facts import Unit
from trackdown.units.languages import TEXT, UNCERTAIN, language_of

LARGEST_FILE = 200_000
LONGEST_CODE = 3000
_KINDS = FUNCTION_KINDS | CLASS_KINDS
_LONGEST_SPAN = 400

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A unit as it was once, at most so long as a model reads."""

    path: str
    symbol: str
    kind: str
    language: str
    code: str


def is_own_code(path: str) -> bool:
    """Whether a path is that of code in a language we parse: no test, no prose, nothing vendored or generated."""
    return role_of(path) == CODE and language_of(path) not in (TEXT, UNCERTAIN) and not is_foreign(path)


def read_units(blobs: BlobReader, path: str, oid: str) -> tuple[tuple[Unit, ...], list[str]]:
    """The functions and classes of a blob and its lines; none of a large, binary or generated one."""
    data = blobs.read(oid, LARGEST_FILE)
    if data is None or len(data) > LARGEST_FILE or is_written_by_a_program(data):
        return (), []
    facts = extract(data, language_of(path), path=path)
    if facts.skip:
        return (), []
    return tuple(unit for unit in facts.units if unit.kind in _KINDS), (decode_text(data) or "").split("\n")


def document(path: str, unit: Unit, lines: Sequence[str]) -> Document:
    """A unit as a document."""
    code = "\n".join(lines[unit.start_line - 1 : unit.end_line])[:LONGEST_CODE]
    return Document(path, unit.symbol, unit.kind, language_of(path), code)


def edited_units(units: Sequence[Unit], spans: Sequence[Span]) -> list[Unit]:
    """The innermost unit around each line of the spans; of an empty span (n, n - 1) the one that goes on behind n."""
    found: dict[int, Unit] = {}
    for first, last in spans:
        for line in range(first, min(last, first + _LONGEST_SPAN) + 1) if last >= first else (first,):
            for place in range(len(units) - 1, -1, -1):
                unit = units[place]
                end = unit.end_line if last >= first else unit.end_line - 1
                if unit.start_line <= line <= end:
                    found[place] = unit
                    break
    return [found[place] for place in sorted(found)]


__all__ = [
    "LARGEST_FILE", "LONGEST_CODE", "Document", "Span", "document", "edited_units", "is_own_code", "read_units",
]  # fmt: skip
