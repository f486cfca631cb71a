"""Three ways to cut a file into passages: line windows, functions, and at random (systems 1 and 2).

A passage is a pair of 1-based, inclusive line numbers. Tokens are counted as `words` counts them.
"""

from __future__ import annotations

import random

from trackdown.units.tokens import words

Passage = tuple[int, int]
WINDOW_TOKENS = 350


def split_lines(text: str, max_tokens: int = WINDOW_TOKENS, first_line: int = 1) -> list[Passage]:
    """Consecutive windows of whole lines with at most `max_tokens` tokens; a longer line stands alone."""
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


def split_functions(text: str, functions: list[Passage], max_tokens: int = WINDOW_TOKENS) -> list[Passage]:
    """The given outermost functions, each cut to windows, and windows over what lies between them."""
    lines = _lines(text)
    passages: list[Passage] = []
    position = 1
    for start, end in sorted(functions):
        if start < position or start > len(lines):
            continue
        end = min(end, len(lines))
        for first, last in ((position, start - 1), (start, end)):
            if first <= last:
                passages += _windows(lines[first - 1 : last], max_tokens, first)
        position = end + 1
    if position <= len(lines):
        passages += _windows(lines[position - 1 :], max_tokens, position)
    return passages


def split_random(text: str, max_tokens: int = WINDOW_TOKENS, *, seed: int = 0) -> list[Passage]:
    """Windows of random sizes between one line and `max_tokens` tokens; the same seed gives the same cut."""
    generator = random.Random(seed)
    passages: list[Passage] = []
    for start, end in split_lines(text, max_tokens):
        while start <= end:
            stop = generator.randint(start, end)
            passages.append((start, stop))
            start = stop + 1
    return passages


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines
