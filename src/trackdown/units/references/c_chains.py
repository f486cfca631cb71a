"""How expressions and types of C and C++ become chains, and what declarators declare."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.chain import NOTHING, instance_of
from trackdown.units.references.grammar import Grammar
from trackdown.units.references.notes import SELF
from trackdown.units.references.syntax import field_of, named_of, only_child, text_of

_MAKERS = frozenset("make_unique make_shared static_cast dynamic_cast reinterpret_cast const_cast".split())
_NAMES = frozenset(
    "identifier field_identifier type_identifier qualified_identifier template_function operator_name "
    "destructor_name".split()
)
_INSIDE = frozenset(
    "pointer_declarator reference_declarator parenthesized_declarator init_declarator array_declarator "
    "attributed_declarator".split()
)


def _qualified(node: Node) -> str:
    """`a::b::c` is nested to the right."""
    parts: list[str] = []
    here: Node | None = node
    while here is not None and here.type == "qualified_identifier" and len(parts) < 8:
        scope = field_of(here, "scope")
        parts.append("" if scope is None else GRAMMAR.chain(scope))
        here = field_of(here, "name")
    last = GRAMMAR.chain(here)
    if here is not None and here.type == "template_type" and last != text_of(field_of(here, "name")):
        return last  # std::unique_ptr<T> is T
    parts.append(last)
    return NOTHING if any(part.startswith(NOTHING) for part in parts) else ".".join(parts)


def _template(node: Node) -> str:
    return GRAMMAR.generic(GRAMMAR.field(node, "name"), named_of(field_of(node, "arguments")))


def made(node: Node) -> str:
    """The type that a cast or a maker like `std::make_unique<T>(…)` gives; empty for other calls."""
    function = field_of(node, "function")
    while function is not None and function.type == "qualified_identifier":
        function = field_of(function, "name")
    if function is None or function.type != "template_function" or text_of(field_of(function, "name")) not in _MAKERS:
        return ""
    arguments = field_of(function, "arguments")
    found = GRAMMAR.chain(only_child(arguments)) if arguments is not None else NOTHING
    return "" if found.startswith(NOTHING) else instance_of(found)


GRAMMAR = Grammar(
    leaves="identifier field_identifier type_identifier namespace_identifier primitive_type destructor_name",
    words={SELF: "this", "String()": "string_literal", NOTHING: "null"},
    members="field_expression.argument.field",
    calls="call_expression.function",
    elements="subscript_expression.argument",
    through="parenthesized_expression pointer_expression.argument template_function.name template_method.name "
    "type_descriptor.type struct_specifier.name class_specifier.name enum_specifier.name union_specifier.name "
    "dependent_type dependent_name condition_clause.value",
    instances="new_expression.type cast_expression.type compound_literal_expression.type",
    special={made: "call_expression", _qualified: "qualified_identifier", _template: "template_type"},
    wrappers="unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic scoped_refptr RefPtr",
    containers="vector list deque set map unordered_map unordered_set multimap array span queue stack initializer_list",
)


def declarator_of(node: Node | None) -> tuple[Node | None, Node | None]:
    """What a declarator declares: its name, and the function declarator that it is, if it is one."""
    function: Node | None = None
    for _ in range(12):
        if node is None or node.type in _NAMES:
            return node, function
        if node.type == "function_declarator":
            inner = field_of(node, "declarator")
            bracketed = only_child(inner) if inner is not None and inner.type == "parenthesized_declarator" else None
            pointer = bracketed is not None and bracketed.type != "identifier"  # (name)(…) is a function's
            function = node if not pointer and function is None else function
            node = inner
        elif node.type in _INSIDE:
            node = field_of(node, "declarator") or only_child(node)
        else:
            break
    return None, None
