"""Types and expressions of Java as chains."""

from __future__ import annotations

import re

from tree_sitter import Node

from trackdown.units.references.blocks import BlockScope
from trackdown.units.references.syntax import field_of, text_of

COMMENTS = ("line_comment", "block_comment")
_ANNOTATION = re.compile(r"@[\w.]+(?:\s*\([^()]*\))?")
_LITERALS = {"string_literal": "String()", "class_literal": "Class()", "character_literal": "Character()"}


_MOST_PARTS = 24
"""The parts of a chain that are kept; those before them become `?`."""


def type_chain(node: Node | None, scope: BlockScope) -> str:
    """A type as written, without arguments and annotations; a type parameter is its bound."""
    name = type_name(text_of(node))
    plain = name.rstrip("[]")
    return "[]" * name.count("[") + scope.types.get(plain, plain)


def value_chain(node: Node | None, scope: BlockScope) -> str:
    """What an expression gives: the type itself where it is a construction or a cast."""
    if node is not None and node.type in ("object_creation_expression", "cast_expression"):
        return type_chain(field_of(node, "type"), scope)
    return expression_chain(node, scope)


def expression_chain(node: Node | None, scope: BlockScope) -> str:
    """An expression as the chain of its names; what cannot be said so is `?`."""
    parts: list[str] = []
    suffix = ""
    while node is not None and len(parts) < _MOST_PARTS and len(suffix) < _MOST_PARTS:
        kind = node.type
        if kind in ("identifier", "this", "super"):
            parts.append(scope.names.known_as(text_of(node)) + suffix)
            break
        if kind == "method_invocation":
            parts.append(f"{text_of(field_of(node, 'name'))}(){suffix}")
            if node.child_count > 5 and any(child.type == "super" for child in node.children[1:]):
                parts.append("super")  # Interface.super.method()
            node, suffix = field_of(node, "object"), ""
            if node is None:
                break
        elif kind == "field_access":
            parts.append(text_of(field_of(node, "field")) + suffix)
            node, suffix = field_of(node, "object"), ""
        elif kind == "array_access":
            node, suffix = field_of(node, "array"), suffix + "[]"
        elif (inner := _same_value(node)) is not None:
            node = inner
        else:
            parts.append(_head(node, scope) + suffix)
            break
    else:
        parts.append("?")
    return ".".join(reversed(parts))


def _head(node: Node, scope: BlockScope) -> str:
    """The beginning of a chain that isn't a name: a construction, a cast, a literal or a type."""
    if node.type in ("object_creation_expression", "cast_expression"):
        return (type_chain(field_of(node, "type"), scope) or "?") + "()"
    if node.type in ("type_identifier", "scoped_type_identifier", "generic_type", "array_type"):
        return type_chain(node, scope) or "?"
    return _LITERALS.get(node.type, "?")


def _same_value(node: Node) -> Node | None:
    """The part of an expression that has its value; None where there is none."""
    if node.type == "parenthesized_expression":
        return next((child for child in node.named_children if child.type not in COMMENTS), None)
    if node.type == "ternary_expression":
        first, second = field_of(node, "consequence"), field_of(node, "alternative")
        return second if first is not None and first.type == "null_literal" else first
    return field_of(node, "right") if node.type == "assignment_expression" else None


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
