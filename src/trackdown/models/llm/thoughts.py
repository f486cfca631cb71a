"""What a model writes before it answers, between <think> and </think>."""

from __future__ import annotations

import re

_THOUGHTS = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)


def without_thoughts(text: str) -> str:
    """A text without the thoughts that it begins with. Thoughts that never end leave nothing."""
    found = _THOUGHTS.match(text)
    return text if found is None else text[found.end() :]
