"""Aligns a message with a text that may quote it: its placeholders filled in, wrapped over lines, cut at either end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trackdown.index import GAP

_FILLED = 16
"""Words of the text that may stand where the message has a placeholder."""
_FILLED_OUTSIDE = 8
"""Words that may stand where a message begins or ends with a placeholder."""
_SLIPPED = 2
"""Words that may stand between two words of the message elsewhere."""
_PLACES_TRIED = 60


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which words of a message a text says, and where. `run` is the number of them without anything between.

    `places` are the words' places in the message, and `spoken` those in the text. `filled` are the places in the text
    that stand in the message's gaps, gap by gap.
    """

    places: tuple[int, ...]
    run: int
    spoken: tuple[int, ...]
    filled: tuple[tuple[int, ...], ...] = ()

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last place in the text that the message accounts for."""
        places = [*self.spoken, *(place for gap in self.filled for place in gap)]
        return min(places), max(places)


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
    after = _extended(message, text, start + length, place + length, 1)
    before = _extended(message, text, start - 1, place - 1, -1)
    places = (*before.places, *range(start, start + length), *after.places)
    spoken = (*before.spoken, *range(place, place + length), *after.spoken)
    return Alignment(tuple(sorted(places)), length, tuple(sorted(spoken)), (*before.filled, *after.filled))


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


def _extended(message: Sequence[int], text: Sequence[int], start: int, place: int, step: int) -> Alignment:
    """The words of the message that follow in the text, forwards or backwards, and what stands in its gaps there."""
    found: list[int] = []
    spoken: list[int] = []
    filled: list[tuple[int, ...]] = []
    reach, in_gap = _SLIPPED, False
    while 0 <= start < len(message):
        word = message[start]
        if word == GAP:
            reach, in_gap = _FILLED, True
        else:
            seen = next((by for by in range(reach + 1) if _at(text, place + by * step) == word), None)
            if seen is None:
                reach += 1
            else:
                found.append(start)
                spoken.append(place + seen * step)
                if in_gap and seen:
                    filled.append(tuple(sorted(range(place, place + seen * step, step))))
                place += (seen + 1) * step
                reach, in_gap = _SLIPPED, False
        start += step
    if message and message[-1 if step > 0 else 0] == GAP and in_gap and reach == _FILLED:
        outer = (place + by * step for by in range(_FILLED_OUTSIDE))
        filled.append(tuple(sorted(at for at in outer if 0 <= at < len(text))))
    return Alignment(tuple(found), 0, tuple(spoken), tuple(gap for gap in filled if gap))


def _at(text: Sequence[int], place: int) -> int:
    return text[place] if 0 <= place < len(text) else GAP
