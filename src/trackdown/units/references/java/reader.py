"""References of a Java file.

`this` and `super` stay as written; a cast or `new C(..)` at the head of a chain is `C()`. Two bindings are Java's own:
`()` is the number of parameters of a method (`2`, with `+` where more may follow), and `self`, in a method of an
anonymous class, what that class extends. A type that begins with `[]` is an array; a part `x[]` is an element of x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

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
from trackdown.units.references.gathered import Gathered, Names, text_of
from trackdown.units.references.java.chains import (
    COMMENTS,
    Scope,
    expression_chain,
    type_chain,
    type_name,
    value_chain,
)

_INFERRED = ("var", "val")  # `val` is Lombok's
_LEAVES = frozenset({
    "identifier", "type_identifier", "modifiers", "this", "super", "integral_type", "floating_point_type", "void_type",
    "boolean_type", "decimal_integer_literal", "string_literal", "null_literal", "true", "false", "type_arguments",
    "generic_type", "scoped_type_identifier", "array_type", "throws", "scoped_identifier", "permits", *COMMENTS,
})  # fmt: skip
_BLOCKS = (
    "block", "constructor_body", "for_statement", "try_with_resources_statement", "catch_clause", "switch_rule",
    "switch_block_statement_group",
)  # fmt: skip


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Java syntax tree."""
    return _Reader(units).read(root)


