"""SpIDER: promotes code that is close to the best results in the code's structure.

Chaudhari et al., "SpIDER: spatially informed dense embedding retrieval for software issue localization". The first C of
the first K are centres. A candidate within d edges of a centre and among the first N is a neighbour. A
selector picks some; they move directly below their centre, and as many of the lowest non-centres leave the first K. On
BM25 alone this is the paper's SpISR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from trackdown.graph import EdgeType, How

Selector = Literal["none", "scores", "cross-encoder", "llm"]
SIGNAL = "graph"


@dataclass(frozen=True, slots=True)
class Expansion:
    """K, C, d and N, the edges to walk, and the selector.

    `depth` counts edges along *contains* (at class level 2 at most, as in the paper), `hops` those along all others.
    `threshold` is for the selector `scores`: a neighbour must have at least this share of its centre's score. The
    selectors `cross-encoder`, which wants `relevant` of each, and `llm` read the first `read` neighbours of a centre;
    without such a model, scores decide. `each` is the most neighbours that a centre may promote.
    """

    window: int = 20
    centres: int = 5
    depth: int = 4
    hops: int = 1
    among: int = 500
    edges: tuple[EdgeType, ...] = ("contains",)
    hows: tuple[How, ...] = ("exact", "scoped")
    direction: Literal["in", "out", "both"] = "both"
    selector: Selector = "scores"
    threshold: float = 0.7
    each: int = 3
    relevant: float = 0.5
    read: int = 20


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate at its new place. `before` is its rank until now, `centre` the candidate that drew it, or None."""

    candidate: int
    before: int
    centre: int | None = None
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A candidate near a centre, and how the two are related, in words."""

    candidate: int
    relation: str


Neighbours = Callable[[int, Sequence[int]], list[Neighbour]]
"""(centre, possible neighbours) → its neighbours, in the order of the candidates."""


Reader = Callable[[Sequence[int]], Sequence[float]]
"""Candidates → a model's relevance for each, from 0 to 1."""
Chooser = Callable[[Sequence[Sequence[int]]], Sequence[Sequence[int] | None]]
"""The neighbours of each centre → a model's picks, best first; None where its answer was unusable."""


def expand_spider(
    ranked: Sequence[int],
    scores: Sequence[float],
    neighbours: Neighbours,
    settings: Expansion,
    reader: Reader | None = None,
    chooser: Chooser | None = None,
) -> list[Placed]:
    """Reorder a ranking. All candidates stay in it: those that leave the first K follow directly behind them."""
    window = min(settings.window, len(ranked))
    rank = {candidate: place for place, candidate in enumerate(ranked, 1)}
    score = dict(zip(ranked, scores, strict=True))
    centres = list(ranked[: min(settings.centres, window)])
    pool = [candidate for candidate in ranked[: settings.among] if rank[candidate] > len(centres)]
    drawn: dict[int, list[Neighbour]] = {}
    taken: set[int] = set()
    room = window - len(centres)
    chosen: dict[int, list[Neighbour]] | None = None
    if settings.selector == "llm" and chooser is not None:
        chosen = _chosen(centres, pool, neighbours, settings, chooser)
    for centre in centres:
        free = [candidate for candidate in pool if candidate not in taken]
        near_by = neighbours(centre, free) if chosen is None else chosen[centre]
        if chosen is not None:
            picked = [near for near in near_by if near.candidate not in taken]
        elif settings.selector == "cross-encoder" and reader is not None:
            picked = _read(near_by[: settings.read], reader, settings.relevant)
        elif settings.selector == "none":
            picked = near_by
        else:
            picked = [near for near in near_by if score[near.candidate] >= settings.threshold * score[centre]]
        drawn[centre] = picked[: min(settings.each, room)]
        room -= len(drawn[centre])
        taken.update(near.candidate for near in drawn[centre])
    placed: list[Placed] = []
    for centre in centres:
        placed.append(Placed(centre, rank[centre]))
        placed += [Placed(near.candidate, rank[near.candidate], centre, near.relation) for near in drawn[centre]]
    rest = [candidate for candidate in ranked if candidate not in taken and rank[candidate] > len(centres)]
    return [*placed, *(Placed(candidate, rank[candidate]) for candidate in rest)]


def _chosen(
    centres: Sequence[int], pool: Sequence[int], neighbours: Neighbours, settings: Expansion, chooser: Chooser
) -> dict[int, list[Neighbour]]:
    """A model's picks for each centre, all asked at once: it may pick a shared neighbour twice."""
    near_by = [neighbours(centre, pool)[: settings.read] for centre in centres]
    picked = chooser([[near.candidate for near in group] for group in near_by])
    found: dict[int, list[Neighbour]] = {}
    for centre, group, names in zip(centres, near_by, picked, strict=True):
        by_candidate = {near.candidate: near for near in group}
        found[centre] = [by_candidate[name] for name in names or () if name in by_candidate]
    return found


def _read(neighbours: Sequence[Neighbour], reader: Reader, relevant: float) -> list[Neighbour]:
    """The neighbours that a model finds relevant, the most relevant first."""
    found = zip(reader([near.candidate for near in neighbours]), neighbours, strict=True)
    return [near for value, near in sorted(found, key=lambda item: -item[0]) if value > relevant]
