"""How nodes are written in every drawing. What comes from a repository is cleaned here and escaped where it is used."""

from __future__ import annotations

import re
import unicodedata

from trackdown.engine import Node
from trackdown.surfaces.cli import one_line

_UNWELCOME = re.compile(r"[\u2028\u2029\ufffe\uffff]")
ARROWS = {"out": "→", "in": "←"}


def clean(text: str) -> str:
    """A name on one line: no control or direction characters, and bytes that are not UTF-8 spelled out."""
    return _UNWELCOME.sub("\N{REPLACEMENT CHARACTER}", one_line(text))


def name_of(node: Node) -> str:
    """What a node is called: its symbol, or the last name of its path."""
    if node.symbol:
        return clean(node.symbol)
    last = node.path.rstrip("/").rpartition("/")[2]
    return clean(f"{last}/" if node.kind == "directory" else last)


def place_of(node: Node) -> str:
    """Where it is: path and lines."""
    lines = f":{node.start_line}-{node.end_line}" if node.symbol else ""
    return clean(f"{node.path}{lines}")


def columns(text: str) -> int:
    """How many columns of a monospaced font a text takes."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def cut_middle(text: str, most: int) -> str:
    """A text without its middle, if it takes more columns: both ends tell names apart."""
    if columns(text) <= most:
        return text
    return f"{_head(text, most // 2)}…{_head(text[::-1], most - 1 - most // 2)[::-1]}"


def cut_head(text: str, most: int) -> str:
    """A text without its beginning, if it takes more columns: the end of a path says most."""
    return text if columns(text) <= most else f"…{_head(text[::-1], most - 1)[::-1]}"


def _head(text: str, most: int) -> str:
    end, taken = 0, 0
    for sign in text:
        taken += columns(sign)
        if taken > most:
            break
        end += 1
    return text[:end]


def counted(number: int, what: str) -> str:
    """1 place, 2,000 places."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
