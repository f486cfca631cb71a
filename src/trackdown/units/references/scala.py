"""References of Scala: imports, the package, calls with and without brackets, constructions, and what is extended."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, ends, visit
from trackdown.units.references.notes import SELF, ReferenceNotes
from trackdown.units.references.syntax import argument_count, children_of, field_of, first_of, text_of

_TYPES = ("type_identifier", "generic_type", "stable_type_identifier")


def _name(node: Node) -> str:
    """`this` is a name like any other in this grammar."""
    name = text_of(node)
    return SELF if name == "this" else name


GRAMMAR = Grammar(
    leaves="type_identifier",
    members="field_expression.value.field",
    calls="call_expression.function",
    through="generic_function.function generic_type.type parenthesized_expression",
    instances="instance_expression",
    pairs={ends: "stable_type_identifier stable_identifier"},
    special={_name: "identifier"},
)


def _package(notes: ReferenceNotes, node: Node) -> None:
    name = text_of(field_of(node, "name"))
    notes.package = f"{notes.package}.{name}" if notes.package else name


def _import(notes: ReferenceNotes, node: Node) -> None:
    path = [text_of(one) for one in node.children_by_field_name("path") if one.is_named]
    if first_of(node, "namespace_wildcard") is not None:
        notes.take(node, ".".join(path), "*")
        return
    selectors = first_of(node, "namespace_selectors")
    if selectors is None:
        notes.take(node, ".".join(path[:-1]), path[-1] if path else "", path[-1] if path else "")
    for one in children_of(selectors):
        if one.type == "namespace_wildcard":
            notes.take(node, ".".join(path), "*")
        else:
            name = text_of(field_of(one, "name") or one)
            notes.take(node, ".".join(path), name, text_of(field_of(one, "alias")) or name)


def _call(notes: ReferenceNotes, node: Node) -> None:
    function = field_of(node, "function")
    if function is not None:
        notes.seen.add(function.id)
        notes.refer(node, GRAMMAR.called(node), argument_count(field_of(node, "arguments")))


def _member(notes: ReferenceNotes, node: Node) -> None:
    """`cart.total`: a field, or a method that is called without brackets."""
    if node.id not in notes.seen:
        notes.refer(node, GRAMMAR.chain(node), -1)


def _infix(notes: ReferenceNotes, node: Node) -> None:
    operator = field_of(node, "operator")
    if operator is not None and operator.type == "identifier":
        notes.refer(node, f"{GRAMMAR.field(node, 'left')}.{text_of(operator)}", 1)


def _new(notes: ReferenceNotes, node: Node) -> None:
    made = first_of(node, *_TYPES)
    notes.refer(node, GRAMMAR.chain(made), argument_count(field_of(node, "arguments")), NEW)


def _class(notes: ReferenceNotes, node: Node) -> None:
    clause = field_of(node, "extend")
    for one in children_of(clause):
        if one.type in _TYPES:
            notes.refer(node, GRAMMAR.chain(one), -1, BASE, notes.declared(node, text_of(field_of(node, "name"))))


_VISITORS = by_node_type(
    {
        _package: "package_clause",
        _import: "import_declaration",
        _call: "call_expression",
        _member: "field_expression",
        _infix: "infix_expression",
        _new: "instance_expression",
        _class: "class_definition object_definition trait_definition enum_definition package_object",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Scala syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
