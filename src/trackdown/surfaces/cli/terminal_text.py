"""Makes text safe to print: content of a repository must not control the terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Sanitize a name or a subject, and drop line breaks and tabs, which could forge lines of ours."""
    return re.sub(r"[\n\t]", "\N{REPLACEMENT CHARACTER}", sanitize(text))


def sanitize(text: str) -> str:
    """Drop control and direction characters, and spell out undecodable bytes."""
    text = text.encode("utf-8", "backslashreplace" if _has_surrogates(text) else "strict").decode()
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def human_bytes(size: float) -> str:
    """Format a size for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
