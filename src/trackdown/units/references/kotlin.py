"""References of Kotlin: imports, calls, supertypes, and the types of parameters, properties and results.

`this@Outer` is `Outer`. A constructor is called like a function, so that a call may be of a class. The grammar takes
`f<T>(x)` for two comparisons, which is read back here.
"""

from __future__ import annotations

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
    by_field,
    ends,
    field_of,
    first_of,
    instance,
    many,
    only_child,
    text,
    visit,
)

_CONTAINERS = frozenset(
    "List MutableList Set MutableSet Collection Iterable Sequence Array ArrayList Map MutableMap HashMap Flow".split()
)
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "not_nullable_type")
_NO_VALUE = frozenset((
    *_TYPES, "modifiers", "variable_declaration", "multi_variable_declaration", "type_parameters", "type_constraints",
    "getter", "setter", "property_delegate", "line_comment", "block_comment",
))  # fmt: skip


def _user_type(node: Node) -> str:
    names = [text(child) for child in node.named_children if child.type == "identifier"]
    arguments = first_of(node, "type_arguments")
    types = arguments.named_children if arguments is not None else []
    if types and names[-1:] and names[-1] in _CONTAINERS:
        return many(GRAMMAR.chain(types[-1]))
    return ".".join(names[-8:]) or NOTHING


def _this(node: Node) -> str:
    label = only_child(node)
    return text(label) if label is not None else SELF


def _called(node: Node) -> Node | None:
    """What is called; `f(x) { … }` is one call, though two nodes."""
    inner = only_child(node)
    if inner is not None and inner.type == "call_expression" and first_of(node, "value_arguments") is None:
        return only_child(inner)
    return inner


def _cast(node: Node) -> str:
    return instance(GRAMMAR.chain(field_of(node, "right")))


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
    operator = text(field_of(node, "operator"))
    left = field_of(node, "left")
    if operator == "?:":
        return GRAMMAR.chain(left)
    if _is_generic_call(node):
        return f"{GRAMMAR.chain(field_of(left, 'left') if left is not None else None)}()"
    return NOTHING


def _is_generic_call(node: Node) -> bool:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or right is None or left.type != "binary_expression" or text(field_of(node, "operator")) != ">":
        return False
    brackets = right.type == "parenthesized_expression" or (
        right.type == "call_expression" and text(right).startswith("(")
    )
    return brackets and text(field_of(left, "operator")) == "<"


GRAMMAR = Grammar(
    leaves=frozenset({"identifier"}),
    words={"super_expression": SUPER, "string_literal": "String()", "multiline_string_literal": "String()",
           "number_literal": "Int()"},
    members={"navigation_expression": ends},
    calls={"call_expression": _called},
    elements={"index_expression": only_child},
    through={
        "parenthesized_expression": only_child, "unary_expression": by_field("argument"), "nullable_type": only_child,
        "parenthesized_type": only_child, "not_nullable_type": only_child, "type_projection": only_child,
        "annotated_expression": only_child,
    },
    special={
        "user_type": _user_type, "this_expression": _this, "as_expression": _cast, "object_literal": _object,
        "binary_expression": _comparison,
    },
)  # fmt: skip


def _package(notes: Notes, node: Node) -> None:
    notes.package = "".join(text(only_child(node)).split())


def _import(notes: Notes, node: Node) -> None:
    path = first_of(node, "qualified_identifier")
    if path is None:
        return
    written = "".join(text(path).split())
    if any(child.type == "*" for child in node.children):
        notes.take(node, written, "*")
        return
    module, _, name = written.rpartition(".")
    alias = first_of(node, "identifier")
    notes.take(node, module, name, text(alias) if alias is not None else name)


def _class(notes: Notes, node: Node) -> None:
    unit = notes.declared(node, text(field_of(node, "name")))
    _bases(notes, node, unit)
    _type_parameters(notes, node, unit)
    constructor = first_of(node, "primary_constructor")
    parameters = first_of(constructor, "class_parameters") if constructor is not None else None
    for one in parameters.named_children if parameters is not None else ():
        name, type_ = first_of(one, "identifier"), first_of(one, *_TYPES)
        chain = GRAMMAR.chain(type_) if type_ is not None else UNKNOWN
        notes.bind(unit, text(name), chain)
        if any(child.type in ("val", "var") for child in one.children):
            notes.bind(unit, f"self.{text(name)}", chain)


def _companion(notes: Notes, node: Node) -> None:
    _bases(notes, node, notes.class_of(notes.at(node)))


def _bases(notes: Notes, node: Node, unit: int) -> None:
    bases = first_of(node, "delegation_specifiers")
    for one in bases.named_children if bases is not None else ():
        type_ = _base_type(one)
        if type_ is not None and type_.type == "user_type":
            names = [text(child) for child in type_.named_children if child.type == "identifier"]
            notes.refer(one, ".".join(names), -1, BASE, unit)


