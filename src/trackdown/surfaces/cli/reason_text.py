"""A reason with its numbers, for readers who asked to have the ranking explained."""

from __future__ import annotations

from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.types import Why


def explained(why: Why) -> str:
    """A reason in one line: the signal, its share of the score, what matched, and the numbers behind it."""
    share = f" {why.value:.2f}" if why.value else ""  # what only moved a result has no share in its score
    text = f": {one_line(why.text)}" if why.text else ""
    numbers = ", ".join(f"{one_line(name)} {round(value, 2):g}" for name, value in why.numbers.items())
    return f"{one_line(why.signal)}{share}{text}" + (f" ({numbers})" if numbers else "")
