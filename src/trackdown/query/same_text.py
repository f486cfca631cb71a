"""Whether two texts say the same, by the runs of words that they share."""

from __future__ import annotations

from trackdown.units import words

Runs = frozenset[tuple[str, ...]]
_LENGTH = 4
_FEWEST = 5
_OF_ONE, _OF_OTHER = 0.8, 0.6


def runs(text: str) -> Runs:
    """All runs of four words, in lower case."""
    said = [word.lower() for word in words(text)]
    return frozenset(tuple(said[start : start + _LENGTH]) for start in range(len(said) - _LENGTH + 1))


def is_short(text: Runs) -> bool:
    """Whether a text has less than about eight words: then it may be a name or a question by chance."""
    return len(text) < _FEWEST


def says_the_same(one: Runs, other: Runs) -> bool:
    """Whether the other text has nearly all of the first, and little else."""
    shared = len(one & other)
    return shared >= _OF_ONE * len(one) and shared >= _OF_OTHER * len(other)
