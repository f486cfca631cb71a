"""What a tool returns: a text for models, or a value for programs. Each fits into the budget.

Text from a repository is cleaned of characters that steer terminals or forge lines. The server's instructions tell
models that it is data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trackdown.surfaces.cli import one_line, sanitize
from trackdown.surfaces.mcp.fitting import cut, fit, room, text_size, value_size

_MORE = "… {count} more left out: raise max_tokens or narrow the request"
_MOST_NOTES = 5


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer in words and as a value. A caller gets one of the two."""

    text: str
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ListItem:
    """One entry of a list in its forms, the shortest first."""

    texts: tuple[str, ...]
    values: tuple[dict[str, Any], ...]


def list_answer(
    head: str, fields: dict[str, Any], key: str, notes: Sequence[str], items: Sequence[ListItem], max_tokens: int
) -> ToolAnswer:
    """A list as text and as a value; items that don't fit are counted."""
    bytes_left = room(max_tokens)
    told = fitting_notes(notes, bytes_left // 3)
    top = [cut(head, bytes_left // 3), *(f"note: {note}" for note in told)]
    rest = bytes_left - sum(map(text_size, top))
    body = fit([item.texts for item in items], rest, text_size)
    if len(body) < len(items):
        more = _MORE.format(count=len(items))
        body = fit([item.texts for item in items], rest - text_size(more), text_size)
        body.append(_MORE.format(count=len(items) - len(body)))
    value: dict[str, Any] = {**fields, "notes": told, key: [], "left_out": len(items)}
    shown = fit([item.values for item in items], bytes_left - value_size(value), value_size)
    value |= {key: shown, "left_out": len(items) - len(shown)}
    return ToolAnswer("\n".join([*top, *body]), value)


def fitting_notes(notes: Sequence[str], most_bytes: int) -> list[str]:
    """Notes in one line each, as many as fit as text and as JSON."""
    cleaned = [cut(one_line(note), 300) for note in notes[:_MOST_NOTES]]

    def size(note: str) -> int:
        return max(text_size(f"note: {note}"), value_size(note))

    return fit([(note,) for note in cleaned], most_bytes, size)


def refusal(message: str, max_tokens: int = 400) -> str:
    """An error in one line."""
    return cut(" ".join(sanitize(message).split()), room(max_tokens))
