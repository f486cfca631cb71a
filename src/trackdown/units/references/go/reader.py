"""References of a Go file.

A type that begins with `[]` is a slice, array, map or channel; a part `x[]` is an element of x. A conversion or type
assertion at the head of a chain is `T()`. A type that is neither struct nor interface has no unit: it is a binding of
its name to what it is made of. `->2` is the second result of a function, `f(2)` that of a call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, CALL, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.gathered import Gathered, Names, text_of
from trackdown.units.references.go.chains import (
    BASIC,
    Scope,
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
_BLOCKS = (
    "block", "for_statement", "if_statement", "expression_switch_statement", "select_statement", "expression_case",
    "default_case", "communication_case",
)  # fmt: skip
_TYPE_CASES = ("type_case", "default_case")
_MOST_RESULTS = 4


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Go syntax tree."""
    return _Reader(units).read(root)


class _Reader:
    def __init__(self, units: UnitFinder) -> None:
        self._found = Gathered(units)
        self._constraints: dict[str, list[str]] = {}
        self._stack: list[tuple[Node, Scope]] = []
        self._handlers: Mapping[str, Callable[[Node, Scope], Scope | None]] = {
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
            "func_literal": self._closure,
            **dict.fromkeys(_BLOCKS, self._block),
        }

    def read(self, root: Node) -> BlobReferences:
        stack, handlers = self._stack, self._handlers
        stack.append((root, Scope(-1, {}, Names())))
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(node.type)
            within = handler(node, scope) if handler is not None else scope
            if within is not None:
                stack += [(child, within) for child in reversed(node.named_children) if child.type not in _LEAVES]
        return self._found.facts()

    # Declarations

    def _package(self, node: Node, scope: Scope) -> None:
        self._found.package = text_of(node.named_children[0]) if node.named_children else ""

    def _import(self, node: Node, scope: Scope) -> None:
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

    def _function(self, node: Node, scope: Scope) -> Scope:
        name = text_of(node.child_by_field_name("name"))
        types = {**constraints(node, scope.types), **receiver_types(node, self._constraints)}
        inner = Scope(self._found.unit_of(node, name), types, scope.names.function())
        self._returns(node, inner)
        return inner

    def _returns(self, node: Node, scope: Scope) -> None:
        """The results of a function: the first as `->`, the others, where they may have methods, as `->2` and so on."""
        result = node.child_by_field_name("result")
        if result is None:
            return
        open_types = scope._replace(types=dict.fromkeys(scope.types, UNKNOWN))  # whoever calls says what they are
        types: list[str] = []
        for one in result.named_children if result.type == "parameter_list" else [result]:
            named = one.type == "parameter_declaration"
            type_ = type_chain(one.child_by_field_name("type") if named else one, open_types)
            types += [type_] * max(1, len(one.children_by_field_name("name")) if named else 1)
        for place, type_ in enumerate(types[:_MOST_RESULTS], 1):
            if place == 1 or (type_ and type_ not in BASIC):
                self._found.bind(scope.unit, f"->{place}" if place > 1 else "->", type_)

    def _literal_function(self, node: Node, scope: Scope, name: Node, value: Node) -> Scope:
        """`name := func …` is a unit of its own."""
        inner = scope._replace(unit=self._found.unit_of(node, text_of(name)), names=scope.names.function())
        self._returns(value, inner)
        return inner

    def _type_spec(self, node: Node, scope: Scope) -> Scope | None:
        name = text_of(node.child_by_field_name("name"))
        made_of = node.child_by_field_name("type")
        types = constraints(node, scope.types)
        self._constraints[name] = [types[each] for each in types if each not in scope.types]
        if made_of is None:
            return None
        if made_of.type not in ("struct_type", "interface_type") or node.type == "type_alias":
            self._found.bind(scope.unit, name, type_chain(made_of, scope._replace(types=types)))
            return None
        inner = scope._replace(unit=self._found.unit_of(node, name), types=types)
        if made_of.type == "struct_type":
            for fields in made_of.named_children:
                for field in fields.named_children:
                    if field.type == "field_declaration":
                        self._field(field, inner)
            return None
        for element in made_of.named_children:
            if element.type == "type_elem" and element.named_child_count == 1:
                self._found.refer(inner.unit, element, BASE, type_chain(element.named_children[0], inner), -1)
        return inner

    def _field(self, node: Node, scope: Scope) -> None:
        type_ = type_chain(node.child_by_field_name("type"), scope)
        names = node.children_by_field_name("name")
        for name in names:
            self._found.bind(scope.unit, f"self.{text_of(name)}", type_)
        if not names and type_:
            self._found.refer(scope.unit, node, BASE, type_, -1)
            self._found.bind(scope.unit, f"self.{type_.rsplit('.', 1)[-1]}", type_)

    def _parameter(self, node: Node, scope: Scope) -> None:
        type_ = type_chain(node.child_by_field_name("type"), scope)
        many = "[]" if node.type == "variadic_parameter_declaration" else ""
        for name in node.children_by_field_name("name"):
            self._bind(name, many + type_, scope)

    def _variable(self, node: Node, scope: Scope) -> Scope:
        names = node.children_by_field_name("name")
        type_ = node.child_by_field_name("type")
        values = listed(node.child_by_field_name("value"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal":
            return self._literal_function(node, scope, names[0], values[0])
        before = scope._replace(names=scope.names.before(map(text_of, names))) if values else scope
        if type_ is not None:
            for name in names:
                self._bind(name, type_chain(type_, scope), scope)
        else:
            self._assign(names, values, scope)
        return before

    def _constants(self, node: Node, scope: Scope) -> Scope:
        """A constant without type and value has those of the one above it."""
        type_ = UNKNOWN
        for spec in node.named_children:
            said = spec.child_by_field_name("type")
            if said is not None:
                type_ = type_chain(said, scope)
            elif spec.child_by_field_name("value") is not None:
                type_ = UNKNOWN
            if scope.unit >= 0 or (type_ and type_ not in BASIC):
                for name in spec.children_by_field_name("name"):
                    self._bind(name, type_, scope)
        return scope

    def _short(self, node: Node, scope: Scope) -> Scope:
        names = listed(node.child_by_field_name("left"))
        values = listed(node.child_by_field_name("right"))
        if len(names) == len(values) == 1 and values[0].type == "func_literal" and node.type == "short_var_declaration":
            return self._literal_function(node, scope, names[0], values[0])
        before = scope._replace(names=scope.names.before(map(text_of, names)))
        if node.type == "short_var_declaration" or any(child.type == ":=" for child in node.children):
            known = [text for text in map(text_of, names) if scope.names.holds(text)]
            self._assign(names, values, scope, known if len(names) > 1 else ())
        return before

    def _assign(self, names: Sequence[Node], values: Sequence[Node], scope: Scope, known: Container[str] = ()) -> None:
        """Bind names to values, or to the results of one call; but not those that are `known` already."""
        types = [value_chain(value, scope) for value in values]
        if len(types) == 1 and types[0].endswith("()"):
            types += [f"{types[0][:-1]}{place})" for place in range(2, len(names) + 1)]
        for name, type_ in zip(names, types + [UNKNOWN] * len(names), strict=False):
            if text_of(name) not in known:
                self._bind(name, type_, scope)

    def _range(self, node: Node, scope: Scope) -> Scope:
        """A name alone is a channel's element, or an index, of which nobody asks anything."""
        names = listed(node.child_by_field_name("left"))
        over = expression_chain(node.child_by_field_name("right"), scope)
        before = scope._replace(names=scope.names.before(map(text_of, names)))
        if any(child.type == ":=" for child in node.children):
            for name in names:
                self._bind(name, f"{over}[]" if name == names[-1] else UNKNOWN, scope)
        return before

    def _type_switch(self, node: Node, scope: Scope) -> None:
        """In every case, the name is of another type."""
        names = listed(node.child_by_field_name("alias"))
        whole = value_chain(value, scope) if (value := node.child_by_field_name("value")) is not None else UNKNOWN
        around = scope._replace(names=scope.names.block())
        for case in reversed(node.named_children):
            inner = around._replace(names=around.names.block()) if case.type in _TYPE_CASES else around
            if case.type in _TYPE_CASES:
                types = [type_ for type_ in case.children_by_field_name("type") if type_.is_named]
                for name in names:
                    self._bind(name, type_chain(types[0], scope) if len(types) == 1 else whole, inner)
            self._stack.append((case, inner))

    def _block(self, node: Node, scope: Scope) -> Scope:
        return scope._replace(names=scope.names.block())

    def _closure(self, node: Node, scope: Scope) -> Scope:
        return scope._replace(names=scope.names.closure())

    def _bind(self, name: Node, type_: str, scope: Scope) -> None:
        if name.type == "identifier" and (text := text_of(name)) != "_":
            self._found.declare(scope.unit, scope.names, text, type_)

    # References

    def _call(self, node: Node, scope: Scope) -> Scope:
        chain = expression_chain(node, scope)
        name = chain.removesuffix("()").removesuffix("[]")  # `f[T](x)`
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is not None and function.type == "parenthesized_expression" and text_of(function).startswith("(*"):
            return scope  # `(*T)(nil)` says what a type is, and makes nothing
        if function is not None and function.type == "identifier" and text_of(function) == "new":
            self._found.refer(scope.unit, node, NEW, name, 0)
        elif name not in _BUILT_IN and name not in BASIC and name != chain:
            arity = sum(child.type != "comment" for child in arguments.named_children) if arguments is not None else -1
            self._found.refer(scope.unit, _last(function) or node, CALL, name, arity)
        return scope

    def _conversion(self, node: Node, scope: Scope) -> Scope:
        chain = type_chain(node.child_by_field_name("type"), scope)
        if chain and chain not in BASIC and not chain.startswith("[]"):
            self._found.refer(scope.unit, node, CALL, chain, 1)
        return scope

    def _literal(self, node: Node, scope: Scope) -> Scope:
        """`T{..}`, and `[]T{{..}}`, whose elements leave out their type."""
        type_ = type_chain(node.child_by_field_name("type"), scope)
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
