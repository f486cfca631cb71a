"""Types and expressions of Go as chains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

from trackdown.units.references.blocks import BlockScope
from trackdown.units.references.facts import UNKNOWN
from trackdown.units.references.syntax import field_of, text_of

_MOST_PARTS = 24
"""The parts of a chain that are kept; those before them become `?`."""


BASIC = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint"
    " uint8 uint16 uint32 uint64 uintptr".split()
)
_ELEMENTS = {
    "slice_type": "element",
    "array_type": "element",
    "implicit_length_array_type": "element",
    "map_type": "value",
    "channel_type": "value",
}


def listed(node: Node | None) -> list[Node]:
    """The members of a list, or the node itself where it is none."""
    if node is None:
        return []
    return [child for child in node.named_children if child.type != "comment"] if "list" in node.type else [node]


def constraints(node: Node, outer: Mapping[str, str]) -> Mapping[str, str]:
    """The constraints of all type parameters that are visible in a declaration."""
    parameters = field_of(node, "type_parameters")
    if parameters is None:
        return outer
    types = dict(outer)
    for parameter in parameters.named_children:
        said = field_of(parameter, "type")
        single = said.named_children[0] if said is not None and said.named_child_count == 1 else None
        constraint = (
            text_of(single) if single is not None and single.type in ("type_identifier", "qualified_type") else ""
        )
        for name in parameter.children_by_field_name("name"):
            types[text_of(name)] = UNKNOWN if constraint in BASIC else constraint
    return types


def receiver_types(node: Node, known: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The type parameters that a receiver names, with their constraints where `known` types say them."""
    text = text_of(field_of(node, "receiver"))
    if "[" not in text:
        return {}
    owner, _, rest = text.partition("[")
    names = [name.strip() for name in rest.split("]")[0].split(",")]
    constraints = [*known.get(re.split(r"\W", owner)[-1], ()), *[UNKNOWN] * len(names)]
    return dict(zip(names, constraints, strict=False))


def type_chain(node: Node | None, scope: BlockScope) -> str:
    """A type as a chain: without pointers and type arguments, `[]` before what has elements, UNKNOWN for functions."""
    prefix = ""
    while node is not None:
        kind = node.type
        if kind == "type_identifier":
            name = text_of(node)
            return prefix + scope.types.get(name, name)
        if kind == "qualified_type":
            return prefix + "".join(text_of(node).split())
        if kind == "generic_type":
            node = field_of(node, "type")
        elif kind in _ELEMENTS:
            node, prefix = field_of(node, _ELEMENTS[kind]), prefix + "[]"
        elif kind in ("pointer_type", "parenthesized_type", "negated_type") and node.named_children:
            node = node.named_children[-1]
        else:
            break
    return prefix + "?" if prefix else UNKNOWN


def value_chain(node: Node, scope: BlockScope) -> str:
    """What an expression gives: the type itself where it is a literal, a conversion or an assertion."""
    while node.type in ("unary_expression", "parenthesized_expression") and node.named_children:
        if node.children[0].type not in ("&", "*", "("):
            break
        node = node.named_children[-1]
    if node.type in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
        return type_chain(field_of(node, "type"), scope)
    if node.type == "call_expression" and text_of(field_of(node, "function")) == "make":
        arguments = listed(field_of(node, "arguments"))
        return type_chain(arguments[0], scope) if arguments else UNKNOWN
    return expression_chain(node, scope)


def expression_chain(node: Node | None, scope: BlockScope) -> str:
    """An expression as the chain of its names; what cannot be said so is `?`."""
    parts: list[str] = []
    suffix = ""
    while node is not None and len(parts) < _MOST_PARTS and len(suffix) < _MOST_PARTS:
        kind = node.type
        if kind == "identifier":
            name = text_of(node)
            parts.append((scope.types.get(name, "?") if name in scope.types else scope.names.known_as(name)) + suffix)
            break
        if kind == "selector_expression":
            parts.append(text_of(field_of(node, "field")) + suffix)
            node, suffix = field_of(node, "operand"), ""
        elif kind == "call_expression":
            function, arguments = field_of(node, "function"), listed(field_of(node, "arguments"))
            named = text_of(function) if function is not None and function.type == "identifier" else ""
            if named == "new" and arguments:
                parts.append(f"{_plain(_type_or_name(arguments[0], scope))}(){suffix}")
                break
            node, suffix = (arguments[0], suffix) if named == "append" and arguments else (function, "()" + suffix)
        elif kind == "index_expression":
            node, suffix = field_of(node, "operand"), "[]" + suffix
        elif kind in ("parenthesized_expression", "slice_expression") and node.named_children:
            node = node.named_children[0]
        elif kind == "unary_expression" and node.children[0].type in ("&", "*", "<-"):
            suffix = ("[]" if node.children[0].type == "<-" else "") + suffix
            node = node.named_children[-1] if node.named_children else None
        elif kind in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
            parts.append(f"{_plain(type_chain(field_of(node, 'type'), scope))}(){suffix}")
            break
        elif kind in ("generic_type", "type_instantiation_expression") and node.named_children:
            node = field_of(node, "type") or node.named_children[0]
        elif kind in ("type_identifier", "qualified_type"):
            parts.append(_plain(type_chain(node, scope)) + suffix)
            break
        else:
            parts.append("?")
            break
    else:
        parts.append("?")
    return ".".join(reversed(parts))


def _type_or_name(node: Node, scope: BlockScope) -> str:
    return (
        expression_chain(node, scope) if node.type in ("identifier", "selector_expression") else type_chain(node, scope)
    )


def _plain(type_: str) -> str:
    """A type at the head of a chain; a slice has no names to go on with."""
    return "?" if not type_ or type_.startswith("[]") else type_
