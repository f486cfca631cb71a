"""Cuts a file into windows of whole lines.

A passage is a pair of 1-based, inclusive line numbers. Tokens are counted the way `words` counts them.
"""

from __future__ import annotations

from trackdown.units.tokens import words

Passage = tuple[int, int]
WINDOW_TOKENS = 350


def split_lines(text: str, max_tokens: int = WINDOW_TOKENS, first_line: int = 1) -> list[Passage]:
    """Consecutive windows of whole lines with at most `max_tokens` tokens; a longer line gets a window of its own."""
    lines = _lines(text)
    if max_tokens >= max(1, len(words(text))):
        return [(first_line, first_line + len(lines) - 1)]
    return _windows(lines, max_tokens, first_line)


def _windows(lines: list[str], max_tokens: int, first_line: int) -> list[Passage]:
    if max_tokens < 1:
        raise ValueError("max_tokens must be at least 1")
    passages: list[Passage] = []
    start, held = first_line, 0
    for number, line in enumerate(lines, first_line):
        size = len(words(line)) if line else 0
        if held and held + size > max_tokens:
            passages.append((start, number - 1))
            start, held = number, 0
        held += size
    passages.append((start, first_line + len(lines) - 1))
    return passages


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines
