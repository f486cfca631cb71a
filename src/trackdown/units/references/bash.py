"""References of shell scripts: sourced files, and commands, some of which are functions."""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BlobReferences
from trackdown.units.references.grammar import by_node_type, visit
from trackdown.units.references.notes import ReferenceNotes
from trackdown.units.references.syntax import field_of, text_of

_SOURCES = frozenset({".", "source"})
_RUNNERS = frozenset({"command", "exec", "time", "trap", "run"})
"""Commands whose first argument is a command; `run` is that of Bats."""
_NAME = re.compile(r"[\w:@%+][\w:@%+-]*")
_EXPANDED = re.compile(r"\$\(.*\)|\$\{[^}]*\}|\$\w+|`[^`]*`", re.DOTALL)
_LONGEST_PATH = 500


def _command(notes: ReferenceNotes, node: Node) -> None:
    name = text_of(field_of(node, "name"))
    argument = field_of(node, "argument")
    if name in _SOURCES and argument is not None:
        written = text_of(argument)[:_LONGEST_PATH].strip("\"'")
        notes.take(node, _EXPANDED.sub("", written).lstrip("/") if "$" in written or "`" in written else written)
        return
    arguments = len(node.children_by_field_name("argument"))
    if _NAME.fullmatch(name):
        notes.refer(node, name, arguments)
    run = text_of(argument)[:_LONGEST_PATH]
    if name in _RUNNERS and _NAME.fullmatch(run):
        notes.refer(node, run, arguments - 1)


_VISITORS = by_node_type({_command: "command"})


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a shell script's syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
