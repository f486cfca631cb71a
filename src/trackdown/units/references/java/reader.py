"""References of a Java file.

`this` and `super` stay as written; a cast or `new C(..)` at the head of a chain is `C()`. Two bindings are Java's own:
`()` is the number of parameters of a method (`2`, with `+` where more may follow), and `self`, in a method of an
anonymous class, what that class extends. A type that begins with `[]` is an array; a part `x[]` is an element of x.
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

from trackdown.units.references.blocks import BlockNames, BlockReader, BlockScope, Handler
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import (
    BASE,
    CALL,
    DECORATOR,
    IMPLEMENTS,
    NEW,
    UNKNOWN,
    BlobReferences,
)
from trackdown.units.references.java.chains import (
    COMMENTS,
    expression_chain,
    type_chain,
    type_name,
    value_chain,
)
from trackdown.units.references.syntax import field_of, text_of

_INFERRED = ("var", "val")  # `val` is Lombok's


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Java syntax tree."""
    return _JavaReader(units).read(root)


class _JavaReader(BlockReader):
    leaves = frozenset(COMMENTS) | frozenset(
        "identifier type_identifier this super integral_type floating_point_type void_type boolean_type "
        "decimal_integer_literal string_literal null_literal true false type_arguments generic_type "
        "scoped_type_identifier array_type throws scoped_identifier permits".split()
    )

    def handlers(self) -> Mapping[Handler, str]:
        return {
            self._package: "package_declaration",
            self._import: "import_declaration",
            self._class: "class_declaration interface_declaration enum_declaration record_declaration "
            "annotation_type_declaration",
            self._method: "method_declaration constructor_declaration compact_constructor_declaration",
            self._member: "annotation_type_element_declaration",
            self._variables: "field_declaration constant_declaration local_variable_declaration",
            self._named: "formal_parameter spread_parameter resource",
            self._caught: "catch_formal_parameter",
            self._each: "enhanced_for_statement",
            self._lambda: "lambda_expression",
            self._instanceof: "instanceof_expression",
            self._pattern: "type_pattern record_pattern_component",
            self._constant: "enum_constant",
            self._call: "method_invocation",
            self._creation: "object_creation_expression",
            self._constructor: "explicit_constructor_invocation",
            self._method_reference: "method_reference",
            self._annotation: "marker_annotation annotation",
            self._block: "block constructor_body for_statement try_with_resources_statement catch_clause "
            "switch_rule switch_block_statement_group",
        }

    # Declarations

    def _package(self, node: Node, scope: BlockScope) -> None:
        names = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
        self._found.package = type_name(text_of(names[-1])) if names else ""

    def _import(self, node: Node, scope: BlockScope) -> None:
        kinds = [child.type for child in node.children]
        named = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
        path = type_name(text_of(named[0])) if named else ""
        owner, _, last = path.rpartition(".")
        if "asterisk" in kinds:
            self._found.take(node, path, "*", "")
        elif "static" in kinds:
            self._found.take(node, owner, last, last)
        elif path:
            self._found.take(node, path, "", last)

    def _class(self, node: Node, scope: BlockScope) -> BlockScope:
        name = text_of(field_of(node, "name"))
        types = self._type_parameters(node, scope)
        inner = BlockScope(self._found.declared(node, name), types, BlockNames(scope.names), "class", name)
        for child in node.named_children:
            if child.type == "superclass":
                self._bases(child, inner, BASE)
            elif child.type in ("super_interfaces", "extends_interfaces"):
                kind = IMPLEMENTS if child.type == "super_interfaces" else BASE
                for types_ in child.named_children:
                    self._bases(types_, inner, kind)
        if node.type == "record_declaration":
            for parameter in _parameters(node):
                type_, named = self._typed(parameter, inner)
                self._found.bind(inner.unit, f"self.{named}", type_)
        return inner

    def _bases(self, node: Node, scope: BlockScope, kind: str) -> None:
        for child in node.named_children:
            if child.type not in COMMENTS:
                self._found.refer(child, type_chain(child, scope), -1, kind, scope.unit)

    def _type_parameters(self, node: Node, scope: BlockScope) -> Mapping[str, str]:
        """The bounds of all type parameters that are visible in a declaration; the first bound represents the type."""
        parameters = field_of(node, "type_parameters")
        if parameters is None:
            return scope.types
        types = dict(scope.types)
        for parameter in parameters.named_children:
            parts = [child for child in parameter.named_children if child.type in ("type_identifier", "type_bound")]
            if parts:
                bounds = parts[1].named_children if len(parts) > 1 else []
                name = type_name(text_of(bounds[0])) if bounds else UNKNOWN
                types[text_of(parts[0])] = types.get(name, name)
        return types

    def _method(self, node: Node, scope: BlockScope) -> BlockScope:
        name = text_of(field_of(node, "name"))
        unit, types = self._found.declared(node, name), self._type_parameters(node, scope)
        inner = BlockScope(unit, types, scope.names.function(), "function")
        self._member(node, inner)
        if node.type != "compact_constructor_declaration":
            parameters = _parameters(node)
            spread = any(parameter.type == "spread_parameter" for parameter in parameters)
            self._found.bind(inner.unit, "()", f"{len(parameters) - spread}{'+' * spread}")
        if scope.kind == "anonymous":
            self._found.bind(inner.unit, "self", scope.self_type)
        return inner

    def _member(self, node: Node, scope: BlockScope) -> None:
        """What a method returns. An element of an annotation has no unit of its own: it is like a field."""
        returned = field_of(node, "type")
        if returned is not None and returned.type != "void_type":
            field = node.type == "annotation_type_element_declaration"
            name = f"self.{text_of(field_of(node, 'name'))}" if field else "->"
            self._found.bind(scope.unit, name, _dimensions(node) + type_chain(returned, scope))

    def _variables(self, node: Node, scope: BlockScope) -> None:
        type_ = type_chain(field_of(node, "type"), scope)
        for declarator in node.children_by_field_name("declarator"):
            name = text_of(field_of(declarator, "name"))
            value = field_of(declarator, "value")
            said = value_chain(value, scope) if type_ in _INFERRED else _dimensions(declarator) + type_
            if node.type == "local_variable_declaration":
                self._found.declare(scope.unit, scope.names, name, said)
            else:  # of an anonymous class, a field is like a variable of the unit
                self._found.bind(scope.unit, f"self.{name}" if scope.kind == "class" else name, said)

    def _named(self, node: Node, scope: BlockScope) -> None:
        type_, name = self._typed(node, scope)
        self._found.declare(scope.unit, scope.names, name, type_)

    def _typed(self, node: Node, scope: BlockScope) -> tuple[str, str]:
        """Type and name of a parameter or resource."""
        if node.type == "spread_parameter":
            kinds = [child for child in node.named_children if child.type not in ("modifiers", *COMMENTS)]
            name = text_of(kinds[-1].child_by_field_name("name")) if kinds else ""
            return ("[]" + type_chain(kinds[0], scope), name) if len(kinds) > 1 else (UNKNOWN, name)
        type_ = type_chain(field_of(node, "type"), scope)
        if type_ in _INFERRED:
            type_ = value_chain(field_of(node, "value"), scope)
        return _dimensions(node) + type_, text_of(field_of(node, "name"))

    def _caught(self, node: Node, scope: BlockScope) -> None:
        name = text_of(field_of(node, "name"))
        caught = [child for child in node.named_children if child.type == "catch_type"]
        types = [type_chain(type_, scope) for child in caught for type_ in child.named_children]
        self._found.declare(scope.unit, scope.names, name, types[0] if types else UNKNOWN)
        for type_ in types[1:]:
            self._found.bind(scope.unit, scope.names.known_as(name), type_)

    def _each(self, node: Node, scope: BlockScope) -> BlockScope:
        type_ = type_chain(field_of(node, "type"), scope)
        if type_ in _INFERRED:
            type_ = expression_chain(field_of(node, "value"), scope) + "[]"
        inner = self._block(node, scope)
        self._found.declare(scope.unit, inner.names, text_of(field_of(node, "name")), type_)
        return inner

    def _lambda(self, node: Node, scope: BlockScope) -> BlockScope:
        inner = scope._replace(names=scope.names.closure())
        parameters = field_of(node, "parameters")
        if parameters is not None:
            for name in [parameters] if parameters.type == "identifier" else parameters.named_children:
                if name.type == "identifier":
                    self._found.declare(scope.unit, inner.names, text_of(name), UNKNOWN)
        return inner

    def _instanceof(self, node: Node, scope: BlockScope) -> None:
        name, type_ = field_of(node, "name"), field_of(node, "right")
        if name is not None:
            self._found.declare(scope.unit, scope.names, text_of(name), type_chain(type_, scope))

    def _pattern(self, node: Node, scope: BlockScope) -> None:
        children = [child for child in node.named_children if child.type not in ("modifiers", *COMMENTS)]
        if len(children) == 2 and children[1].type == "identifier":
            type_ = type_chain(children[0], scope)
            type_ = UNKNOWN if type_ in _INFERRED else type_
            self._found.declare(scope.unit, scope.names, text_of(children[1]), type_)

    def _constant(self, node: Node, scope: BlockScope) -> BlockScope:
        self._found.bind(scope.unit, f"self.{text_of(field_of(node, 'name'))}", scope.self_type)
        return scope._replace(kind="anonymous")

    # References

    def _call(self, node: Node, scope: BlockScope) -> None:
        name = field_of(node, "name")
        if name is not None:
            chain = expression_chain(node, scope).removesuffix("()")
            self._found.refer(name, chain, _arity(node), CALL, scope.unit)

    def _creation(self, node: Node, scope: BlockScope) -> BlockScope:
        type_ = type_chain(field_of(node, "type"), scope)
        first = node.named_children[0]
        around = expression_chain(first, scope) + "." if node.children[0].type != "new" else ""  # outer.new Inner()
        self._found.refer(node, around + type_, _arity(node), NEW, scope.unit)
        bodies = [child for child in node.named_children if child.type == "class_body"]
        return scope._replace(kind="anonymous", self_type=type_) if bodies else scope

    def _constructor(self, node: Node, scope: BlockScope) -> None:
        self._found.refer(node, text_of(field_of(node, "constructor")), _arity(node), NEW, scope.unit)

    def _method_reference(self, node: Node, scope: BlockScope) -> None:
        children = node.children
        first, last = children[0], children[-1]
        if last.type == "new":
            made = expression_chain(first, scope)
            if not made.startswith("[]"):
                self._found.refer(node, made, -1, NEW, scope.unit)
        else:
            self._found.refer(last, f"{expression_chain(first, scope)}.{text_of(last)}", -1, CALL, scope.unit)

    def _annotation(self, node: Node, scope: BlockScope) -> BlockScope:
        self._found.refer(node, type_name(text_of(field_of(node, "name"))), -1, DECORATOR, scope.unit)
        return scope


def _parameters(node: Node) -> list[Node]:
    parameters = field_of(node, "parameters")
    children = parameters.named_children if parameters is not None else []
    return [child for child in children if child.type in ("formal_parameter", "spread_parameter")]


def _dimensions(node: Node) -> str:
    """The brackets behind a declared name."""
    return "[]" * text_of(field_of(node, "dimensions")).count("[")


def _arity(node: Node) -> int:
    arguments = field_of(node, "arguments")
    if arguments is None:
        return -1
    return sum(child.type not in COMMENTS for child in arguments.named_children)
