"""A neighbourhood in Graphviz's language: `trackdown graph X --format dot | dot -Tsvg`."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.engine import Neighbourhood, Node
from trackdown.surfaces.drawing.labels import clean, name_of, place_of

_SHAPES = {"directory": "folder", "file": "note", "class": "component", "function": "box"}
_COLOURS = {"contains": "#5a636d", "imports": "#2aa670", "invokes": "#1e58be", "inherits": "#d28106"}
_HEADS = {"contains": "none", "imports": "vee", "invokes": "normal", "inherits": "empty"}
_LINES = {"exact": "solid", "scoped": "dashed", "name": "dotted"}


def as_dot(answer: Neighbourhood) -> str:
    """A directed graph; nodes get names we choose, and everything else is in quotes."""
    return "\n".join(_lines(answer)) + "\n"


def _lines(answer: Neighbourhood) -> Iterator[str]:
    numbers = {node: f"n{number}" for number, node in enumerate(answer.nodes)}
    starts = set(answer.starts)
    yield f"digraph {_quoted(answer.target)} {{"
    yield '  graph [rankdir="LR", charset="UTF-8"];'
    yield '  node [fontname="monospace", fontsize="10", style="rounded"];'
    yield '  edge [fontname="sans-serif", fontsize="8"];'
    for node, number in numbers.items():
        width = ', penwidth="2.5"' if node in starts else ""
        shape = _SHAPES.get(node.kind, "box")
        yield f'  {number} [label={_label(node)}, tooltip={_quoted(node.id)}, shape="{shape}"{width}];'
    for edge in answer.edges:
        tail = ', dir="both", arrowtail="diamond"' if edge.type == "contains" else ""
        yield (
            f'  {numbers[edge.source]} -> {numbers[edge.target]} [label="{edge.type}", color="{_COLOURS[edge.type]}", '
            f'style="{_LINES[edge.how]}", arrowhead="{_HEADS[edge.type]}"{tail}];'
        )
    yield "}"


def _label(node: Node) -> str:
    return f'"{_escaped(name_of(node))}\\n{_escaped(place_of(node))}"'


def _quoted(text: str) -> str:
    return f'"{_escaped(clean(text))}"'


def _escaped(text: str) -> str:
    """Text that neither ends a string nor means a line's end, another name (`\\N`) or a character (`&lt;`)."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
