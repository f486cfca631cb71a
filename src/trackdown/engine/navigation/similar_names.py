"""An unknown name → the most similar known names. Fast with fifty thousand names."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

_COMPARED = 200
_LIKE_ENOUGH = 0.55


def dotted_name(symbol: str) -> str:
    """A symbol with dots, from the notation of other languages and tools: `A::b`, `A#b`, `a.b()`."""
    return symbol.strip().removesuffix("()").replace("::", ".").replace("#", ".").strip(".")


def suggestion(names: Sequence[str]) -> str:
    """The end of an error message that offers names; empty if there are none."""
    return f"; nearest: {', '.join(names)}" if names else ""


def nearest_names(wanted: str, names: Iterable[str], separator: str, most: int = 5) -> list[str]:
    """The names most similar to the wanted one, best first.

    Of a longer name (`Session.load` for `lod`) only as many last parts are compared as the wanted name has. Pairs of
    letters select a few names, which are then compared letter by letter.
    """
    parts = wanted.count(separator) + 1
    target = wanted.lower()
    pairs = _pairs(target)
    by_end: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        by_end.setdefault(separator.join(name.split(separator)[-parts:]).lower(), []).append(name)
    alike = [(2 * len(pairs & own) / (len(pairs) + len(own)), end) for end in by_end if (own := _pairs(end))]
    matcher = SequenceMatcher(None, "", target, autojunk=False)
    found = []
    for _, end in heapq.nlargest(_COMPARED, alike):
        matcher.set_seq1(end)
        if matcher.real_quick_ratio() >= _LIKE_ENOUGH and (ratio := matcher.ratio()) >= _LIKE_ENOUGH:
            found.append((-ratio, end))
    return [name for _, end in sorted(found) for name in sorted(by_end[end], key=lambda name: (len(name), name))][:most]


def _pairs(name: str) -> frozenset[str]:
    """Neighbouring letters, with the ends marked."""
    framed = f"\0{name}\0"
    return frozenset(map("".join, pairwise(framed)))
