"""References of C#: usings, calls, constructions, bases, and the types of parameters, locals, fields and properties.

A method with a `this` parameter extends that parameter's type, which is bound to `self` in it.
"""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING, many_of
from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.grammar import Grammar, by_node_type, visit
from trackdown.units.references.notes import RETURNS, SELF, SUPER, ReferenceNotes
from trackdown.units.references.syntax import (
    argument_count,
    below,
    field_of,
    first_of,
    has_token,
    named_of,
    only_child,
    text_of,
)

_INFERRED = "implicit_type"


def _generic(node: Node) -> str:
    return GRAMMAR.generic(text_of(only_child(node)), named_of(first_of(node, "type_argument_list")))


def _conditional(node: Node) -> tuple[Node | None, Node | None]:
    """`a?.b`: what may be null, and the name behind it."""
    bound = first_of(node, "member_binding_expression")
    return field_of(node, "condition"), field_of(bound, "name")


def _global(node: Node) -> str:
    name = GRAMMAR.field(node, "name")
    return f".{name}" if text_of(field_of(node, "alias")) == "global" else name


GRAMMAR = Grammar(
    leaves="identifier predefined_type",
    words={
        SELF: "this this_expression",
        SUPER: "base base_expression",
        "String()": "string_literal interpolated_string_expression verbatim_string_literal",
        "Type()": "typeof_expression",
    },
    members="member_access_expression.expression.name qualified_name.qualifier.name",
    pairs={_conditional: "conditional_access_expression"},
    calls="invocation_expression.function",
    elements="element_access_expression.expression",
    through="parenthesized_expression await_expression nullable_type.type postfix_unary_expression ref_type.type "
    "ref_expression primary_constructor_base_type.type scoped_type.type",
    instances="object_creation_expression.type cast_expression.type as_expression.right",
    arrays="array_type.type",
    special={_generic: "generic_name", _global: "alias_qualified_name"},
    wrappers="Task ValueTask Nullable Lazy",
    containers="List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection IAsyncEnumerable HashSet Queue "
    "Stack Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary ImmutableArray Span ReadOnlySpan",
)


def _using(notes: ReferenceNotes, node: Node) -> None:
    children = node.named_children
    target = GRAMMAR.chain(children[-1] if children else None).lstrip(".")
    if target.startswith(NOTHING):
        return
    module, _, name = target.rpartition(".")
    alias = field_of(node, "name")
    if alias is not None:
        notes.take(node, module, name, text_of(alias))
    elif has_token(node, "static"):
        notes.take(node, target, "*", name)
    else:
        notes.take(node, target, "*")


def _namespace(notes: ReferenceNotes, node: Node) -> None:
    name = GRAMMAR.field(node, "name")
    if not notes.package and not name.startswith(NOTHING):
        notes.package = name


