"""Aligns a message with a text that may quote it: its placeholders filled in, wrapped over lines, cut at either end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trackdown.index import GAP

_FILLED = 16
"""Words of the text that may stand where the message has a placeholder."""
_SLIPPED = 2
"""Words that may stand between two words of the message elsewhere."""
_PLACES_TRIED = 60


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which words of a message a text says, and where. `run` is the longest row of them without anything between.

    `places` are the words' places in the message; the text says them from the word `first` to the word `last`.
    """

    places: tuple[int, ...]
    run: int
    first: int
    last: int


def align(
    message: Sequence[int], text: Sequence[int], where: Mapping[int, Sequence[int]], weights: Mapping[int, float]
) -> Alignment | None:
    """The best alignment around the run of words that weighs most; None if the two share no word.

    `where` has the places of each word in the text.
    """
    found = _heaviest_run(message, text, where, weights)
    if found is None:
        return None
    start, place, length = found
    places = list(range(start, start + length))
    after, last = _extended(message, text, start + length, place + length, 1)
    before, first = _extended(message, text, start - 1, place - 1, -1)
    return Alignment(tuple(sorted([*before, *places, *after])), length, first + 1, last - 1)


def _heaviest_run(
    message: Sequence[int], text: Sequence[int], where: Mapping[int, Sequence[int]], weights: Mapping[int, float]
) -> tuple[int, int, int] | None:
    """(place in the message, place in the text, number of words) of the shared run that weighs most."""
    best: tuple[int, int, int] | None = None
    heaviest = 0.0
    for start, word in enumerate(message):
        for place in where.get(word, ())[:_PLACES_TRIED]:
            if start and place and message[start - 1] == text[place - 1]:
                continue  # a run that began earlier
            length, weight = 0, 0.0
            while (
                start + length < len(message)
                and place + length < len(text)
                and message[start + length] == text[place + length]
            ):
                weight += weights.get(message[start + length], 0.0)
                length += 1
            if weight > heaviest:
                best, heaviest = (start, place, length), weight
    return best


def _extended(message: Sequence[int], text: Sequence[int], start: int, place: int, step: int) -> tuple[list[int], int]:
    """The words of the message that follow in the text, forwards or backwards, and the first place behind them."""
    found: list[int] = []
    reach = _SLIPPED
    while 0 <= start < len(message):
        word = message[start]
        if word == GAP:
            reach = _FILLED
        else:
            seen = next((by for by in range(reach + 1) if _at(text, place + by * step) == word), None)
            if seen is not None:
                found.append(start)
                place += (seen + 1) * step
                reach = _SLIPPED
            else:
                reach += 1
        start += step
    return found, place


def _at(text: Sequence[int], place: int) -> int:
    return text[place] if 0 <= place < len(text) else GAP
