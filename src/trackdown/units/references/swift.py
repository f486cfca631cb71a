"""References of Swift: calls, constructions, and what classes and protocols inherit from. Imports are of modules."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.chain import last_name
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, visit
from trackdown.units.references.notes import SELF, SUPER, ReferenceNotes
from trackdown.units.references.syntax import children_of, field_of, first_of, only_child, text_of


def _type(node: Node) -> str:
    """`Shop.Cart<Int>` without its arguments."""
    return ".".join(text_of(one) for one in children_of(node) if one.type == "type_identifier")


GRAMMAR = Grammar(
    leaves="simple_identifier type_identifier",
    words={SELF: "self_expression", SUPER: "super_expression"},
    members="navigation_expression.target.suffix",
    calls="call_expression",
    elements="subscript_expression",
    through="navigation_suffix.suffix postfix_expression.target try_expression.expr await_expression.expr "
    "tuple_expression.value",
    instances="constructor_expression.constructed_type",
    special={_type: "user_type"},
)


def _import(notes: ReferenceNotes, node: Node) -> None:
    notes.take(node, text_of(first_of(node, "identifier")), "*")


def _call(notes: ReferenceNotes, node: Node) -> None:
    notes.refer(node, GRAMMAR.called(node), _count(first_of(node, "call_suffix")))


def _new(notes: ReferenceNotes, node: Node) -> None:
    chain = GRAMMAR.field(node, "constructed_type")
    notes.refer(node, chain, _count(first_of(node, "constructor_suffix")), NEW)


def _count(suffix: Node | None) -> int:
    """The number of arguments; a closure behind the brackets is one of them."""
    lambdas = sum(child.type == "lambda_literal" for child in children_of(suffix))
    return len(children_of(first_of(suffix, "value_arguments"))) + lambdas


def _class(notes: ReferenceNotes, node: Node) -> None:
    name = last_name(GRAMMAR.field(node, "name"))
    extends = text_of(field_of(node, "declaration_kind")) == "extension"
    unit = _class_named(notes, name) if extends else notes.declared(node, name)
    for one in children_of(node):
        if one.type == "inheritance_specifier" and unit >= 0:
            notes.refer(one, GRAMMAR.chain(only_child(one)), -1, BASE, unit)


def _class_named(notes: ReferenceNotes, name: str) -> int:
    """The class of this file that an extension extends, -1 if it is elsewhere."""
    units = enumerate(notes.units.units)
    return next((index for index, one in units if notes.is_class(index) and last_name(one.symbol) == name), -1)


_VISITORS = by_node_type(
    {
        _import: "import_declaration",
        _call: "call_expression",
        _new: "constructor_expression",
        _class: "class_declaration protocol_declaration",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Swift syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
