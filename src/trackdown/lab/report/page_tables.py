"""Tables of a report as HTML: in a box that scrolls by itself, so that the page never does."""

from __future__ import annotations

from trackdown.lab.report.tables import REASONS, Cell, Table
from trackdown.pages.markup import Markup, breakable, element


def html_table(table: Table) -> Markup:
    """A table with its caption and headings."""
    classes = [_class(number < table.names, column) for number, column in enumerate(table.columns)]
    heads = (
        element("th", column, scope="col", class_=kind) for column, kind in zip(table.columns, classes, strict=True)
    )
    rows = (element("tr", *map(_cell, row, classes)) for row in table.rows)
    written = element(
        "table", element("caption", table.title), element("thead", element("tr", *heads)), element("tbody", *rows),
        class_="figures",
    )  # fmt: skip
    return element("div", written, class_="scroll", tabindex="0", role="region", aria_label=table.title)


def _class(is_name: bool, column: str) -> str | None:
    return "name" if is_name else "words" if column == REASONS else None


def _cell(cell: Cell, kind: str | None) -> Markup:
    if kind == "name":
        return element("th", breakable(cell.text), scope="row", class_=kind)
    interval = [element("span", cell.interval, class_="interval")] if cell.interval else []
    return element("td", cell.text, *interval, class_="best" if cell.best else kind)
