"""Types and expressions of Java as chains."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Node

from trackdown.units.references.gathered import MOST_PARTS, text_of

Types = Mapping[str, str]
"""The type parameters that are visible, with their bounds."""

COMMENTS = ("line_comment", "block_comment")
_ANNOTATION = re.compile(r"@[\w.]+(?:\s*\([^()]*\))?")
_LITERALS = {"string_literal": "String()", "class_literal": "Class()", "character_literal": "Character()"}


def type_chain(node: Node | None, types: Types) -> str:
    """A type as written, without arguments and annotations; a type parameter is its bound."""
    name = type_name(text_of(node))
    plain = name.rstrip("[]")
    return "[]" * name.count("[") + types.get(plain, plain)


def value_chain(node: Node | None, types: Types) -> str:
    """What an expression gives: the type itself where it is a construction or a cast."""
    if node is not None and node.type in ("object_creation_expression", "cast_expression"):
        return type_chain(node.child_by_field_name("type"), types)
    return expression_chain(node, types)


def expression_chain(node: Node | None, types: Types) -> str:
    """An expression as the chain of its names; what cannot be said so is `?`."""
    parts: list[str] = []
    suffix = ""
    while node is not None and len(parts) < MOST_PARTS:
        kind = node.type
        if kind in ("identifier", "this", "super"):
            parts.append(text_of(node) + suffix)
            break
        if kind == "method_invocation":
            parts.append(f"{text_of(node.child_by_field_name('name'))}(){suffix}")
            node, suffix = node.child_by_field_name("object"), ""
            if node is None:
                break
            beyond = node.next_named_sibling
            if beyond is not None and beyond.type == "super":  # Interface.super.method()
                parts.append("super")
        elif kind == "field_access":
            parts.append(text_of(node.child_by_field_name("field")) + suffix)
            node, suffix = node.child_by_field_name("object"), ""
        elif kind == "array_access":
            node, suffix = node.child_by_field_name("array"), suffix + "[]"
        elif (inner := _same_value(node)) is not None:
            node = inner
        else:
            parts.append(_head(node, types) + suffix)
            break
    else:
        parts.append("?")
    return ".".join(reversed(parts))


def _head(node: Node, types: Types) -> str:
    """The beginning of a chain that is no name: a construction, a cast, a literal or a type."""
    if node.type in ("object_creation_expression", "cast_expression"):
        return (type_chain(node.child_by_field_name("type"), types) or "?") + "()"
    if node.type in ("type_identifier", "scoped_type_identifier", "generic_type", "array_type"):
        return type_chain(node, types) or "?"
    return _LITERALS.get(node.type, "?")


def _same_value(node: Node) -> Node | None:
    """The part of an expression that has its value; None where there is none."""
    if node.type == "parenthesized_expression":
        return next((child for child in node.named_children if child.type not in COMMENTS), None)
    if node.type == "ternary_expression":
        first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        return second if first is not None and first.type == "null_literal" else first
    return node.child_by_field_name("right") if node.type == "assignment_expression" else None


def type_name(text: str) -> str:
    """`Outer<A>.Inner<B> []` → `Outer.Inner[]`."""
    if "@" in text:
        text = _ANNOTATION.sub(" ", text)
    if "<" in text:
        depth, kept = 0, []
        for char in text:
            depth += (char == "<") - (char == ">")
            if depth == 0 and char != ">":
                kept.append(char)
        text = "".join(kept)
    return text if text.isidentifier() else "".join(text.split())