class _Reader:
    def __init__(self, units: UnitFinder) -> None:
        self._found = Gathered(units)
        self._stack: list[tuple[Node, Scope]] = []
        self._handlers: Mapping[str, Callable[[Node, Scope], Scope]] = {
            "package_declaration": self._package,
            "import_declaration": self._import,
            "class_declaration": self._class,
            "interface_declaration": self._class,
            "enum_declaration": self._class,
            "record_declaration": self._class,
            "annotation_type_declaration": self._class,
            "method_declaration": self._method,
            "constructor_declaration": self._method,
            "compact_constructor_declaration": self._method,
            "annotation_type_element_declaration": self._member,
            "field_declaration": self._variables,
            "constant_declaration": self._variables,
            "local_variable_declaration": self._variables,
            "formal_parameter": self._named,
            "spread_parameter": self._named,
            "catch_formal_parameter": self._caught,
            "resource": self._named,
            "enhanced_for_statement": self._each,
            "lambda_expression": self._lambda,
            "instanceof_expression": self._instanceof,
            "type_pattern": self._pattern,
            "record_pattern_component": self._pattern,
            "enum_constant": self._constant,
            "method_invocation": self._call,
            "object_creation_expression": self._creation,
            "explicit_constructor_invocation": self._constructor,
            "method_reference": self._method_reference,
            "marker_annotation": self._annotation,
            "annotation": self._annotation,
            **dict.fromkeys(_BLOCKS, self._block),
        }

    def read(self, root: Node) -> BlobReferences:
        stack, handlers = self._stack, self._handlers
        stack.append((root, Scope(-1, "file", {}, Names())))
        while stack:
            node, scope = stack.pop()
            handler = handlers.get(node.type)
            if handler is not None:
                scope = handler(node, scope)
            self._push(node, scope)
        return self._found.facts()

    def _push(self, node: Node, scope: Scope) -> None:
        for child in reversed(node.named_children):
            kind = child.type
            if kind not in _LEAVES:
                self._stack.append((child, scope))
            elif kind == "modifiers" and child.named_child_count:
                self._push(child, scope)

    # Declarations

    def _package(self, node: Node, scope: Scope) -> Scope:
        names = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
        self._found.package = type_name(text_of(names[-1])) if names else ""
        return scope

    def _import(self, node: Node, scope: Scope) -> Scope:
        kinds = [child.type for child in node.children]
        named = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
        path = type_name(text_of(named[0])) if named else ""
        owner, _, last = path.rpartition(".")
        if "asterisk" in kinds:
            self._found.bring_in(node, path, "*", "")
        elif "static" in kinds:
            self._found.bring_in(node, owner, last, last)
        elif path:
            self._found.bring_in(node, path, "", last)
        return scope

    def _class(self, node: Node, scope: Scope) -> Scope:
        name = text_of(node.child_by_field_name("name"))
        types = self._type_parameters(node, scope)
        inner = Scope(self._found.unit_of(node, name), "class", types, Names(scope.names), name)
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

    def _bases(self, node: Node, scope: Scope, kind: str) -> None:
        for child in node.named_children:
            if child.type not in COMMENTS:
                self._found.refer(scope.unit, child, kind, type_chain(child, scope), -1)

    def _type_parameters(self, node: Node, scope: Scope) -> Mapping[str, str]:
        """The bounds of all type parameters that are visible in a declaration: the first bound stands for the type."""
        parameters = node.child_by_field_name("type_parameters")
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

    def _method(self, node: Node, scope: Scope) -> Scope:
        name = text_of(node.child_by_field_name("name"))
        unit, types = self._found.unit_of(node, name), self._type_parameters(node, scope)
        inner = Scope(unit, "function", types, scope.names.function())
        self._member(node, inner)
        if node.type != "compact_constructor_declaration":
            parameters = _parameters(node)
            spread = any(parameter.type == "spread_parameter" for parameter in parameters)
            self._found.bind(inner.unit, "()", f"{len(parameters) - spread}{'+' * spread}")
        if scope.kind == "anonymous":
            self._found.bind(inner.unit, "self", scope.self_type)
        return inner

    def _member(self, node: Node, scope: Scope) -> Scope:
        """What a method returns. An element of an annotation has no unit of its own: it is like a field."""
        returned = node.child_by_field_name("type")
        if returned is not None and returned.type != "void_type":
            field = node.type == "annotation_type_element_declaration"
            name = f"self.{text_of(node.child_by_field_name('name'))}" if field else "->"
            self._found.bind(scope.unit, name, _dimensions(node) + type_chain(returned, scope))
        return scope

    def _variables(self, node: Node, scope: Scope) -> Scope:
        type_ = type_chain(node.child_by_field_name("type"), scope)
        for declarator in node.children_by_field_name("declarator"):
            name = text_of(declarator.child_by_field_name("name"))
            value = declarator.child_by_field_name("value")
            said = value_chain(value, scope) if type_ in _INFERRED else _dimensions(declarator) + type_
            if node.type == "local_variable_declaration":
                self._found.declare(scope.unit, scope.names, name, said)
            else:  # of an anonymous class, a field is like a variable of the unit
                self._found.bind(scope.unit, f"self.{name}" if scope.kind == "class" else name, said)
        return scope

    def _named(self, node: Node, scope: Scope) -> Scope:
        type_, name = self._typed(node, scope)
        self._found.declare(scope.unit, scope.names, name, type_)
        return scope

    def _typed(self, node: Node, scope: Scope) -> tuple[str, str]:
        """Type and name of a parameter or resource."""
        if node.type == "spread_parameter":
            kinds = [child for child in node.named_children if child.type not in ("modifiers", *COMMENTS)]
            name = text_of(kinds[-1].child_by_field_name("name")) if kinds else ""
            return ("[]" + type_chain(kinds[0], scope), name) if len(kinds) > 1 else (UNKNOWN, name)
        type_ = type_chain(node.child_by_field_name("type"), scope)
        if type_ in _INFERRED:
            type_ = value_chain(node.child_by_field_name("value"), scope)
        return _dimensions(node) + type_, text_of(node.child_by_field_name("name"))

    def _caught(self, node: Node, scope: Scope) -> Scope:
        name = text_of(node.child_by_field_name("name"))
        caught = [child for child in node.named_children if child.type == "catch_type"]
        types = [type_chain(type_, scope) for child in caught for type_ in child.named_children]
        self._found.declare(scope.unit, scope.names, name, types[0] if types else UNKNOWN)
        for type_ in types[1:]:
            self._found.bind(scope.unit, scope.names.known_as(name), type_)
        return scope

    def _each(self, node: Node, scope: Scope) -> Scope:
        type_ = type_chain(node.child_by_field_name("type"), scope)
        if type_ in _INFERRED:
            type_ = expression_chain(node.child_by_field_name("value"), scope) + "[]"
        inner = self._block(node, scope)
        self._found.declare(scope.unit, inner.names, text_of(node.child_by_field_name("name")), type_)
        return inner

    def _lambda(self, node: Node, scope: Scope) -> Scope:
        inner = scope._replace(names=scope.names.closure())
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            for name in [parameters] if parameters.type == "identifier" else parameters.named_children:
                if name.type == "identifier":
                    self._found.declare(scope.unit, inner.names, text_of(name), UNKNOWN)
        return inner

    def _block(self, node: Node, scope: Scope) -> Scope:
        return scope._replace(names=scope.names.block())

    def _instanceof(self, node: Node, scope: Scope) -> Scope:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("right")
        if name is not None:
            self._found.declare(scope.unit, scope.names, text_of(name), type_chain(type_, scope))
        return scope

    def _pattern(self, node: Node, scope: Scope) -> Scope:
        children = [child for child in node.named_children if child.type not in ("modifiers", *COMMENTS)]
        if len(children) == 2 and children[1].type == "identifier":
            type_ = type_chain(children[0], scope)
            type_ = UNKNOWN if type_ in _INFERRED else type_
            self._found.declare(scope.unit, scope.names, text_of(children[1]), type_)
        return scope

    def _constant(self, node: Node, scope: Scope) -> Scope:
        self._found.bind(scope.unit, f"self.{text_of(node.child_by_field_name('name'))}", scope.self_type)
        return scope._replace(kind="anonymous")

    # References

    def _call(self, node: Node, scope: Scope) -> Scope:
        name = node.child_by_field_name("name")
        if name is not None:
            chain = expression_chain(node, scope).removesuffix("()")
            self._found.refer(scope.unit, name, CALL, chain, _arity(node))
        return scope

    def _creation(self, node: Node, scope: Scope) -> Scope:
        type_ = type_chain(node.child_by_field_name("type"), scope)
        first = node.named_children[0]
        around = expression_chain(first, scope) + "." if node.children[0].type != "new" else ""  # outer.new Inner()
        self._found.refer(scope.unit, node, NEW, around + type_, _arity(node))
        bodies = [child for child in node.named_children if child.type == "class_body"]
        return scope._replace(kind="anonymous", self_type=type_) if bodies else scope

    def _constructor(self, node: Node, scope: Scope) -> Scope:
        self._found.refer(scope.unit, node, NEW, text_of(node.child_by_field_name("constructor")), _arity(node))
        return scope

    def _method_reference(self, node: Node, scope: Scope) -> Scope:
        children = node.children
        first, last = children[0], children[-1]
        if last.type == "new":
            made = expression_chain(first, scope)
            if not made.startswith("[]"):
                self._found.refer(scope.unit, node, NEW, made, -1)
        else:
            self._found.refer(scope.unit, last, CALL, f"{expression_chain(first, scope)}.{text_of(last)}", -1)
        return scope

    def _annotation(self, node: Node, scope: Scope) -> Scope:
        self._found.refer(scope.unit, node, DECORATOR, type_name(text_of(node.child_by_field_name("name"))), -1)
        return scope


def _parameters(node: Node) -> list[Node]:
    parameters = node.child_by_field_name("parameters")
    children = parameters.named_children if parameters is not None else []
    return [child for child in children if child.type in ("formal_parameter", "spread_parameter")]


def _dimensions(node: Node) -> str:
    """The brackets behind a declared name."""
    return "[]" * text_of(node.child_by_field_name("dimensions")).count("[")


def _arity(node: Node) -> int:
    arguments = node.child_by_field_name("arguments")
    if arguments is None:
        return -1
    return sum(child.type not in COMMENTS for child in arguments.named_children)
