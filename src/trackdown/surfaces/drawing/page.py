"""A neighbourhood as one self-contained page: style, picture and script are inside, and nothing is loaded. Without
scripts the picture and the list of edges still show."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from importlib import resources
from typing import Any

from trackdown.engine import EDGE_TYPES, HOWS, Edge, Neighbourhood, Node
from trackdown.pages import Markup, element, script_data
from trackdown.surfaces.drawing.coordinates import coordinates_of
from trackdown.surfaces.drawing.labels import clean, counted, name_of, place_of
from trackdown.surfaces.drawing.layout import drawing
from trackdown.surfaces.drawing.picture import legend_line, picture
from trackdown.surfaces.web import assets

_MOST_OPEN = 300
_SURE = {
    "exact": "resolved along declarations and imports",
    "scoped": "by what is in scope; other readings are possible",
    "name": "by name alone",
}
_KEYS = (
    "Drag to move, scroll or pinch to zoom. Keys: arrows move between nodes, Enter selects one, "
    "+ and \N{MINUS SIGN} zoom, 0 shows everything, / searches, Esc clears the selection."
)
_READING = (
    "Nodes that point to a start are on its left, those it points to on its right (above and below on a phone). "
    "D is a folder, F a file, C a class, ƒ a function."
)


def as_html(answer: Neighbourhood) -> str:
    """The page as one text with a line's end."""
    style, script = _own_file("page.css"), _script()
    drawn = drawing(answer)
    title = _title(answer)
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="trackdown graph"),
        element("title", f"{title}: graph"),
        element("style", Markup(style)),
    ]
    body = [
        _header(answer, title),
        _controls(answer),
        element(
            "main",
            element("div", picture(answer, drawn), class_="canvas", id="canvas"),
            element("aside", id="panel", aria_live="polite", aria_label="Selected place", hidden=True),
        ),
        _list(answer),
        element("footer", element("p", _READING), element("p", _KEYS, class_="keys", hidden=True)),
        script_data(_data(answer), "data"),
        element("script", Markup(script), type="module"),
    ]
    return f"<!DOCTYPE html>\n{element('html', element('head', *head), element('body', *body), lang='en')}\n"


def _own_file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _script() -> str:
    """One module: the canvas that the web page uses as well, and what only this page does."""
    return assets()["graph_canvas.js"].content.decode() + _own_file("page.js")


def _policy(style: str, script: str) -> str:
    """Only our own style and script, by their digests: if a name slipped through, it could do nothing."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _title(answer: Neighbourhood) -> str:
    return name_of(answer.starts[0]) if len(answer.starts) == 1 else clean(answer.target)


def _header(answer: Neighbourhood, title: str) -> Markup:
    facts = [place_of(answer.starts[0])] if len(answer.starts) == 1 else [counted(len(answer.starts), "start")]
    facts += [counted(len(answer.nodes), "place"), counted(len(answer.edges), "edge")]
    for one in answer.snapshots:
        state = f" at {one.commit[:10]}{', with changes' if one.dirty else ''}" if one.commit else ""
        facts.append(clean(f"{one.repository}{state}"))
    parts = [element("h1", title), element("p", " · ".join(facts), class_="soft")]
    if answer.notes:
        parts.append(element("ul", *(element("li", note) for note in answer.notes), class_="remarks"))
    return element("header", *parts)


def _controls(answer: Neighbourhood) -> Markup:
    types, hows = Counter(edge.type for edge in answer.edges), Counter(edge.how for edge in answer.edges)
    find = element(
        "label",
        "Find ",
        element("input", type="search", id="find", autocomplete="off", spellcheck="false"),
        element("output", id="found", for_="find"),
        class_="find",
    )
    zoom = [
        element("button", sign, type="button", id=name, aria_label=label, title=label)
        for name, sign, label in (
            ("smaller", "\N{MINUS SIGN}", "Zoom out"),
            ("larger", "+", "Zoom in"),
            ("fit", "Fit", "Show all"),
        )
    ]
    parts = [find]
    if types:
        parts.append(_choices("Edges", "type", [(one, types[one], "") for one in EDGE_TYPES]))
        parts.append(_choices("How sure", "how", [(one, hows[one], _SURE[one]) for one in HOWS]))
    return element("div", *parts, element("span", *zoom, class_="zoom"), class_="controls", hidden=True)


def _choices(title: str, name: str, rows: list[tuple[str, int, str]]) -> Markup:
    """Boxes to tick, for what there is."""
    shown = [
        element(
            "label",
            element("input", type="checkbox", checked=True, data_filter=name, value=value),
            legend_line(value),
            f"{value} ",
            element("span", f"{count:,}", class_="soft"),
            title=said or None,
        )
        for value, count, said in rows
        if count
    ]
    return element("fieldset", element("legend", title), *shown)


def _list(answer: Neighbourhood) -> Markup:
    """Every edge in words."""
    if not answer.edges:
        return element("p", "No edges.", id="list")
    head = element("tr", *(element("th", text, scope="col") for text in ("From", "Edge", "How sure", "To")))
    rows = [_row(edge) for edge in answer.edges]
    table = element("table", element("thead", head), element("tbody", *rows))
    return element(
        "details",
        element("summary", f"{counted(len(rows), 'edge')} as a list"),
        element("div", table, class_="scroll"),
        id="list",
        open=len(rows) <= _MOST_OPEN,
    )


def _row(edge: Edge) -> Markup:
    kind = element("td", element("span", edge.type, class_=f"tag {edge.type}"))
    return element("tr", _cell(edge.source), kind, element("td", edge.how), _cell(edge.target))


def _cell(node: Node) -> Markup:
    if not node.symbol:
        return element("td", element("span", place_of(node), class_="name"))
    return element(
        "td", element("span", name_of(node), class_="name"), " ", element("span", place_of(node), class_="soft")
    )


def _data(answer: Neighbourhood) -> dict[str, Any]:
    """Return what the script needs: nodes and edges by number, and where they are in either shape of the drawing."""
    numbers = {node: number for number, node in enumerate(answer.nodes)}
    starts = set(answer.starts)
    return {
        "nodes": [
            {
                "name": name_of(node),
                "place": place_of(node),
                "kind": node.kind,
                "start": node in starts,
                "at": f"{clean(node.path)}:{node.start_line}" if node.symbol else clean(node.path),
            }
            for node in answer.nodes
        ],
        "edges": [[numbers[edge.source], numbers[edge.target], edge.type, edge.how] for edge in answer.edges],
        "drawing": coordinates_of(answer),
    }
