"""HTML and SVG as text in which everything that is not markup of ours is escaped."""

from __future__ import annotations

import html
import json
import re
from typing import Any

_EMPTY = frozenset({"meta", "input", "br", "rect", "path", "line", "circle", "polyline", "polygon"})
_SEPARATED = re.compile(r"(?<=[/+_.:-])(?=[^/+_.:\s-])")

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Text without what would steer a terminal, turn its direction or not be UTF-8; lines stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


class Markup(str):
    """Text that is markup already. Only `element`, `joined` and `script_data` make it, and files of our own."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: str | float | bool | None) -> Markup:
    """An element. Children that are not markup are escaped; so are attributes.

    `class_` becomes class, `aria_label` aria-label. An attribute that is None or False is left out, one that is True
    has no value.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY and not children:
        return Markup(f"<{tag}{written}/>")
    return Markup(f"<{tag}{written}>{joined(*children)}</{tag}>")


def joined(*parts: str) -> Markup:
    """Parts one after the other; those that are not markup are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else html.escape(clean(part)) for part in parts))


def breakable(text: str) -> Markup:
    """A name that may break behind its separators, and not within its words as long as it need not."""
    return joined(*(piece for part in _SEPARATED.split(text) if part for piece in (part, Markup("<wbr/>"))))


def script_data(value: Any, name: str) -> Markup:
    """A value for a script to read, in an element that runs nothing and that no text in it can end."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(f'<script type="application/json" id="{html.escape(name)}">{text}</script>')


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = _short(value) if isinstance(value, float) else html.escape(clean(str(value)))
    return f' {name}="{text}"'


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
