"""References of Kotlin: imports, calls, supertypes, and the types of parameters, properties and results.

`this@Outer` is `Outer`. A constructor is called like a function, so that a call may be of a class. The grammar takes
`f<T>(x)` for two comparisons, which is read back here.
"""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING, many_of
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, ends, visit
from trackdown.units.references.notes import RETURNS, SELF, SUPER, ReferenceNotes
from trackdown.units.references.syntax import (
    argument_count,
    field_of,
    first_of,
    has_token,
    named_of,
    only_child,
    text_of,
)

_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type")
_NO_VALUE = frozenset(_TYPES) | frozenset(
    "modifiers variable_declaration multi_variable_declaration type_parameters type_constraints getter setter "
    "property_delegate line_comment block_comment".split()
)


def _user_type(node: Node) -> str:
    names = [text_of(child) for child in node.named_children if child.type == "identifier"]
    return GRAMMAR.generic(".".join(names[-8:]) or NOTHING, named_of(first_of(node, "type_arguments")))


def _this(node: Node) -> str:
    label = only_child(node)
    return text_of(label) if label is not None else SELF


def _called(node: Node) -> Node | None:
    """What is called; `f(x) { … }` is one call, though two nodes."""
    inner = only_child(node)
    if inner is not None and inner.type == "call_expression" and first_of(node, "value_arguments") is None:
        return only_child(inner)
    return inner


def _object(node: Node) -> str:
    bases = first_of(node, "delegation_specifiers")
    found = GRAMMAR.chain(_base_type(bases.named_children[0])) if bases is not None and bases.named_children else ""
    return f"{found}()" if found and not found.startswith(NOTHING) else NOTHING


def _base_type(specifier: Node) -> Node | None:
    inner: Node | None = specifier
    while inner is not None and inner.type in ("delegation_specifier", "constructor_invocation", "explicit_delegation"):
        inner = only_child(inner)
    return inner


def _comparison(node: Node) -> str:
    """`f<T>(x)`, read back from two comparisons; `a ?: b` is a."""
    operator = text_of(field_of(node, "operator"))
    left = field_of(node, "left")
    if operator == "?:":
        return GRAMMAR.chain(left)
    if _is_generic_call(node):
        return f"{GRAMMAR.field(left, 'left')}()"
    return NOTHING


def _is_generic_call(node: Node) -> bool:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or right is None or left.type != "binary_expression" or text_of(field_of(node, "operator")) != ">":
        return False
    brackets = right.type == "parenthesized_expression" or (
        right.type == "call_expression" and text_of(right).startswith("(")
    )
    return brackets and text_of(field_of(left, "operator")) == "<"


GRAMMAR = Grammar(
    leaves="identifier",
    words={SUPER: "super_expression", "String()": "string_literal multiline_string_literal", "Int()": "number_literal"},
    pairs={ends: "navigation_expression"},
    calls="call_expression",
    elements="index_expression",
    through="parenthesized_expression unary_expression.argument nullable_type parenthesized_type not_nullable_type "
    "type_projection annotated_expression",
    steps={_called: "call_expression"},
    instances="as_expression.right",
    special={
        _user_type: "user_type",
        _this: "this_expression",
        _object: "object_literal",
        _comparison: "binary_expression",
    },
    containers="List MutableList Set MutableSet Collection Iterable Sequence Array ArrayList Map MutableMap HashMap "
    "Flow",
)


def _package(notes: ReferenceNotes, node: Node) -> None:
    notes.package = "".join(text_of(only_child(node)).split())


def _import(notes: ReferenceNotes, node: Node) -> None:
    path = first_of(node, "qualified_identifier")
    if path is None:
        return
    written = "".join(text_of(path).split())
    if has_token(node, "*"):
        notes.take(node, written, "*")
        return
    module, _, name = written.rpartition(".")
    alias = first_of(node, "identifier")
    notes.take(node, module, name, text_of(alias) if alias is not None else name)


