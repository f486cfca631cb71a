"""Which function reads which node of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

from trackdown.units.references.ecmascript import functions, modules, names, uses
from trackdown.units.references.ecmascript.walk import EcmascriptWalk
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BlobReferences
from trackdown.units.references.grammar import by_node_type

_READERS: Mapping[str, Callable[[EcmascriptWalk, Node], None]] = by_node_type(
    {
        functions.read_function: "function_declaration generator_function_declaration function_signature",
        functions.read_function_expression: "arrow_function function_expression generator_function",
        functions.read_method: "method_definition method_signature abstract_method_signature",
        functions.read_class: "class_declaration abstract_class_declaration interface_declaration class",
        functions.read_enum: "enum_declaration",
        functions.read_field: "public_field_definition property_signature",
        functions.read_pair: "pair",
        names.read_block: "statement_block switch_body",
        names.read_catch: "catch_clause",
        names.read_for: "for_statement",
        names.read_for_in: "for_in_statement",
        names.read_namespace: "internal_module module",
        names.read_vars: "variable_declaration",
        names.read_declarator: "variable_declarator",
        names.read_type_alias: "type_alias_declaration",
        names.read_assignment: "assignment_expression augmented_assignment_expression",
        modules.read_import: "import_statement",
        modules.read_import_alias: "import_alias",
        modules.read_export: "export_statement",
        uses.read_call: "call_expression",
        uses.read_new: "new_expression",
        uses.read_element: "jsx_opening_element jsx_self_closing_element",
        uses.read_decorator: "decorator",
        uses.read_return: "return_statement",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """What a file refers to. Never raises for any tree."""
    walk = EcmascriptWalk(units)
    walk.over(root, _READERS)
    return walk.notes.written()
