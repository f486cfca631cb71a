"""What a reader finds, in the form that tests compare: by the symbols of units."""

from __future__ import annotations

from dataclasses import dataclass

from trackdown.units.extraction import extract
from trackdown.units.references.extract import extract_references
from trackdown.units.references.facts import Import


@dataclass(frozen=True, slots=True)
class Reading:
    """References as `kind chain/arity`, bindings as `name: type`; both by the symbol of their unit, empty outside."""

    package: str
    imports: list[Import]
    references: dict[str, list[str]]
    bindings: dict[str, list[str]]


def read_text(text: str, language: str) -> Reading:
    """Read a text with the real extractor and the reader of its language."""
    units = extract(text.encode(), language).units
    found = extract_references(text.encode(), language)
    references: dict[str, list[str]] = {}
    bindings: dict[str, list[str]] = {}

    def symbol(unit: int) -> str:
        return units[unit].symbol if unit >= 0 else ""

    for one in found.references:
        references.setdefault(symbol(one.unit), []).append(f"{one.kind} {one.chain}/{one.arity}")
    for each in found.bindings:
        bindings.setdefault(symbol(each.unit), []).append(f"{each.name}: {each.type}")
    return Reading(found.package, found.imports, references, bindings)