def _class(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    _bases(notes, node, unit)
    _type_parameters(notes, node, unit)
    constructor = first_of(node, "primary_constructor")
    parameters = first_of(constructor, "class_parameters")
    for one in named_of(parameters):
        name, type_ = first_of(one, "identifier"), first_of(one, *_TYPES)
        chain = GRAMMAR.chain(type_) if type_ is not None else UNKNOWN
        notes.bind(unit, text_of(name), chain)
        if has_token(one, "val", "var"):
            notes.bind(unit, f"self.{text_of(name)}", chain)


def _companion(notes: ReferenceNotes, node: Node) -> None:
    _bases(notes, node, notes.class_of(notes.at(node)))


def _bases(notes: ReferenceNotes, node: Node, unit: int) -> None:
    bases = first_of(node, "delegation_specifiers")
    for one in named_of(bases):
        type_ = _base_type(one)
        if type_ is not None and type_.type == "user_type":
            names = [text_of(child) for child in type_.named_children if child.type == "identifier"]
            notes.refer(one, ".".join(names), -1, BASE, unit)


def _type_parameters(notes: ReferenceNotes, node: Node, unit: int) -> None:
    parameters = first_of(node, "type_parameters")
    for one in named_of(parameters):
        name, bound = first_of(one, "identifier"), first_of(one, *_TYPES)
        if name is not None and bound is not None:
            notes.bind(unit, text_of(name), GRAMMAR.chain(bound))


def _object_literal(notes: ReferenceNotes, node: Node) -> None:
    bases = first_of(node, "delegation_specifiers")
    for one in named_of(bases):
        notes.refer(one, GRAMMAR.chain(_base_type(one)), -1, NEW)


def _function(notes: ReferenceNotes, node: Node) -> None:
    name = field_of(node, "name")
    unit = notes.declared(node, text_of(name)) if name is not None else notes.at(node)
    _type_parameters(notes, node, unit)
    children = node.named_children
    at = next((place for place, child in enumerate(children) if child.type == "function_value_parameters"), -1)
    if at < 0:
        return
    least = most = 0
    variadic = False
    for child in children[at].children:
        if child.type == "parameter":
            most, least = most + 1, least + 1
            type_ = first_of(child, *_TYPES)
            notes.bind(unit, text_of(first_of(child, "identifier")), GRAMMAR.chain(type_))
        elif child.type == "=":
            least -= 1
        elif child.type == "parameter_modifiers" and "vararg" in text_of(child):
            variadic = True
    notes.bind_arity(unit, 0 if variadic else least, None if variadic else most)
    returned = next((child for child in children[at + 1 :] if child.type in _TYPES), None)
    if returned is None and children[-1].type == "function_body" and children[-1].children[:1]:
        body = children[-1]
        returned = only_child(body) if body.children[0].type == "=" else None
    if returned is not None:
        notes.bind(unit, RETURNS, GRAMMAR.chain(returned))


def _property(notes: ReferenceNotes, node: Node) -> None:
    declaration = first_of(node, "variable_declaration")
    unit = notes.at(node)
    if declaration is None:
        return
    notes.seen.add(declaration.id)
    name, type_ = first_of(declaration, "identifier"), first_of(declaration, *_TYPES)
    value = next((one for one in node.named_children if one.type not in _NO_VALUE), None)
    delegate = first_of(node, "property_delegate")
    if type_ is None and value is None and delegate is not None:
        value = _lazy_value(delegate)
    chain = GRAMMAR.chain(type_ if type_ is not None else value)
    owner = notes.class_of(unit)
    # A property with code is a unit of its own, and what it is a property of encloses it.
    member = notes.is_class(unit) or (notes.name_of(unit) == text_of(name) and owner >= 0)
    if member:
        notes.bind(owner, f"self.{text_of(name)}", chain)
    else:
        notes.bind(-1 if notes.name_of(unit) == text_of(name) else unit, text_of(name), chain)


def _lazy_value(delegate: Node) -> Node | None:
    """The last expression of `by lazy { … }`."""
    call = only_child(delegate)
    trailing = first_of(call, "annotated_lambda")
    body = only_child(trailing)
    return body.named_children[-1] if body is not None and body.named_children else None


def _variable(notes: ReferenceNotes, node: Node) -> None:
    """A variable of a loop, lambda or destructuring."""
    if node.id not in notes.seen:
        type_ = first_of(node, *_TYPES)
        notes.bind(notes.at(node), text_of(first_of(node, "identifier")), GRAMMAR.chain(type_) if type_ else UNKNOWN)


def _for(notes: ReferenceNotes, node: Node) -> None:
    children = node.named_children
    if len(children) > 1 and children[0].type == "variable_declaration" and first_of(children[0], *_TYPES) is None:
        notes.seen.add(children[0].id)
        notes.bind(notes.at(node), text_of(first_of(children[0], "identifier")), many_of(GRAMMAR.chain(children[1])))


def _catch(notes: ReferenceNotes, node: Node) -> None:
    notes.bind(notes.at(node), text_of(first_of(node, "identifier")), GRAMMAR.chain(first_of(node, *_TYPES)))


def _call(notes: ReferenceNotes, node: Node) -> None:
    inner = only_child(node)
    if inner is not None and inner.type == "call_expression" and first_of(node, "value_arguments") is None:
        notes.seen.add(inner.id)
    elif node.id in notes.seen:
        inner = node
    count = 0
    for one in (node, inner) if inner is not None and inner.type == "call_expression" else (node,):
        arguments = first_of(one, "value_arguments")
        count += argument_count(arguments, 0)
    count += first_of(node, "annotated_lambda") is not None
    if node.id not in notes.seen:
        notes.refer(node, GRAMMAR.called(node), count)


def _compared(notes: ReferenceNotes, node: Node) -> None:
    if _is_generic_call(node):
        right = field_of(node, "right")
        notes.refer(node, GRAMMAR.called(node), argument_count(right))


def _infix(notes: ReferenceNotes, node: Node) -> None:
    children = node.named_children
    if len(children) == 3:
        notes.refer(node, f"{GRAMMAR.chain(children[0])}.{text_of(children[1])}", 1)


def _alias(notes: ReferenceNotes, node: Node) -> None:
    type_ = first_of(node, *_TYPES)
    if type_ is not None:
        notes.export(text_of(first_of(node, "identifier")), GRAMMAR.chain(type_))


_VISITORS = by_node_type(
    {
        _package: "package_header",
        _import: "import",
        _class: "class_declaration object_declaration",
        _companion: "companion_object",
        _object_literal: "object_literal",
        _function: "function_declaration anonymous_function secondary_constructor",
        _property: "property_declaration",
        _variable: "variable_declaration",
        _for: "for_statement",
        _catch: "catch_block",
        _call: "call_expression",
        _compared: "binary_expression",
        _infix: "infix_expression",
        _alias: "type_alias",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Kotlin syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
