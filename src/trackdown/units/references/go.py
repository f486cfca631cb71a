"""References of a Go file.

A type that begins with `[]` is a slice, array, map or channel; a part `x[]` is an element of x. A conversion or type
assertion at the head of a chain is `T()`. A type that is neither struct nor interface has no unit: it is a binding of its
name to what it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, CALL, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.gathered import Gathered, text_of
from trackdown.units.references.go_chains import (
    BASIC,
    constraints,
    expression_chain,
    listed,
    receiver_types,
    type_chain,
    value_chain,
)

_VERSION = re.compile(r"v\d+")
_BUILT_IN = frozenset("append cap complex copy delete imag len make panic print println real recover".split())
_LEAVES = frozenset({
    "identifier", "field_identifier", "type_identifier", "package_identifier", "interpreted_string_literal",
    "raw_string_literal", "int_literal", "nil", "true", "false", "comment", "pointer_type", "slice_type", "map_type",
    "qualified_type", "function_type", "struct_type", "channel_type", "type_arguments", "type_parameter_list",
})  # fmt: skip


class _Scope(NamedTuple):
    """Where a node stands: in which unit, and under which type parameters with their constraints."""

    unit: int
    types: Mapping[str, str]


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Go syntax tree."""
    return _Reader(units).read(root)


