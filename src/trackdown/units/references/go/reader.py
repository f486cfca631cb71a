"""References of a Go file.

A type that begins with `[]` is a slice, array, map or channel; a part `x[]` is an element of x. A conversion or type
assertion at the head of a chain is `T()`. A type that is neither struct nor interface has no unit: it is a binding of
its name to what it is made of. `->2` is the second result of a function, `f(2)` that of a call.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from tree_sitter import Node

from trackdown.units.references.blocks import SKIP, BlockReader, BlockScope, Handler
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, CALL, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.go.chains import (
    BASIC,
    constraints,
    expression_chain,
    listed,
    receiver_types,
    type_chain,
    value_chain,
)
from trackdown.units.references.syntax import field_of, text_of

_VERSION = re.compile(r"v\d+")
_BUILT_IN = frozenset("append cap complex copy delete imag len make panic print println real recover".split())
_TYPE_CASES = ("type_case", "default_case")
_MOST_RESULTS = 4


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Go syntax tree."""
    return _GoReader(units).read(root)


class _GoReader(BlockReader):
    leaves = frozenset(
        "identifier field_identifier type_identifier package_identifier interpreted_string_literal raw_string_literal "
        "int_literal nil true false comment pointer_type slice_type map_type qualified_type function_type struct_type "
        "channel_type type_arguments type_parameter_list".split()
    )

    def __init__(self, units: UnitFinder) -> None:
        super().__init__(units)
        self._constraints: dict[str, list[str]] = {}

    def handlers(self) -> Mapping[Handler, str]:
        return {
            self._package: "package_clause",
            self._import: "import_spec",
            self._function: "function_declaration method_declaration method_elem",
            self._type_spec: "type_spec type_alias",
            self._parameter: "parameter_declaration variadic_parameter_declaration",
            self._variable: "var_spec",
            self._constants: "const_declaration",
            self._short: "short_var_declaration receive_statement",
            self._range: "range_clause",
            self._type_switch: "type_switch_statement",
            self._call: "call_expression",
            self._conversion: "type_conversion_expression",
            self._literal: "composite_literal",
            self._closure: "func_literal",
            self._block: "block for_statement if_statement expression_switch_statement select_statement "
            "expression_case default_case communication_case",
        }

    # Declarations

    def _package(self, node: Node, scope: BlockScope) -> BlockScope:
        self._found.package = text_of(node.named_children[0]) if node.named_children else ""
        return SKIP

    def _import(self, node: Node, scope: BlockScope) -> BlockScope:
        path = text_of(field_of(node, "path")).strip('"`')
        alias = text_of(field_of(node, "name"))
        if not path:
            return SKIP
        if alias == ".":
            self._found.take(node, path, "*", "")
        elif alias == "_":
            self._found.take(node, path, "", "")
        else:
            self._found.take(node, path, "", alias or usual_name(path))
        return SKIP

    def _function(self, node: Node, scope: BlockScope) -> BlockScope:
        name = text_of(field_of(node, "name"))
        types = {**constraints(node, scope.types), **receiver_types(node, self._constraints)}
        inner = BlockScope(self._found.declared(node, name), types, scope.names.function())
        self._returns(node, inner)
        return inner

    def _returns(self, node: Node, scope: BlockScope) -> None:
        """The results of a function: the first as `->`, the others, where they may have methods, as `->2` and so on."""
        result = field_of(node, "result")
        if result is None:
            return
        open_types = scope._replace(types=dict.fromkeys(scope.types, UNKNOWN))  # whoever calls says what they are
        types: list[str] = []
        for one in result.named_children if result.type == "parameter_list" else [result]:
            named = one.type == "parameter_declaration"
            type_ = type_chain(field_of(one, "type") if named else one, open_types)
            types += [type_] * max(1, len(one.children_by_field_name("name")) if named else 1)
        for place, type_ in enumerate(types[:_MOST_RESULTS], 1):
            if place == 1 or (type_ and type_ not in BASIC):
                self._found.bind(scope.unit, f"->{place}" if place > 1 else "->", type_)

    def _literal_function(self, node: Node, scope: BlockScope, name: Node, value: Node) -> BlockScope:
        """`name := func …` is a unit of its own."""
        inner = scope._replace(unit=self._found.declared(node, text_of(name)), names=scope.names.function())
        self._returns(value, inner)
        return inner

    def _type_spec(self, node: Node, scope: BlockScope) -> BlockScope:
        name = text_of(field_of(node, "name"))
        made_of = field_of(node, "type")
        types = constraints(node, scope.types)
        self._constraints[name] = [types[each] for each in types if each not in scope.types]
        if made_of is None:
            return SKIP
        if made_of.type not in ("struct_type", "interface_type") or node.type == "type_alias":
            self._found.bind(scope.unit, name, type_chain(made_of, scope._replace(types=types)))
            return SKIP
        inner = scope._replace(unit=self._found.declared(node, name), types=types)
        if made_of.type == "struct_type":
            for fields in made_of.named_children:
                for field in fields.named_children:
                    if field.type == "field_declaration":
                        self._field(field, inner)
            return SKIP
        for element in made_of.named_children:
            if element.type == "type_elem" and element.named_child_count == 1:
                self._found.refer(element, type_chain(element.named_children[0], inner), -1, BASE, inner.unit)
        return inner

    def _field(self, node: Node, scope: BlockScope) -> None:
        type_ = type_chain(field_of(node, "type"), scope)
        names = node.children_by_field_name("name")
        for name in names:
            self._found.bind(scope.unit, f"self.{text_of(name)}", type_)
        if not names and type_:
            self._found.refer(node, type_, -1, BASE, scope.unit)
            self._found.bind(scope.unit, f"self.{type_.rsplit('.', 1)[-1]}", type_)

    def _parameter(self, node: Node, scope: BlockScope) -> BlockScope:
        type_ = type_chain(field_of(node, "type"), scope)
        many = "[]" if node.type == "variadic_parameter_declaration" else ""
        for name in node.children_by_field_name("name"):
            self._bind(name, many + type_, scope)
        return SKIP

    def _variable(self, node: Node, scope: BlockScope) -> BlockScope:
        names = node.children_by_field_name("name")
        type_ = field_of(node, "type")
        values = listed(field_of(node, "value"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal":
            return self._literal_function(node, scope, names[0], values[0])
        before = scope._replace(names=scope.names.before(map(text_of, names))) if values else scope
        if type_ is not None:
            for name in names:
                self._bind(name, type_chain(type_, scope), scope)
        else:
            self._assign(names, values, scope)
        return before

    def _constants(self, node: Node, scope: BlockScope) -> None:
        """A constant without type and value has those of the one above it."""
        type_ = UNKNOWN
        for spec in node.named_children:
            said = field_of(spec, "type")
            if said is not None:
                type_ = type_chain(said, scope)
            elif field_of(spec, "value") is not None:
                type_ = UNKNOWN
            if scope.unit >= 0 or (type_ and type_ not in BASIC):
                for name in spec.children_by_field_name("name"):
                    self._bind(name, type_, scope)

    def _short(self, node: Node, scope: BlockScope) -> BlockScope:
        names = listed(field_of(node, "left"))
        values = listed(field_of(node, "right"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal" and node.type == "short_var_declaration":
            return self._literal_function(node, scope, names[0], values[0])
        before = scope._replace(names=scope.names.before(map(text_of, names)))
        if node.type == "short_var_declaration" or any(child.type == ":=" for child in node.children):
            known = [text for text in map(text_of, names) if scope.names.holds(text)]
            self._assign(names, values, scope, known if len(names) > 1 else ())
        return before

    def _assign(
        self, names: Sequence[Node], values: Sequence[Node], scope: BlockScope, known: Container[str] = ()
    ) -> None:
        """Bind names to values, or to the results of one call; but not those that are `known` already."""
        types = [value_chain(value, scope) for value in values]
        if len(types) == 1 and types[0].endswith("()"):
            types += [f"{types[0][:-1]}{place})" for place in range(2, len(names) + 1)]
        for name, type_ in zip(names, types + [UNKNOWN] * len(names), strict=False):
            if text_of(name) not in known:
                self._bind(name, type_, scope)

    def _range(self, node: Node, scope: BlockScope) -> BlockScope:
        """A single name is a channel's element, or an index, which has no members."""
        names = listed(field_of(node, "left"))
        over = expression_chain(field_of(node, "right"), scope)
        before = scope._replace(names=scope.names.before(map(text_of, names)))
        if any(child.type == ":=" for child in node.children):
            for name in names:
                self._bind(name, f"{over}[]" if name == names[-1] else UNKNOWN, scope)
        return before

    def _type_switch(self, node: Node, scope: BlockScope) -> BlockScope:
        """In every case, the name is of another type."""
        names = listed(field_of(node, "alias"))
        whole = value_chain(value, scope) if (value := field_of(node, "value")) is not None else UNKNOWN
        around = scope._replace(names=scope.names.block())
        for case in reversed(node.named_children):
            inner = around._replace(names=around.names.block()) if case.type in _TYPE_CASES else around
            if case.type in _TYPE_CASES:
                types = [type_ for type_ in case.children_by_field_name("type") if type_.is_named]
                for name in names:
                    self._bind(name, type_chain(types[0], scope) if len(types) == 1 else whole, inner)
            self._stack.append((case, inner))
        return SKIP

    def _bind(self, name: Node, type_: str, scope: BlockScope) -> None:
        if name.type == "identifier" and (text := text_of(name)) != "_":
            self._found.declare(scope.unit, scope.names, text, type_)

    # References

    def _call(self, node: Node, scope: BlockScope) -> None:
        chain = expression_chain(node, scope)
        name = chain.removesuffix("()").removesuffix("[]")  # `f[T](x)`
        function = field_of(node, "function")
        arguments = field_of(node, "arguments")
        if function is not None and function.type == "parenthesized_expression" and text_of(function).startswith("(*"):
            return  # `(*T)(nil)` says what a type is, and makes nothing
        if function is not None and function.type == "identifier" and text_of(function) == "new":
            self._found.refer(node, name, 0, NEW, scope.unit)
        elif name not in _BUILT_IN and name not in BASIC and name != chain:
            arity = sum(child.type != "comment" for child in arguments.named_children) if arguments is not None else -1
            self._found.refer(_last(function) or node, name, arity, CALL, scope.unit)

    def _conversion(self, node: Node, scope: BlockScope) -> None:
        chain = type_chain(field_of(node, "type"), scope)
        if chain and chain not in BASIC and not chain.startswith("[]"):
            self._found.refer(node, chain, 1, CALL, scope.unit)

    def _literal(self, node: Node, scope: BlockScope) -> BlockScope:
        """`T{..}`, and `[]T{{..}}`, whose elements leave out their type."""
        type_ = type_chain(field_of(node, "type"), scope)
        body = field_of(node, "body")
        if not type_.startswith("[]"):
            self._found.refer(node, type_, -1, NEW, scope.unit)
        elif body is not None and any(_leaves_out_its_type(child) for child in body.named_children[:2]):
            self._found.refer(node, type_.lstrip("[]"), -1, NEW, scope.unit)
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
    return field_of(node, "field") if node is not None and node.type == "selector_expression" else node
