"""Answers that fit: roughly how many tokens a text has, and how much of a list there is room for.

Every model counts differently, and we have no model's tokenizer. We count 3.5 bytes of UTF-8 as a token, which is close
for code in English and on the safe side for prose; a Chinese character counts as most of a token.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

BYTES_PER_TOKEN = 3.5
T = TypeVar("T")


def tokens(text: str) -> int:
    """Roughly how many tokens a text has."""
    return math.ceil(len(text.encode("utf-8")) / BYTES_PER_TOKEN)


def room(max_tokens: int) -> int:
    """How many bytes this many tokens take."""
    return int(max_tokens * BYTES_PER_TOKEN)


def text_size(text: str) -> int:
    """The bytes of a line, including its end."""
    return len(text.encode("utf-8")) + 1


def value_size(value: Any) -> int:
    """The bytes of a value as compact JSON, including the comma after it."""
    return len(compact(value).encode("utf-8")) + 1


def compact(value: Any) -> str:
    """A value as JSON without blanks, as it goes over the wire."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def fit(items: Sequence[Sequence[T]], bytes_left: int, size: Callable[[T], int]) -> list[T]:
    """As many items as there is room for, in order; remaining room goes to longer forms.

    Each item comes in one or more forms, the shortest first. The answer has one form of each item that fits: all get
    the second form before any gets the third; where not all can have a form, first items come first.
    """
    chosen: list[int] = []
    for forms in items:
        cost = size(forms[0])
        if cost > bytes_left:
            break
        chosen.append(0)
        bytes_left -= cost
    for form in range(1, max(map(len, items), default=0)):
        for position, forms in enumerate(items[: len(chosen)]):
            if form < len(forms):
                more = size(forms[form]) - size(forms[chosen[position]])
                if more <= bytes_left:
                    chosen[position] = form
                    bytes_left -= more
    return [forms[form] for forms, form in zip(items, chosen, strict=False)]


def cut(text: str, most_bytes: int) -> str:
    """A text, or as much of its beginning as there is room for."""
    data = text.encode("utf-8")
    if len(data) <= most_bytes:
        return text
    return data[: max(0, most_bytes - 3)].decode("utf-8", "ignore") + "…" if most_bytes >= 3 else ""


def cut_value(text: str, most_bytes: int) -> str:
    """The same for a text that goes into JSON, where some characters are written as several."""
    text = cut(text, most_bytes)
    while text and value_size(text) > most_bytes:
        text = cut(text, len(text.encode("utf-8")) * 7 // 8)
    return text
