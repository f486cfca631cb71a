"""Which function reads which node of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

from trackdown.units.references.ecmascript import functions, modules, names, uses
from trackdown.units.references.ecmascript.walk import EcmascriptWalk
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BlobReferences

_READERS: Mapping[str, Callable[[EcmascriptWalk, Node], None]] = {
    "function_declaration": functions.read_function,
    "generator_function_declaration": functions.read_function,
    "function_signature": functions.read_function,
    "arrow_function": functions.read_function_expression,
    "function_expression": functions.read_function_expression,
    "generator_function": functions.read_function_expression,
    "method_definition": functions.read_method,
    "method_signature": functions.read_method,
    "abstract_method_signature": functions.read_method,
    "class_declaration": functions.read_class,
    "abstract_class_declaration": functions.read_class,
    "interface_declaration": functions.read_class,
    "class": functions.read_class,
    "enum_declaration": functions.read_enum,
    "public_field_definition": functions.read_field,
    "property_signature": functions.read_field,
    "pair": functions.read_pair,
    "statement_block": names.read_block,
    "switch_body": names.read_block,
    "catch_clause": names.read_catch,
    "for_statement": names.read_for,
    "for_in_statement": names.read_for_in,
    "internal_module": names.read_namespace,
    "module": names.read_namespace,
    "variable_declaration": names.read_vars,
    "variable_declarator": names.read_declarator,
    "type_alias_declaration": names.read_type_alias,
    "assignment_expression": names.read_assignment,
    "augmented_assignment_expression": names.read_assignment,
    "import_statement": modules.read_import,
    "import_alias": modules.read_import_alias,
    "export_statement": modules.read_export,
    "call_expression": uses.read_call,
    "new_expression": uses.read_new,
    "jsx_opening_element": uses.read_element,
    "jsx_self_closing_element": uses.read_element,
    "decorator": uses.read_decorator,
    "return_statement": uses.read_return,
}


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """What a file refers to. Never raises for any tree."""
    walk = EcmascriptWalk(units)
    walk.over(root, _READERS)
    return walk.notes.written()
