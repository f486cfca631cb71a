"""Where a source has string literals that may be messages, as the query over its syntax tree captures them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Language as Grammar
from tree_sitter import Node

LONGEST_BYTES = 960
"""Bytes of a literal that count."""
Span = tuple[int, int]
_LITERALS = frozenset(
    "string string_literal interpreted_string_literal raw_string_literal template_string verbatim_string_literal "
    "interpolated_string_expression interpolated_string encapsed_string heredoc_body nowdoc_string multiline_string "
    "multiline_string_literal line_string_literal multi_line_string_literal raw_string ansi_c_string "
    "translated_string charlist jsx_text".split()
)
_DOCUMENTATION = {
    "python": "(expression_statement (string) @documentation)",
    "julia": "(source_file (string_literal) @documentation) (module_definition (string_literal) @documentation)",
    "elixir": "(unary_operator operand: (call target: (identifier) @_name (arguments (string) @documentation)))",
}
_IN_MACRO = re.compile(rb'"((?:[^"\\\n]|\\.)*)"', re.S)


def literal_patterns(grammar: Grammar, language: str) -> str:
    """The patterns of a query that finds a language's string literals, and those that document code."""
    kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    patterns = "[" + " ".join(f"({kind})" for kind in sorted(_LITERALS & kinds)) + "] @literal"
    if language in ("c", "cpp"):
        patterns += "(preproc_arg) @macro"
    return patterns + _DOCUMENTATION.get(language, "")


def literals(captured: Iterable[Mapping[str, Sequence[Node]]], source: bytes) -> list[Span]:
    """Where string literals that may be messages begin and end, in order. Documentation is not among them."""
    spans: list[Span] = []
    documentation: set[int] = set()
    for captures in captured:
        for node in captures.get("literal", ()):
            spans.append((node.start_byte, node.end_byte))
        for node in captures.get("documentation", ()):
            documentation.add(node.start_byte)
        for node in captures.get("macro", ()):
            start = node.start_byte
            found = _IN_MACRO.finditer(source, start, min(node.end_byte, start + LONGEST_BYTES))
            spans += [match.span() for match in found]
    if documentation:
        # Only literals: what is quoted in a macro never begins where documentation does.
        spans = [span for span in spans if span[0] not in documentation]
    spans.sort()
    return [span for span, before in zip(spans, [(0, 0), *spans], strict=False) if span[1] != before[1]]
