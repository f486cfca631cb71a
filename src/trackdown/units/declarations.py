"""Which definitions only declare something: overloads, abstract methods, and those of interfaces and protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Node

_MOST_STATEMENTS = 4
_SIGNATURES = frozenset(
    "function_signature method_signature abstract_method_signature method_elem function_signature_item "
    "protocol_function_declaration".split()
)
"""Nodes that never have a body, in TypeScript, Go, Rust and Swift."""


def only_declares(node: Node, language: str) -> bool:
    """Whether a function's definition has no code of its own, so that what it does is written elsewhere."""
    if node.type in _SIGNATURES:
        return True
    look = _BODILESS.get(language)
    return look is not None and look(node)


def _python(node: Node) -> bool:
    """An overload, or a function whose body is only a docstring, `...`, `pass` or `raise NotImplementedError`."""
    body = node.child_by_field_name("body")
    if body is not None and body.named_child_count <= _MOST_STATEMENTS and all(map(_says_nothing, body.named_children)):
        return True
    outer = node.parent
    return outer is not None and outer.type == "decorated_definition" and any(map(_is_overload, outer.named_children))


def _is_overload(node: Node) -> bool:
    return node.type == "decorator" and (node.text or b"").rstrip().endswith(b"overload")


def _says_nothing(statement: Node) -> bool:
    if statement.type in ("pass_statement", "comment"):
        return True
    inner = statement.named_child(0) if statement.named_child_count else None
    if inner is None:
        return False
    if statement.type == "expression_statement":
        return inner.type in ("string", "ellipsis", "concatenated_string")
    return statement.type == "raise_statement" and (inner.text or b"").startswith(b"NotImplementedError")


def _ruby(node: Node) -> bool:
    """A method that only raises NotImplementedError."""
    body = node.child_by_field_name("body")
    if body is None or body.named_child_count != 1:
        return False
    text = (body.text or b"")[:60].split()
    return text[:1] == [b"raise"] and b"NotImplementedError" in b" ".join(text[1:2])


def _method_without_body(node: Node) -> bool:
    return node.type == "method_declaration" and node.child_by_field_name("body") is None


def _kotlin(node: Node) -> bool:
    if node.type != "function_declaration":
        return False
    last = node.named_child(node.named_child_count - 1) if node.named_child_count else None
    return last is None or last.type != "function_body"


def _scala(node: Node) -> bool:
    return node.type == "function_declaration"


_BODILESS: Mapping[str, Callable[[Node], bool]] = {
    "python": _python,
    "ruby": _ruby,
    "java": _method_without_body,
    "csharp": _method_without_body,
    "php": _method_without_body,
    "kotlin": _kotlin,
    "scala": _scala,
}