class _Reader:
    def __init__(self, units: UnitFinder) -> None:
        self._found = Gathered(units)
        self._stack: list[tuple[Node, _Scope]] = []
        self._handlers: Mapping[str, Callable[[Node, _Scope], _Scope | None]] = {
            "package_clause": self._package,
            "import_spec": self._import,
            "function_declaration": self._function,
            "method_declaration": self._function,
            "method_elem": self._function,
            "type_spec": self._type_spec,
            "type_alias": self._type_spec,
            "parameter_declaration": self._parameter,
            "variadic_parameter_declaration": self._parameter,
            "var_spec": self._variable,
            "const_declaration": self._constants,
            "short_var_declaration": self._short,
            "range_clause": self._range,
            "receive_statement": self._short,
            "type_switch_statement": self._type_switch,
            "call_expression": self._call,
            "type_conversion_expression": self._conversion,
            "composite_literal": self._literal,
        }

    def read(self, root: Node) -> BlobReferences:
        stack, handlers = self._stack, self._handlers
        stack.append((root, _Scope(-1, {})))
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(node.type)
            within = handler(node, scope) if handler is not None else scope
            if within is not None:
                stack += [(child, within) for child in reversed(node.named_children) if child.type not in _LEAVES]
        return self._found.facts()

    # Declarations

    def _package(self, node: Node, scope: _Scope) -> None:
        self._found.package = text_of(node.named_children[0]) if node.named_children else ""

    def _import(self, node: Node, scope: _Scope) -> None:
        path = text_of(node.child_by_field_name("path")).strip('"`')
        alias = text_of(node.child_by_field_name("name"))
        if not path:
            return
        if alias == ".":
            self._found.bring_in(node, path, "*", "")
        elif alias == "_":
            self._found.bring_in(node, path, "", "")
        else:
            self._found.bring_in(node, path, "", alias or usual_name(path))

    def _function(self, node: Node, scope: _Scope) -> _Scope:
        name = text_of(node.child_by_field_name("name"))
        types = {**constraints(node, scope.types), **receiver_types(node)}
        inner = _Scope(self._found.unit_of(node, name), types)
        self._returns(node, inner)
        return inner

    def _returns(self, node: Node, scope: _Scope) -> None:
        """The first result of a function; the others are not kept."""
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            first = next((child for child in result.named_children if child.type == "parameter_declaration"), None)
            result = first.child_by_field_name("type") if first is not None else None
        if result is not None:
            self._found.bind(scope.unit, "->", type_chain(result, scope.types))

    def _literal_function(self, node: Node, scope: _Scope, name: Node, value: Node) -> _Scope:
        """`name := func …` is a unit of its own."""
        inner = scope._replace(unit=self._found.unit_of(node, text_of(name)))
        self._returns(value, inner)
        return inner

    def _type_spec(self, node: Node, scope: _Scope) -> _Scope | None:
        name = text_of(node.child_by_field_name("name"))
        made_of = node.child_by_field_name("type")
        types = constraints(node, scope.types)
        if made_of is None:
            return None
        if made_of.type not in ("struct_type", "interface_type") or node.type == "type_alias":
            self._found.bind(scope.unit, name, type_chain(made_of, types))
            return None
        inner = _Scope(self._found.unit_of(node, name), types)
        if made_of.type == "struct_type":
            for fields in made_of.named_children:
                for field in fields.named_children:
                    if field.type == "field_declaration":
                        self._field(field, inner)
            return None
        for element in made_of.named_children:
            if element.type == "type_elem" and element.named_child_count == 1:
                self._found.refer(inner.unit, element, BASE, type_chain(element.named_children[0], inner.types), -1)
        return inner

    def _field(self, node: Node, scope: _Scope) -> None:
        type_ = type_chain(node.child_by_field_name("type"), scope.types)
        names = node.children_by_field_name("name")
        for name in names:
            self._found.bind(scope.unit, f"self.{text_of(name)}", type_)
        if not names and type_:
            self._found.refer(scope.unit, node, BASE, type_, -1)
            self._found.bind(scope.unit, f"self.{type_.rsplit('.', 1)[-1]}", type_)

    def _parameter(self, node: Node, scope: _Scope) -> None:
        type_ = type_chain(node.child_by_field_name("type"), scope.types)
        many = "[]" if node.type == "variadic_parameter_declaration" else ""
        for name in node.children_by_field_name("name"):
            self._bind(name, many + type_, scope)

    def _variable(self, node: Node, scope: _Scope) -> _Scope:
        names = node.children_by_field_name("name")
        type_ = node.child_by_field_name("type")
        values = listed(node.child_by_field_name("value"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal":
            return self._literal_function(node, scope, names[0], values[0])
        if type_ is not None:
            for name in names:
                self._bind(name, type_chain(type_, scope.types), scope)
        else:
            self._assign(names, values, scope)
        return scope

    def _constants(self, node: Node, scope: _Scope) -> _Scope:
        """A constant without type and value has those of the one above it."""
        type_ = UNKNOWN
        for spec in node.named_children:
            said = spec.child_by_field_name("type")
            if said is not None:
                type_ = type_chain(said, scope.types)
            elif spec.child_by_field_name("value") is not None:
                type_ = UNKNOWN
            if type_ and type_ not in BASIC or scope.unit >= 0:
                for name in spec.children_by_field_name("name"):
                    self._bind(name, type_, scope)
        return scope

    def _short(self, node: Node, scope: _Scope) -> _Scope:
        names = listed(node.child_by_field_name("left"))
        values = listed(node.child_by_field_name("right"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal" and node.type == "short_var_declaration":
            return self._literal_function(node, scope, names[0], values[0])
        if node.type == "short_var_declaration" or any(child.type == ":=" for child in node.children):
            self._assign(names, values, scope)
        return scope

    def _assign(self, names: Sequence[Node], values: Sequence[Node], scope: _Scope) -> None:
        for place, name in enumerate(names):
            given = place < len(values) and (place == 0 or len(values) == len(names))
            self._bind(name, value_chain(values[place], scope.types) if given else UNKNOWN, scope)

    def _range(self, node: Node, scope: _Scope) -> _Scope:
        names = listed(node.child_by_field_name("left"))
        over = expression_chain(node.child_by_field_name("right"), scope.types)
        if any(child.type == ":=" for child in node.children):
            for name in names[:-1]:
                self._bind(name, UNKNOWN, scope)
            for name in names[
                -1:
            ]:  # alone it is a slice's index, of which nobody asks anything, or a channel's element
                self._bind(name, over + "[]", scope)
        return scope

    def _type_switch(self, node: Node, scope: _Scope) -> _Scope:
        for name in listed(node.child_by_field_name("alias")):
            for case in node.named_children:
                if case.type == "type_case":
                    for type_ in filter(_is_named, case.children_by_field_name("type")):
                        self._bind(name, type_chain(type_, scope.types), scope)
        return scope

    def _bind(self, name: Node, type_: str, scope: _Scope) -> None:
        if name.type == "identifier" and (text := text_of(name)) != "_":
            self._found.bind(scope.unit, text, type_)

    # References

    def _call(self, node: Node, scope: _Scope) -> _Scope:
        chain = expression_chain(node, scope.types)
        name = chain.removesuffix("()")
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is not None and function.type == "identifier" and text_of(function) == "new":
            self._found.refer(scope.unit, node, NEW, name, 0)
        elif name not in _BUILT_IN and name not in BASIC and name != chain:
            arity = sum(child.type != "comment" for child in arguments.named_children) if arguments is not None else -1
            self._found.refer(scope.unit, _last(function) or node, CALL, name, arity)
        return scope

    def _conversion(self, node: Node, scope: _Scope) -> _Scope:
        chain = type_chain(node.child_by_field_name("type"), scope.types)
        if chain and chain not in BASIC and not chain.startswith("[]"):
            self._found.refer(scope.unit, node, CALL, chain, 1)
        return scope

    def _literal(self, node: Node, scope: _Scope) -> _Scope:
        """`T{..}`, and `[]T{{..}}`, whose elements leave out their type."""
        type_ = type_chain(node.child_by_field_name("type"), scope.types)
        body = node.child_by_field_name("body")
        if not type_.startswith("[]"):
            self._found.refer(scope.unit, node, NEW, type_, -1)
        elif body is not None and any(_leaves_out_its_type(child) for child in body.named_children[:2]):
            self._found.refer(scope.unit, node, NEW, type_.lstrip("[]"), -1)
        return scope


def usual_name(path: str) -> str:
    """The name that a package usually has, from the path it is imported by."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    return parts[-1].split(".")[0] if parts else ""


def _leaves_out_its_type(element: Node) -> bool:
    children = element.named_children
    if element.type == "keyed_element" and children:
        children = children[-1].named_children
    return any(child.type == "literal_value" for child in children)


def _last(node: Node | None) -> Node | None:
    """The name that is called, for its line."""
    return node.child_by_field_name("field") if node is not None and node.type == "selector_expression" else node
