"""A neighbourhood as a picture that is a file of its own: SVG with its styles inside, and a legend."""

from __future__ import annotations

from collections.abc import Iterator

from trackdown.engine import EDGE_TYPES, HOWS, Neighbourhood
from trackdown.pages import Markup, element
from trackdown.surfaces.drawing.labels import clean
from trackdown.surfaces.drawing.layout import drawing
from trackdown.surfaces.drawing.picture import MARGIN, layers, summary

_EDGES = {"contains": "#7c8792", "imports": "#1f8f5e", "invokes": "#1e58be", "inherits": "#c26f00"}
_NODES = {"directory": "#5a636d", "file": "#1f8f5e", "class": "#5d0056", "function": "#1e58be"}
_LEGEND_HEIGHT, _LEGEND_STEP = 36.0, 110.0

# Written out for each type: programs that convert SVG don't know variables of CSS.
_STYLE = "\n".join(
    [
        "text { font-family: Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1c2024; }",
        ".name { font-size: 12.5px; font-weight: 600; }",
        ".place { font-size: 10.5px; fill: #5a636d; }",
        ".letter { font: 700 11.5px sans-serif; fill: #ffffff; text-anchor: middle; }",
        ".shape { fill: #f5f7f9; stroke: #d9dee3; }",
        ".start > .shape { fill: #fff3c9; stroke: #1c2024; stroke-width: 1.75; }",
        ".edge { fill: none; stroke: #1c2024; stroke-width: 1.4; }",
        ".edge.scoped { stroke-dasharray: 7 4; }",
        ".edge.name { stroke-dasharray: 1.5 4; stroke-linecap: round; stroke-width: 1.8; }",
        *(f".{kind} > .badge {{ fill: {colour}; }}" for kind, colour in _NODES.items()),
        *(f".edge.{type_} {{ stroke: {colour}; }}" for type_, colour in _EDGES.items()),
        *(f".end.{type_} {{ fill: {colour}; stroke: {colour}; }}" for type_, colour in _EDGES.items()),
        *(
            f".edge.{type_} {{ marker-{'start' if type_ == 'contains' else 'end'}: url(#end-{type_}); }}"
            for type_ in _EDGES
        ),
        ".end.inherits { fill: #ffffff; stroke-width: 1.4; }",
        ".end.imports { fill: none; stroke-width: 1.6; }",
    ]
)


def as_svg(answer: Neighbourhood) -> str:
    """The picture as one text with a line's end."""
    drawn = drawing(answer)
    samples = list(_legend(answer, drawn.height + MARGIN))
    width = max(drawn.width, len(samples) * _LEGEND_STEP) + 2 * MARGIN
    height = drawn.height + (_LEGEND_HEIGHT if samples else 0.0) + 2 * MARGIN
    picture = element(
        "svg",
        element("title", f"{clean(answer.target)}: {summary(answer)}"),
        element("style", Markup(_STYLE)),
        element("rect", x=-MARGIN, y=-MARGIN, width=width, height=height, fill="#ffffff"),
        *layers(answer, drawn),
        *samples,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"{-MARGIN:.0f} {-MARGIN:.0f} {width:.0f} {height:.0f}",
        width=width,
        height=height,
    )
    return f"{picture}\n"


def _legend(answer: Neighbourhood, y: float) -> Iterator[Markup]:
    """A line for each type of edge and each degree of sureness that occurs, with its name."""
    types, hows = {edge.type for edge in answer.edges}, {edge.how for edge in answer.edges}
    shown: list[str] = [one for one in EDGE_TYPES if one in types] + [one for one in HOWS if one in hows]
    for number, look in enumerate(shown):
        line = element("path", d="M0 0H34", class_=f"edge {look}")
        word = element("text", look, x="42", y="4", class_="place")
        yield element("g", line, word, transform=f"translate({number * _LEGEND_STEP:.0f} {y:.0f})")
