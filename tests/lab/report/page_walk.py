"""A walk over a page: is every element closed, and what do its tables, links and pictures hold?"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "wbr", "link", "img"}


@dataclass
class WalkedTable:
    """A table: its caption, and its cells as plain text."""

    title: str = ""
    head: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


class Walk(HTMLParser):
    """Raises AssertionError where an element is not closed in its order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[str] = []
        self.tables: list[WalkedTable] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append(WalkedTable())
        if tag == "tr" and "tbody" in self.open:
            self.tables[-1].rows.append([])
        if tag in ("td", "th", "caption"):
            self._cell = []
        if tag == "span" and self._cell is not None:
            self._cell.append(" ")
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()
        if self._cell is not None and tag in ("td", "th", "caption"):
            text = " ".join("".join(self._cell).split())
            if tag == "caption":
                self.tables[-1].title = text
            elif "thead" in self.open:
                self.tables[-1].head.append(text)
            else:
                self.tables[-1].rows[-1].append(text)
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] != "style":
            self.text.append(data)
        if self._cell is not None:
            self._cell.append(data)


def walk(page: str) -> Walk:
    """Walk over a whole page."""
    found = Walk()
    found.feed(page)
    found.close()
    assert found.open == []
    return found
