"""A ranking, judged: what every metric starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trackdown.lab.cases import Place


@dataclass(frozen=True, slots=True)
class Judged:
    """The ranks (from 1, ascending) at which relevant places stand, each once, and how many places are relevant."""

    ranks: tuple[int, ...]
    relevant: int


def judge(ranked: Sequence[Place], gold: Sequence[Place]) -> Judged:
    """Find each relevant place in a ranking. A rank answers for one place only, a place is found once.

    A place with a path is found by path and symbol, a bare name by any symbol that is it or ends with it.
    """
    exact = {(place.path, place.symbol) for place in gold if place.path}
    names = sorted({place.symbol for place in gold if not place.path}, key=lambda name: (-len(name), name))
    relevant = len(exact) + len(names)
    ranks = []
    for rank, place in enumerate(ranked, 1):
        key = (place.path, place.symbol)
        if key in exact:
            exact.discard(key)
            ranks.append(rank)
            continue
        name = next((name for name in names if f".{place.symbol}".endswith(f".{name}")), None)
        if name is not None:
            names.remove(name)
            ranks.append(rank)
    return Judged(tuple(ranks), relevant)
