"""HTML and SVG as text in which everything that is not markup of ours is escaped."""

from __future__ import annotations

import html
import json
from typing import Any

from trackdown.surfaces.drawing.words import clean

_EMPTY = frozenset({"meta", "input", "rect", "path", "circle"})


class Markup(str):
    """Text that is markup already. Only the functions below make it, and files of our own."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: str | float | bool | None) -> Markup:
    """An element. Children that are not markup are escaped; so are attributes.

    `class_` becomes class, `aria_label` aria-label. An attribute that is None or False is left out, one that is True
    has no value.
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY and not children:
        return Markup(f"<{tag}{written}/>")
    inside = "".join(child if isinstance(child, Markup) else html.escape(clean(child)) for child in children)
    return Markup(f"<{tag}{written}>{inside}</{tag}>")


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
    text = f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else html.escape(clean(str(value)))
    return f' {name}="{text}"'
