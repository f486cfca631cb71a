"""References of C#: usings, calls, constructions, bases, and the types of parameters, locals, fields and properties.

A method with a `this` parameter extends that parameter's type, which is bound to `self` in it.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from trackdown.units.references.extract import UnitFinder
from trackdown.units.references.facts import BASE, NEW, UNKNOWN, BlobReferences
from trackdown.units.references.tree import (
    NOTHING,
    RETURNS,
    SELF,
    SUPER,
    Grammar,
    Notes,
    below,
    by_field,
    by_fields,
    field_of,
    first_of,
    instance,
    many,
    only_child,
    text,
    visit,
)

_WRAPPERS = frozenset("Task ValueTask Nullable Lazy".split())
_CONTAINERS = frozenset(
    "List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection IAsyncEnumerable HashSet Queue Stack "
    "Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary ImmutableArray Span ReadOnlySpan".split()
)
_INFERRED = "implicit_type"


def _generic(node: Node) -> str:
    name = text(only_child(node))
    arguments = first_of(node, "type_argument_list")
    types = arguments.named_children if arguments is not None else []
    if types and name in _WRAPPERS:
        return GRAMMAR.chain(types[0])
    return many(GRAMMAR.chain(types[-1])) if types and name in _CONTAINERS else name


def _array(node: Node) -> str:
    return many(GRAMMAR.chain(field_of(node, "type")))


def _instance(name: str) -> Callable[[Node], str]:
    return lambda node: instance(GRAMMAR.chain(field_of(node, name)))


def _conditional(node: Node) -> tuple[Node | None, Node | None]:
    """`a?.b`: what may be null, and the name behind it."""
    bound = first_of(node, "member_binding_expression")
    return field_of(node, "condition"), field_of(bound, "name") if bound is not None else None


def _global(node: Node) -> str:
    name = GRAMMAR.chain(field_of(node, "name"))
    return f".{name}" if text(field_of(node, "alias")) == "global" else name


GRAMMAR = Grammar(
    leaves=frozenset({"identifier", "predefined_type"}),
    words={"this": SELF, "base": SUPER, "this_expression": SELF, "base_expression": SUPER,
           "string_literal": "String()", "interpolated_string_expression": "String()",
           "verbatim_string_literal": "String()", "typeof_expression": "Type()"},
    members={"member_access_expression": by_fields("expression", "name"),
             "qualified_name": by_fields("qualifier", "name"), "conditional_access_expression": _conditional},
    calls={"invocation_expression": by_field("function")},
    elements={"element_access_expression": by_field("expression")},
    through={
        "parenthesized_expression": only_child, "await_expression": only_child, "nullable_type": by_field("type"),
        "postfix_unary_expression": only_child, "ref_type": by_field("type"), "ref_expression": only_child,
        "primary_constructor_base_type": by_field("type"), "scoped_type": by_field("type"),
    },
    special={
        "generic_name": _generic, "array_type": _array, "alias_qualified_name": _global,
        "object_creation_expression": _instance("type"), "cast_expression": _instance("type"),
        "as_expression": _instance("right"),
    },
)  # fmt: skip


def _using(notes: Notes, node: Node) -> None:
    children = node.named_children
    target = GRAMMAR.chain(children[-1] if children else None).lstrip(".")
    if target.startswith(NOTHING):
        return
    module, _, name = target.rpartition(".")
    alias = field_of(node, "name")
    if alias is not None:
        notes.take(node, module, name, text(alias))
    elif any(child.type == "static" for child in node.children):
        notes.take(node, target, "*", name)
    else:
        notes.take(node, target, "*")


def _namespace(notes: Notes, node: Node) -> None:
    name = GRAMMAR.chain(field_of(node, "name"))
    if not notes.package and not name.startswith(NOTHING):
        notes.package = name


def _type(notes: Notes, node: Node) -> None:
    unit = notes.declared(node, text(field_of(node, "name")))
    bases = first_of(node, "base_list")
    for one in bases.named_children if bases is not None else ():
        if one.type != "argument_list":
            notes.refer(node, _name_of_type(one), -1, BASE, unit)
    parameters = first_of(node, "parameter_list")
    for one in parameters.named_children if parameters is not None else ():
        if one.type == "parameter":
            name, type_ = text(field_of(one, "name")), GRAMMAR.chain(field_of(one, "type"))
            notes.bind(unit, f"self.{name}", type_)
    _constraints(notes, unit, node)


def _name_of_type(node: Node) -> str:
    """The name of a type, also of one that stands for its elements elsewhere."""
    if node.type == "generic_name":
        return text(only_child(node))
    return GRAMMAR.chain(node)


def _constraints(notes: Notes, unit: int, node: Node) -> None:
    for clause in node.named_children:
        if clause.type == "type_parameter_constraints_clause":
            name = text(only_child(clause))
            for one in clause.named_children[1:]:
                type_ = field_of(one, "type")
                if type_ is not None:
                    notes.bind(unit, name, GRAMMAR.chain(type_))


def _method(notes: Notes, node: Node) -> None:
    unit = notes.declared(node, text(field_of(node, "name")))
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
        least += not any(child.type == "=" for child in one.children)
        name, type_ = text(field_of(one, "name")), GRAMMAR.chain(field_of(one, "type"))
        notes.seen.add(one.id)
        notes.bind(unit, name, type_)
        if most == 1 and any(child.type == "modifier" and text(child) == "this" for child in one.children):
            extends = True
            notes.bind(unit, SELF, type_)
    variadic = field_of(parameters, "name") is not None
    notes.arity(unit, least - extends, None if variadic else most - extends)


def _parameter(notes: Notes, node: Node) -> None:
    unit = notes.at(node)
    if node.id not in notes.seen:
        notes.bind(unit, text(field_of(node, "name")), GRAMMAR.chain(field_of(node, "type")))


def _implicit(notes: Notes, node: Node) -> None:
    notes.bind(notes.at(node), text(node), UNKNOWN)


def _property(notes: Notes, node: Node) -> None:
    unit, name = notes.at(node), text(field_of(node, "name"))
    type_ = GRAMMAR.chain(field_of(node, "type"))
    notes.bind(notes.class_of(unit), f"self.{name}", type_)
    if notes.is_function(unit):
        notes.bind(unit, RETURNS, type_)


def _fields(notes: Notes, node: Node) -> None:
    declaration = first_of(node, "variable_declaration")
    if declaration is not None:
        notes.seen.add(declaration.id)
        _declare(notes, declaration, "self.")


def _variables(notes: Notes, node: Node) -> None:
    if node.id not in notes.seen:
        _declare(notes, node, "")


def _declare(notes: Notes, node: Node, prefix: str) -> None:
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
                    notes.bind(unit, text(each), UNKNOWN)
        else:
            notes.bind(unit, prefix + text(name), GRAMMAR.chain(value if inferred else type_))
            if value is not None and value.type == "implicit_object_creation_expression" and type_ is not None:
                arguments = first_of(value, "argument_list")
                count = arguments.named_child_count if arguments is not None else 0
                notes.refer(one, _name_of_type(type_), count, NEW)


def _named(notes: Notes, node: Node) -> None:
    """`is T x`, `case T x`, `out T x`, `catch (T x)`."""
    type_, name = field_of(node, "type"), field_of(node, "name")
    if name is not None and type_ is not None:
        notes.bind(notes.at(node), text(name), GRAMMAR.chain(type_) if type_.type != _INFERRED else UNKNOWN)


def _foreach(notes: Notes, node: Node) -> None:
    type_, name, right = field_of(node, "type"), field_of(node, "left"), field_of(node, "right")
    if name is not None and name.type == "identifier":
        inferred = type_ is None or type_.type == _INFERRED
        notes.bind(notes.at(node), text(name), many(GRAMMAR.chain(right)) if inferred else GRAMMAR.chain(type_))


def _assignment(notes: Notes, node: Node) -> None:
    left = field_of(node, "left")
    if left is not None and left.type == "member_access_expression":
        chain = GRAMMAR.chain(left)
        if chain.startswith("self.") and chain.count(".") == 1:
            notes.bind(notes.at(node), chain, GRAMMAR.chain(field_of(node, "right")))


def _call(notes: Notes, node: Node) -> None:
    chain = GRAMMAR.called(node)
    arguments = field_of(node, "arguments")
    if chain != "nameof":
        notes.refer(node, chain, arguments.named_child_count if arguments is not None else -1)


def _new(notes: Notes, node: Node) -> None:
    type_, arguments = field_of(node, "type"), field_of(node, "arguments")
    if type_ is not None:
        notes.refer(node, _name_of_type(type_), arguments.named_child_count if arguments is not None else 0, NEW)


def _initializer(notes: Notes, node: Node) -> None:
    """`: base(…)`"""
    arguments = first_of(node, "argument_list")
    if any(child.type == "base" for child in node.children):
        notes.refer(node, SUPER, arguments.named_child_count if arguments is not None else 0, NEW)


_VISITORS = {
    "using_directive": _using,
    "namespace_declaration": _namespace,
    "file_scoped_namespace_declaration": _namespace,
    "class_declaration": _type,
    "struct_declaration": _type,
    "record_declaration": _type,
    "interface_declaration": _type,
    "method_declaration": _method,
    "constructor_declaration": _method,
    "local_function_statement": _method,
    "operator_declaration": _method,
    "indexer_declaration": _method,
    "parameter": _parameter,
    "implicit_parameter": _implicit,
    "property_declaration": _property,
    "field_declaration": _fields,
    "event_field_declaration": _fields,
    "variable_declaration": _variables,
    "declaration_pattern": _named,
    "declaration_expression": _named,
    "catch_declaration": _named,
    "foreach_statement": _foreach,
    "assignment_expression": _assignment,
    "invocation_expression": _call,
    "object_creation_expression": _new,
    "constructor_initializer": _initializer,
}


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a C# syntax tree."""
    return visit(root, _VISITORS, Notes(units))
