"""References of Lua: required files with the names they get, and calls."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, visit
from trackdown.units.references.notes import ReferenceNotes
from trackdown.units.references.syntax import (
    argument_count,
    below,
    children_of,
    field_of,
    first_of,
    only_child,
    text_of,
)

_IMPORTS = frozenset({"require", "dofile", "loadfile"})

GRAMMAR = Grammar(
    leaves="identifier",
    members="dot_index_expression.table.field method_index_expression.table.method",
    calls="function_call.name",
    elements="bracket_index_expression.table",
    through="parenthesized_expression",
)


def _required(node: Node | None) -> str:
    """The module that a call requires, empty for other calls."""
    if node is None or node.type != "function_call" or text_of(field_of(node, "name")) not in _IMPORTS:
        return ""
    literal = only_child(field_of(node, "arguments"))
    return text_of(field_of(literal, "content")) if literal is not None and literal.type == "string" else ""


def _assignment(notes: ReferenceNotes, node: Node) -> None:
    """`local cart = require("shop.cart")`, also `require("shop.cart").new`."""
    names, values = children_of(first_of(node, "variable_list")), children_of(first_of(node, "expression_list"))
    for name, value in zip(names, values, strict=False):
        for call in below(value, {"function_call"}, most=4):
            module = _required(call)
            if module and name.type == "identifier":
                notes.seen.add(call.id)
                taken = text_of(field_of(value, "field")) if value.type == "dot_index_expression" else ""
                notes.take(node, module, taken, text_of(name))


def _call(notes: ReferenceNotes, node: Node) -> None:
    module = _required(node)
    if not module:
        notes.refer(node, GRAMMAR.called(node), argument_count(field_of(node, "arguments")))
    elif node.id not in notes.seen:
        notes.take(node, module)


_VISITORS = by_node_type({_assignment: "assignment_statement", _call: "function_call"})


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Lua syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
