"""A drawing as SVG."""

from __future__ import annotations

from trackdown.engine import Neighbourhood
from trackdown.pages import Markup, element
from trackdown.surfaces.drawing.labels import counted, name_of, place_of
from trackdown.surfaces.drawing.layout import HEIGHT, LEFT, Box, Drawing

_BADGES = {"directory": "D", "file": "F", "class": "C", "function": "ƒ"}
MARGIN = 24.0

# The signs at the ends of edges are those of UML: a diamond where something contains, an open arrow where it imports,
# a full one where it calls, a hollow one where it inherits.
_ENDS = {
    "contains": ("M0 4L5 0L10 4L5 8z", 0.0),
    "imports": ("M1 0L9 4L1 8", 9.0),
    "invokes": ("M0 0L9 4L0 8z", 9.0),
    "inherits": ("M0 0L10 4L0 8z", 10.0),
}


def picture(answer: Neighbourhood, drawn: Drawing) -> Markup:
    """The whole picture in a page, which has the styles and lists the same edges below."""
    label = f"{summary(answer)}; the list below says the same"
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    return element(
        "svg",
        *layers(answer, drawn),
        viewBox=f"{-MARGIN:.0f} {-MARGIN:.0f} {width:.0f} {height:.0f}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        id="picture",
    )


def summary(answer: Neighbourhood) -> str:
    """How much there is to see, in words."""
    return f"{counted(len(answer.nodes), 'place')} and {counted(len(answer.edges), 'edge')}"


def layers(answer: Neighbourhood, drawn: Drawing) -> tuple[Markup, Markup]:
    """The ends of edges, and everything that is drawn. Lines lie below boxes, so that no label is crossed."""
    starts = set(answer.starts)
    lines = [
        element("path", d=path, class_=f"edge {edge.type} {edge.how}")
        for path, edge in zip(drawn.paths, answer.edges, strict=True)
    ]
    boxes = [_box(number, box, start=box.node in starts) for number, box in enumerate(drawn.boxes)]
    return (
        element("defs", *(_end(type_) for type_ in _ENDS)),
        element("g", element("g", *lines), element("g", *boxes), id="view"),
    )


def legend_line(look: str) -> Markup:
    """A short line that shows how edges of a type look, or those that are so sure."""
    line = element("path", d="M3 6H33", class_=f"edge {look}")
    return element("svg", line, viewBox="0 0 36 12", width="36", height="12", class_="sample", aria_hidden="true")


def _end(type_: str) -> Markup:
    path, tip = _ENDS[type_]
    return element(
        "marker",
        element("path", d=path, class_=f"end {type_}"),
        id=f"end-{type_}",
        viewBox="-1 -1 12 10",
        refX=tip,
        refY="4",
        markerWidth="11",
        markerHeight="9",
        markerUnits="userSpaceOnUse",
        orient="auto",
    )


def _box(number: int, box: Box, *, start: bool) -> Markup:
    node = box.node
    return element(
        "g",
        element("title", f"{name_of(node)}\n{place_of(node)}" if node.symbol else place_of(node)),
        element("rect", width=box.width, height=HEIGHT, rx="6", class_="shape"),
        element("rect", x="7", y="9", width="17", height="18", rx="4", class_="badge"),
        element("text", _BADGES.get(node.kind, "·"), x="15.5", y="22", class_="letter"),
        element("text", box.name, x=LEFT, y="15.5", class_="name"),
        element("text", box.place, x=LEFT, y="29", class_="place"),
        transform=f"translate({box.x:.1f} {box.y:.1f})",
        class_=f"node {node.kind}{' start' if start else ''}",
        data_n=str(number),
    )
