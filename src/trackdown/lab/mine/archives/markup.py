"""Markup of trackers → text with Markdown's code fences: HTML pages, XML, and the wiki markup of Jira and YouTrack."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from xml.etree import ElementTree

_LARGEST_PAGE = 2 << 20
_DEEPEST = 400
_MOST_UNCLOSED = 1000
_UNCLOSED = re.compile(rb"<(?:[A-Za-z/!?][^<>]*(?=<|\Z)|!\[)")
"""Tags that no `>` ends, and marked sections: the parser looks for the end of each in all of the rest of the page."""

_BLOCKS = frozenset("blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p table td th tr ul".split())
_CLOSED_BY_THE_NEXT = frozenset("dd dt li option p td th tr".split())
_SIGNS = {"pre": "\n```\n", "li": "\n- "}
_SILENT = frozenset({"script", "style"})
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class Page(HTMLParser):
    """Collects the texts of wanted elements of an HTML page; the first of each name counts.

    `wanted` maps a tag, a class or an id to the name under which `found` has the text; `name mark` is one inside the
    element of that name. `links` are the addresses of links, each with the text before it.
    """

    def __init__(self, wanted: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self.found: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []
        self._wanted = wanted
        self._stack: list[str] = []
        self._open: dict[str, tuple[int, list[str]]] = {}
        self._said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin to collect, or begin a line. Raises ValueError for a page that nests too deeply."""
        if tag in _CLOSED_BY_THE_NEXT and self._stack[-1:] == [tag]:
            self.handle_endtag(tag)
        self._add(_SIGNS.get(tag, "\n" if tag in _BLOCKS else ""))
        values = {name: value or "" for name, value in attrs}
        if tag == "a" and values.get("href"):
            self.links.append((self._said, values["href"]))
        if tag in _VOID:
            return
        self._stack.append(tag)
        if len(self._stack) > _DEEPEST:
            raise ValueError("the page nests too deeply")
        around = ["", *(f"{name} " for name in self._open)]
        for mark in (tag, *values.get("class", "").split(), values.get("id", "")):
            for name in filter(None, (self._wanted.get(f"{outer}{mark}") for outer in around)):
                if name not in self.found and name not in self._open:
                    self._open[name] = (len(self._stack), [])

    def handle_endtag(self, tag: str) -> None:
        """End an element and all in it that were left open."""
        if tag not in self._stack:
            return
        while self._stack.pop() != tag:
            pass
        for name in [name for name, (depth, _) in self._open.items() if depth > len(self._stack)]:
            self.found[name] = "".join(self._open.pop(name)[1])
        self._add(_SIGNS["pre"] if tag == "pre" else "\n" if tag in _BLOCKS else "")

    def handle_data(self, data: str) -> None:
        """Collect text."""
        if self._stack and self._stack[-1] in _SILENT:
            return
        self._said = data.strip() or self._said
        self._add(data)

    def close(self) -> None:
        """End the page, and with it what was left open."""
        super().close()
        while self._stack:
            self.handle_endtag(self._stack[-1])

    def _add(self, text: str) -> None:
        for _, parts in self._open.values():
            parts.append(text)


def read_page(data: bytes, wanted: Mapping[str, str]) -> Page:
    """A page with the wanted texts of it. Raises ValueError for one that is too large, too deep or broken."""
    if len(data) > _LARGEST_PAGE:
        raise ValueError("the page is too large")
    if sum(1 for _ in _UNCLOSED.finditer(data)) > _MOST_UNCLOSED:
        raise ValueError("the page has too many unclosed tags")
    page = Page(wanted)
    try:
        page.feed(_without_open_end(data).decode("utf-8", "replace"))
        page.close()
    except AssertionError as error:  # how html.parser refuses `<![x`
        raise ValueError(str(error)) from None
    return page


def _without_open_end(data: bytes) -> bytes:
    """A page up to the first tag after its last `>`: no browser shows that tag, and the parser takes long to see it."""
    found = _UNCLOSED.search(data, data.rfind(b">") + 1)
    return data[: found.start()] if found else data


def plain_html(text: str) -> str:
    """The text of a piece of HTML. Raises ValueError like `read_page`."""
    return read_page(f"<main>{text}</main>".encode(), {"main": "all"}).found.get("all", "")


def read_xml(data: bytes) -> ElementTree.Element:
    """The root of a document. Raises ValueError for a broken one, and for one that defines entities.

    Documents in UTF-16 or UTF-32 are refused, too: entities would go unseen in them.
    """
    if b"\0" in data:
        raise ValueError("the document has NUL bytes")
    if b"<!ENTITY" in data:
        raise ValueError("the document defines entities")
    try:
        return ElementTree.fromstring(data.removeprefix(b"\xef\xbb\xbf"))
    except (ElementTree.ParseError, LookupError) as error:  # LookupError: nobody knows its encoding
        raise ValueError(str(error)) from None


_WIKI = (
    (re.compile(r"\{(?:code|noformat)(?::[^}\n]{0,80})?\}"), "\n```\n"),
    (re.compile(r"\{(?:color|panel|quote)(?::[^}\n]{0,80})?\}"), ""),
    (re.compile(r"^h[1-6]\.[ \t]*", re.M), ""),
    (re.compile(r"!\S{1,200}?\.(?:png|jpe?g|gif)(?:\|[^!\n]{0,80})?!", re.I), ""),
    (re.compile(r"\[~[^\]\n]{1,80}\]"), ""),
    (re.compile(r"\[([^|\]\n]{1,200})\|(https?://[^\]\s|]{1,500})[^\]\n]{0,80}\]"), r"\1 (\2)"),
    (re.compile(r"\{\{([^\n{}]{1,300})\}\}"), r"`\1`"),
)


def plain_wiki(text: str) -> str:
    """Jira's and YouTrack's markup as Markdown; what stands between `{html}` is read as HTML."""
    if "{html}" in text:
        pieces = text.split("{html}")
        text = "".join(plain_html(piece) if number % 2 else piece for number, piece in enumerate(pieces))
    for pattern, replacement in _WIKI:
        text = pattern.sub(replacement, text)
    return text
