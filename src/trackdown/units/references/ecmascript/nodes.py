"""Nodes of the syntax trees of JavaScript and TypeScript."""

from __future__ import annotations

from tree_sitter import Node

from trackdown.units.references.syntax import children_of, first_child, text_of

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_MOST_STEPS = 60
_THROUGH = frozenset(
    "parenthesized_expression non_null_expression await_expression as_expression satisfies_expression "
    "type_assertion instantiation_expression assignment_expression sequence_expression".split()
)
_ACTUAL = frozenset({"require", "jest.requireActual", "vi.importActual", "jest.requireMock", "import"})


def string_of(node: Node | None) -> str:
    """What a literal string holds; empty for anything else."""
    if node is None or node.type not in ("string", "template_string") or node.named_child_count > 1:
        return ""
    inner = first_child(node)
    return text_of(inner) if inner is not None and inner.type == "string_fragment" else ""


def inside(node: Node | None) -> tuple[Node | None, Node | None]:
    """The expression within brackets, `await`, `!`, `as`; and the type of the innermost cast."""
    cast: Node | None = None
    for _ in range(_MOST_STEPS):
        if node is None or node.type not in _THROUGH:
            return node, cast
        children = children_of(node)
        if not children:
            return None, cast
        kind = node.type
        if kind == "type_assertion":
            cast = first_child(children[0]) if cast is None else cast
            node = children[-1]
        elif kind in ("assignment_expression", "sequence_expression"):
            node = children[-1]
        else:
            if len(children) > 1 and cast is None and kind not in ("satisfies_expression", "instantiation_expression"):
                cast = children[1]
            node = children[0]
    return None, cast


def required(call: Node) -> str:
    """The module that `require('…')` or `import('…')` names; empty for other calls and for computed names."""
    function = call.child_by_field_name("function")
    if function is None or function.end_byte - function.start_byte > 20 or text_of(function) not in _ACTUAL:
        return ""
    arguments = children_of(call.child_by_field_name("arguments"))
    return string_of(arguments[0]) if arguments else ""
