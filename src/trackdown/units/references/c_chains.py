"""How expressions and types of C and C++ become chains, and what declarators declare."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.tree import (
    NOTHING,
    SELF,
    Grammar,
    by_field,
    by_fields,
    field_of,
    instance,
    many,
    only_child,
    text,
)

_WRAPPERS = frozenset("unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic scoped_refptr RefPtr".split())
_CONTAINERS = frozenset(
    "vector list deque set map unordered_map unordered_set multimap array span queue stack initializer_list".split()
)
_MAKERS = frozenset("make_unique make_shared static_cast dynamic_cast reinterpret_cast const_cast".split())
_NAMES = frozenset(("identifier", "field_identifier", "type_identifier", "qualified_identifier", "template_function",
                    "operator_name", "destructor_name"))  # fmt: skip
_INSIDE = frozenset(("pointer_declarator", "reference_declarator", "parenthesized_declarator", "init_declarator",
                     "array_declarator", "attributed_declarator"))  # fmt: skip


def _qualified(node: Node) -> str:
    """`a::b::c` is nested to the right."""
    parts: list[str] = []
    here: Node | None = node
    while here is not None and here.type == "qualified_identifier" and len(parts) < 8:
        scope = field_of(here, "scope")
        parts.append("" if scope is None else GRAMMAR.chain(scope))
        here = field_of(here, "name")
    last = GRAMMAR.chain(here)
    if here is not None and here.type == "template_type" and last != text(field_of(here, "name")):
        return last  # std::unique_ptr<T> is T
    parts.append(last)
    return NOTHING if any(part.startswith(NOTHING) for part in parts) else ".".join(parts)


def _template(node: Node) -> str:
    name = GRAMMAR.chain(field_of(node, "name"))
    arguments = field_of(node, "arguments")
    types = arguments.named_children if arguments is not None else []
    if types and name in _WRAPPERS:
        return GRAMMAR.chain(types[0])
    return many(GRAMMAR.chain(types[-1])) if types and name in _CONTAINERS else name


def made(node: Node) -> str:
    """The type that a cast or a maker like `std::make_unique<T>(…)` gives; empty for other calls."""
    function = field_of(node, "function")
    while function is not None and function.type == "qualified_identifier":
        function = field_of(function, "name")
    if function is None or function.type != "template_function" or text(field_of(function, "name")) not in _MAKERS:
        return ""
    arguments = field_of(function, "arguments")
    found = GRAMMAR.chain(only_child(arguments)) if arguments is not None else NOTHING
    return "" if found.startswith(NOTHING) else instance(found)


def _typed(node: Node) -> str:
    return instance(GRAMMAR.chain(field_of(node, "type")))


GRAMMAR = Grammar(
    leaves=frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier", "primitive_type",
                      "destructor_name"}),
    words={"this": SELF, "string_literal": "String()", "null": NOTHING},
    members={"field_expression": by_fields("argument", "field")},
    calls={"call_expression": by_field("function")},
    elements={"subscript_expression": by_field("argument")},
    through={
        "parenthesized_expression": only_child, "pointer_expression": by_field("argument"),
        "template_function": by_field("name"), "template_method": by_field("name"), "type_descriptor": by_field("type"),
        "struct_specifier": by_field("name"), "class_specifier": by_field("name"), "enum_specifier": by_field("name"),
        "union_specifier": by_field("name"), "dependent_type": only_child, "dependent_name": only_child,
        "condition_clause": by_field("value"),
    },
    special={
        "call_expression": made, "qualified_identifier": _qualified, "template_type": _template,
        "new_expression": _typed, "cast_expression": _typed, "compound_literal_expression": _typed,
    },
)  # fmt: skip


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
