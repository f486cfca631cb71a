"""Blanks out long repetitions in a source, on which grammars take quadratic time or worse."""

from __future__ import annotations

from bisect import bisect_left

LONGEST_REPETITION = 1024
"""A stretch that repeats the same few bytes for longer than this is blanked, except for its two ends."""
KEPT_ENDS = 256
"""How many bytes stay at each of the two ends, or up to a period more."""
LONGEST_PERIOD = 64
"""How many bytes may be repeated."""

_PROBE = 2 * LONGEST_PERIOD
_BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))


def without_repetitions(source: bytes) -> bytes:
    """The source with the middle of every long repetition replaced by spaces. Offsets and line numbers stay.

    `((((…` and a comment of a million `#` become short and harmless; a table of zeros keeps its braces.
    """
    if len(source) <= LONGEST_REPETITION:
        return source
    pieces = []
    position = 0
    for start, end, period in _repetitions(source):
        first = _after_a_token(source, start + KEPT_ENDS, period)
        last = first + (end - KEPT_ENDS - first) // period * period  # whole periods, so that quotes stay in pairs
        pieces += [source[position:first], source[first:last].translate(_BLANK)]
        position = last
    return b"".join([*pieces, source[position:]]) if pieces else source


def _after_a_token(source: bytes, position: int, period: int) -> int:
    """The next place where a blank splits no token, as it would split three quotes; if there is none, this one."""
    for mark in (b"\n", b" ", b","):
        found = source.find(mark, position, position + period)
        if found >= 0:
            return found + 1
    return position


def _repetitions(source: bytes) -> list[tuple[int, int, int]]:
    """(start, end, period) of the long stretches that repeat at most LONGEST_PERIOD bytes; the end is exclusive."""
    found: list[tuple[int, int, int]] = []
    step = LONGEST_REPETITION - 2 * _PROBE  # each long stretch contains at least one whole probe
    position = 0
    while position + _PROBE < len(source):
        again = source.find(source[position : position + _PROBE], position + 1, position + _PROBE + LONGEST_PERIOD)
        if again < 0:
            position += step
            continue
        period = again - position
        start, end = _extent(source, position, period)
        if end - start > LONGEST_REPETITION:
            found.append((max(start, found[-1][1]) if found else start, end, period))
        position = max(position + step, end)
    return [(start, end, period) for start, end, period in found if end - start > LONGEST_REPETITION]


def _extent(source: bytes, position: int, period: int) -> tuple[int, int]:
    """How far the stretch around `position`, in which every byte equals the one `period` later, reaches both ways."""
    size = len(source)

    def same(length: int) -> bool:
        return source[position : position + length] == source[position + period : position + period + length]

    length = _PROBE
    while position + period + 2 * length <= size and same(2 * length):
        length *= 2
    most = min(2 * length, size - period - position)
    end = position + period + bisect_left(range(most + 1), True, length, key=lambda n: not same(n)) - 1
    start = position
    while start > 0 and source[start - 1] == source[start - 1 + period]:
        start -= 1
    return start, min(end, size)