def _type(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    bases = first_of(node, "base_list")
    for one in named_of(bases):
        if one.type != "argument_list":
            notes.refer(node, _name_of_type(one), -1, BASE, unit)
    parameters = first_of(node, "parameter_list")
    for one in named_of(parameters):
        if one.type == "parameter":
            name, type_ = text_of(field_of(one, "name")), GRAMMAR.field(one, "type")
            notes.bind(unit, f"self.{name}", type_)
    _constraints(notes, unit, node)


def _name_of_type(node: Node) -> str:
    """The name of a type, even of a container that otherwise means its elements."""
    if node.type == "generic_name":
        return text_of(only_child(node))
    return GRAMMAR.chain(node)


def _constraints(notes: ReferenceNotes, unit: int, node: Node) -> None:
    for clause in node.named_children:
        if clause.type == "type_parameter_constraints_clause":
            name = text_of(only_child(clause))
            for one in clause.named_children[1:]:
                type_ = field_of(one, "type")
                if type_ is not None:
                    notes.bind(unit, name, GRAMMAR.chain(type_))


def _method(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.declared(node, text_of(field_of(node, "name")))
    returns = field_of(node, "returns") or field_of(node, "type")
    if returns is not None:
        notes.bind(unit, RETURNS, GRAMMAR.chain(returns))
    _constraints(notes, unit, node)
    parameters = field_of(node, "parameters")
    if parameters is None:
        return
    least = most = 0
    extends = False
    for one in parameters.named_children:
        if one.type != "parameter":
            continue
        most += 1
        least += not has_token(one, "=")
        name, type_ = text_of(field_of(one, "name")), GRAMMAR.field(one, "type")
        notes.seen.add(one.id)
        notes.bind(unit, name, type_)
        if most == 1 and any(child.type == "modifier" and text_of(child) == "this" for child in one.children):
            extends = True
            notes.bind(unit, SELF, type_)
    variadic = field_of(parameters, "name") is not None
    notes.bind_arity(unit, least - extends, None if variadic else most - extends)


def _parameter(notes: ReferenceNotes, node: Node) -> None:
    unit = notes.at(node)
    if node.id not in notes.seen:
        notes.bind(unit, text_of(field_of(node, "name")), GRAMMAR.field(node, "type"))


def _implicit(notes: ReferenceNotes, node: Node) -> None:
    notes.bind(notes.at(node), text_of(node), UNKNOWN)


def _property(notes: ReferenceNotes, node: Node) -> None:
    unit, name = notes.at(node), text_of(field_of(node, "name"))
    type_ = GRAMMAR.field(node, "type")
    notes.bind(notes.class_of(unit), f"self.{name}", type_)
    if notes.is_function(unit):
        notes.bind(unit, RETURNS, type_)


def _fields(notes: ReferenceNotes, node: Node) -> None:
    declaration = first_of(node, "variable_declaration")
    if declaration is not None:
        notes.seen.add(declaration.id)
        _declare(notes, declaration, "self.")


def _variables(notes: ReferenceNotes, node: Node) -> None:
    if node.id not in notes.seen:
        _declare(notes, node, "")


def _declare(notes: ReferenceNotes, node: Node, prefix: str) -> None:
    type_, unit = field_of(node, "type"), notes.at(node)
    inferred = type_ is None or type_.type == _INFERRED
    for one in node.named_children:
        if one.type != "variable_declarator":
            continue
        name = field_of(one, "name")
        value = one.named_children[-1] if one.named_child_count > 1 else None
        if name is None:
            for inner in below(one, {"tuple_pattern"}):
                for each in inner.named_children:
                    notes.bind(unit, text_of(each), UNKNOWN)
        else:
            notes.bind(unit, prefix + text_of(name), GRAMMAR.chain(value if inferred else type_))
            if value is not None and value.type == "implicit_object_creation_expression" and type_ is not None:
                arguments = first_of(value, "argument_list")
                count = argument_count(arguments, 0)
                notes.refer(one, _name_of_type(type_), count, NEW)


def _named(notes: ReferenceNotes, node: Node) -> None:
    """`is T x`, `case T x`, `out T x`, `catch (T x)`."""
    type_, name = field_of(node, "type"), field_of(node, "name")
    if name is not None and type_ is not None:
        notes.bind(notes.at(node), text_of(name), GRAMMAR.chain(type_) if type_.type != _INFERRED else UNKNOWN)


def _foreach(notes: ReferenceNotes, node: Node) -> None:
    type_, name, right = field_of(node, "type"), field_of(node, "left"), field_of(node, "right")
    if name is not None and name.type == "identifier":
        inferred = type_ is None or type_.type == _INFERRED
        notes.bind(notes.at(node), text_of(name), many_of(GRAMMAR.chain(right)) if inferred else GRAMMAR.chain(type_))


def _assignment(notes: ReferenceNotes, node: Node) -> None:
    left = field_of(node, "left")
    if left is not None and left.type == "member_access_expression":
        chain = GRAMMAR.chain(left)
        if chain.startswith("self.") and chain.count(".") == 1:
            notes.bind(notes.at(node), chain, GRAMMAR.field(node, "right"))


def _call(notes: ReferenceNotes, node: Node) -> None:
    chain = GRAMMAR.called(node)
    arguments = field_of(node, "arguments")
    if chain != "nameof":
        notes.refer(node, chain, argument_count(arguments))


def _new(notes: ReferenceNotes, node: Node) -> None:
    type_, arguments = field_of(node, "type"), field_of(node, "arguments")
    if type_ is not None:
        notes.refer(node, _name_of_type(type_), argument_count(arguments, 0), NEW)


def _initializer(notes: ReferenceNotes, node: Node) -> None:
    """`: base(…)`"""
    arguments = first_of(node, "argument_list")
    if has_token(node, "base"):
        notes.refer(node, SUPER, argument_count(arguments, 0), NEW)


_VISITORS = by_node_type(
    {
        _using: "using_directive",
        _namespace: "namespace_declaration file_scoped_namespace_declaration",
        _type: "class_declaration struct_declaration record_declaration interface_declaration",
        _method: "method_declaration constructor_declaration local_function_statement operator_declaration "
        "indexer_declaration",
        _parameter: "parameter",
        _implicit: "implicit_parameter",
        _property: "property_declaration",
        _fields: "field_declaration event_field_declaration",
        _variables: "variable_declaration",
        _named: "declaration_pattern declaration_expression catch_declaration",
        _foreach: "foreach_statement",
        _assignment: "assignment_expression",
        _call: "invocation_expression",
        _new: "object_creation_expression",
        _initializer: "constructor_initializer",
    }
)


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a C# syntax tree."""
    return visit(root, _VISITORS, ReferenceNotes(units))