def _type_parameters(notes: Notes, node: Node, unit: int) -> None:
    parameters = first_of(node, "type_parameters")
    for one in parameters.named_children if parameters is not None else ():
        name, bound = first_of(one, "identifier"), first_of(one, *_TYPES)
        if name is not None and bound is not None:
            notes.bind(unit, text(name), GRAMMAR.chain(bound))


def _object_literal(notes: Notes, node: Node) -> None:
    bases = first_of(node, "delegation_specifiers")
    for one in bases.named_children if bases is not None else ():
        notes.refer(one, GRAMMAR.chain(_base_type(one)), -1, NEW)


def _function(notes: Notes, node: Node) -> None:
    name = field_of(node, "name")
    unit = notes.declared(node, text(name)) if name is not None else notes.at(node)
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
            notes.bind(unit, text(first_of(child, "identifier")), GRAMMAR.chain(type_))
        elif child.type == "=":
            least -= 1
        elif child.type == "parameter_modifiers" and "vararg" in text(child):
            variadic = True
    notes.arity(unit, 0 if variadic else least, None if variadic else most)
    returned = next((child for child in children[at + 1 :] if child.type in _TYPES), None)
    if returned is None and children[-1].type == "function_body" and children[-1].children[:1]:
        body = children[-1]
        returned = only_child(body) if body.children[0].type == "=" else None
    if returned is not None:
        notes.bind(unit, RETURNS, GRAMMAR.chain(returned))


def _property(notes: Notes, node: Node) -> None:
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
    member = notes.is_class(unit) or (notes.name_of(unit) == text(name) and owner >= 0)
    if member:
        notes.bind(owner, f"self.{text(name)}", chain)
    else:
        notes.bind(-1 if notes.name_of(unit) == text(name) else unit, text(name), chain)


def _lazy_value(delegate: Node) -> Node | None:
    """The last expression of `by lazy { … }`."""
    call = only_child(delegate)
    trailing = first_of(call, "annotated_lambda") if call is not None else None
    body = only_child(trailing) if trailing is not None else None
    return body.named_children[-1] if body is not None and body.named_children else None


def _variable(notes: Notes, node: Node) -> None:
    """A variable of a loop, lambda or destructuring."""
    if node.id not in notes.seen:
        type_ = first_of(node, *_TYPES)
        notes.bind(notes.at(node), text(first_of(node, "identifier")), GRAMMAR.chain(type_) if type_ else UNKNOWN)


def _for(notes: Notes, node: Node) -> None:
    children = node.named_children
    if len(children) > 1 and children[0].type == "variable_declaration" and first_of(children[0], *_TYPES) is None:
        notes.seen.add(children[0].id)
        notes.bind(notes.at(node), text(first_of(children[0], "identifier")), many(GRAMMAR.chain(children[1])))


def _catch(notes: Notes, node: Node) -> None:
    notes.bind(notes.at(node), text(first_of(node, "identifier")), GRAMMAR.chain(first_of(node, *_TYPES)))


def _call(notes: Notes, node: Node) -> None:
    inner = only_child(node)
    if inner is not None and inner.type == "call_expression" and first_of(node, "value_arguments") is None:
        notes.seen.add(inner.id)
    elif node.id in notes.seen:
        inner = node
    count = 0
    for one in (node, inner) if inner is not None and inner.type == "call_expression" else (node,):
        arguments = first_of(one, "value_arguments")
        count += arguments.named_child_count if arguments is not None else 0
    count += first_of(node, "annotated_lambda") is not None
    if node.id not in notes.seen:
        notes.refer(node, GRAMMAR.called(node), count)


def _compared(notes: Notes, node: Node) -> None:
    if _is_generic_call(node):
        right = field_of(node, "right")
        notes.refer(node, GRAMMAR.called(node), right.named_child_count if right is not None else -1)


def _infix(notes: Notes, node: Node) -> None:
    children = node.named_children
    if len(children) == 3:
        notes.refer(node, f"{GRAMMAR.chain(children[0])}.{text(children[1])}", 1)


def _alias(notes: Notes, node: Node) -> None:
    type_ = first_of(node, *_TYPES)
    if type_ is not None:
        notes.export(text(first_of(node, "identifier")), GRAMMAR.chain(type_))


_VISITORS = {
    "package_header": _package,
    "import": _import,
    "class_declaration": _class,
    "object_declaration": _class,
    "companion_object": _companion,
    "object_literal": _object_literal,
    "function_declaration": _function,
    "anonymous_function": _function,
    "secondary_constructor": _function,
    "property_declaration": _property,
    "variable_declaration": _variable,
    "for_statement": _for,
    "catch_block": _catch,
    "call_expression": _call,
    "binary_expression": _compared,
    "infix_expression": _infix,
    "type_alias": _alias,
}


def read(root: Node, units: UnitFinder) -> BlobReferences:
    """All references below the root of a Kotlin syntax tree."""
    return visit(root, _VISITORS, Notes(units))
