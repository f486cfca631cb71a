"""Blob → its references: parse, and let the reader of its language walk the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from tree_sitter import Node

from trackdown.repository import decode_text
from trackdown.units import Unit, extract, syntax_tree
from trackdown.units.references.facts import BlobReferences

_READERS = {
    "python": "python",
    "javascript": "ecmascript",
    "typescript": "ecmascript",
    "tsx": "ecmascript",
    "java": "java",
    "go": "go",
    "rust": "rust",
    "c": "c",
    "cpp": "c",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "kotlin": "kotlin",
    "scala": "scala",
    "swift": "swift",
    "lua": "lua",
    "bash": "bash",
    "elixir": "elixir",
}
"""Language → the module beside this one whose `read(root, units)` finds its references."""


class UnitFinder:
    """Finds the unit of a line: the index of the innermost function or class, -1 for none."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._owner: list[int] = []
        for index, unit in enumerate(units):
            if unit.kind == "window":
                continue
            if len(self._owner) <= unit.end_line:
                self._owner += [-1] * (unit.end_line + 1 - len(self._owner))
            self._owner[unit.start_line : unit.end_line + 1] = [index] * (unit.end_line + 1 - unit.start_line)
        self.units = units

    def at(self, node: Node) -> int:
        """The unit in which a node begins."""
        line = node.start_point[0] + 1
        return self._owner[line] if line < len(self._owner) else -1


Reader = Callable[[Node, UnitFinder], BlobReferences]


def extract_references(data: bytes, language: str, *, forced: bool = False, max_bytes: int = 1 << 20) -> BlobReferences:
    """The references of one blob; none for a language without a reader. Never raises for any content."""
    facts = extract(data, language, forced=forced, max_bytes=max_bytes)
    if facts.skip or facts.as_text or facts.language not in _READERS:
        return BlobReferences()
    text = decode_text(data)
    assert text is not None
    read: Reader = import_module(f"trackdown.units.references.{_READERS[facts.language]}").read
    return read(syntax_tree(text.encode("utf-8", "replace"), facts.language), UnitFinder(facts.units))
