"""As much of several diffs as fits into some lines: small ones whole, the beginnings of large ones."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_LINE = 500


def excerpts(diffs: Sequence[str], lines: int) -> list[tuple[str, int]]:
    """Each diff as far as it is shown, and how many of its lines are not. All together have at most `lines` lines.

    Each may have an equal share. What smaller ones leave goes to the larger ones. Long lines are cut.
    """
    split = [diff.removesuffix("\n").split("\n") if diff else [] for diff in diffs]
    shares = [0] * len(split)
    left, waiting = lines, len(split)
    for number in sorted(range(len(split)), key=lambda number: (len(split[number]), number)):
        shares[number] = min(len(split[number]), left // waiting)
        left -= shares[number]
        waiting -= 1
    return [("\n".join(map(_cut, one[:share])), len(one) - share) for one, share in zip(split, shares, strict=True)]


def _cut(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]}… ({len(line) - _LONGEST_LINE} more characters)"
