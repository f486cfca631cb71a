"""Take out of code what would give away the query that was made from it: docstrings, comments that repeat it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

_COMMENTS = frozenset({"line_comment", "block_comment", "comment"})
_DOCUMENTED = frozenset({"module", "function_definition", "class_definition"})
_WORD = re.compile(r"[a-z0-9]+")
_SHARE = 0.8


@cache
def parser(module: str) -> Parser:
    """The parser of a grammar's module, `tree_sitter_python` for one."""
    return Parser(Language(import_module(module).language()))


def nodes(root: Node) -> Iterable[Node]:
    """A node and all below it, in document order; no depth is too deep."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def without_docstrings(code: str) -> str:
    """Python code without the docstrings of its functions and classes. Broken code and Python 2 are read too."""
    source = code.encode("utf-8", "replace")
    spans = [
        (text.start_byte, text.end_byte)
        for node in nodes(parser("tree_sitter_python").parse(source).root_node)
        if node.type in _DOCUMENTED and (text := _docstring(node)) is not None
    ]
    return _cut(source, spans)


def without_comments_like(code: str, query: str) -> tuple[str, int]:
    """(Java code without the comments that hold most of a query's words, how many those were)."""
    source = code.encode("utf-8", "replace")
    wanted = set(_WORD.findall(query.lower()))
    if not wanted:
        return code, 0
    spans = []
    for node in nodes(parser("tree_sitter_java").parse(source).root_node):
        if node.type in _COMMENTS:
            held = set(_WORD.findall((node.text or b"").decode("utf-8", "replace").lower()))
            if len(wanted & held) >= _SHARE * len(wanted):
                spans.append((node.start_byte, node.end_byte))
    return _cut(source, spans), len(spans)


def _docstring(node: Node) -> Node | None:
    """The statement at the beginning of a body that is a text and nothing else."""
    body = node if node.type == "module" else node.child_by_field_name("body")
    first = next((child for child in body.named_children if child.type != "comment"), None) if body else None
    if first is None or first.type != "expression_statement" or first.named_child_count != 1:
        return None
    return first if first.named_children[0].type in ("string", "concatenated_string") else None


def _cut(source: bytes, spans: Iterable[tuple[int, int]]) -> str:
    kept, place = [], 0
    for start, end in spans:
        kept.append(source[place:start])
        place = end
    return b"".join([*kept, source[place:]]).decode("utf-8", "replace")
