"""Every source of candidates for an issue, each as an order of functions: what `ceiling.py` compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from trackdown.engine import Corpus, default_plan, rank, with_mode
from trackdown.expand.neighbours import neighbour_finder
from trackdown.expand.spider import Expansion
from trackdown.pipeline import SearchPlan, candidate_factors, role_factors
from trackdown.query.parse import Query, understand
from trackdown.retrieve.candidate_pool import Candidates, candidates
from trackdown.settings import load_settings

Floats = npt.NDArray[np.float64]
Place = tuple[str, str]
UNITED = ("bm25", "dense", "mentions", "commits")
FUSED = "hybrid"
FILES = 50
CENTRES = 20
_EVERYTHING = 1_000_000
_LINKED = Expansion(edges=("invokes", "inherits", "imports"))
_BESIDE = Expansion(edges=("contains",), depth=3)


def orders(prepared: Corpus, query: str, depth: int, *, graph: bool = True) -> dict[str, list[Place]]:
    """The best functions of every source, and of what is made of several. Raises QueryError.

    Without `graph`, what is near the best in the code graph is left out: resolving it takes longest.
    """
    plain = default_plan(replace(load_settings(), mode=FUSED, adaptive=False, graph=False))
    understood = understand(query)
    pool = candidates(prepared.code, "function")
    words = ranked(prepared, query, with_mode(plain, "bm25"))
    fused = ranked(prepared, query, with_mode(plain, FUSED))
    files = rank(prepared, query, replace(with_mode(plain, "commits"), level="file", k=FILES))
    single = {
        "bm25": words,
        "dense": by_meaning(prepared, pool, understood, depth),
        "mentions": ranked(prepared, query, with_mode(plain, "mentions")),
        "commits": inside(words, {file.path for file in files}),
    }
    made: dict[str, Iterable[Place]] = {
        "commits × words": ranked(prepared, query, with_mode(plain, "commits")),
        "union": in_turn(list(single.values())),
        FUSED: fused,
    }
    if graph:
        neighbours = Near(prepared, pool)
        linked, beside = neighbours.linked(fused[:CENTRES]), neighbours.beside(fused[:CENTRES])
        made[f"{FUSED}, calls and bases of the best {CENTRES}"] = in_turn([fused, by_rank(linked, fused)])
        made[f"{FUSED}, all neighbours of the best {CENTRES}"] = in_turn([fused, by_rank([*linked, *beside], fused)])
    if deep := by_deep_index(prepared, pool, understood, depth):
        made["deep"] = deep
        made["union, and deep"] = in_turn([*single.values(), deep])
        made[f"{FUSED}+deep"] = ranked(prepared, query, with_mode(plain, f"{FUSED}+deep"))
    for name in UNITED:
        made[f"without {name}"] = in_turn([order for source, order in single.items() if source != name])
    return {name: list(islice(order, depth)) for name, order in (*single.items(), *made.items())}


def ranked(prepared: Corpus, query: str, options: SearchPlan) -> list[Place]:
    """All functions that a mode finds, best first."""
    found = rank(prepared, query, replace(options, level="function", k=_EVERYTHING))
    return [(place.path, place.symbol) for place in found]


def by_meaning(prepared: Corpus, pool: Candidates, query: Query, depth: int) -> list[Place]:
    """All functions by their static vectors. The retriever itself stops at the best 500, which is too few here."""
    vectors = prepared.vectors()
    if vectors is None:
        return []
    return by_cosine(prepared, pool, query, vectors.cosines(vectors.vector(query.text, query.weights)), depth)


def by_deep_index(prepared: Corpus, pool: Candidates, query: Query, depth: int) -> list[Place]:
    """All functions by their encoder vectors; none if the deep index is not ready."""
    deep = prepared.deep
    vectors = deep.vectors() if deep is not None else None
    asked = deep.query_vector(query.text, ()) if deep is not None and vectors is not None else None
    if vectors is None or asked is None:
        return []
    return by_cosine(prepared, pool, query, vectors.cosines(asked), depth)


def by_cosine(prepared: Corpus, pool: Candidates, query: Query, of_units: Floats, depth: int) -> list[Place]:
    """All functions by the cosines of their units, those of tests and prose lower as in a search."""
    cosines = of_units[pool.units]
    code = prepared.code
    scores = np.maximum(cosines, 0.0) * candidate_factors(pool, code, query, role_factors(query))
    best = pool.best(code, scores, 2 * depth)  # a symbol may be defined twice in a file, and counts once
    return list(dict.fromkeys((code.path(int(pool.files[one])), code.symbol(int(pool.units[one]))) for one in best))


def inside(order: Sequence[Place], paths: set[str]) -> list[Place]:
    """Those of an order that lie in some files."""
    return [place for place in order if place[0] in paths]


def in_turn(found: Sequence[Sequence[Place]]) -> Iterator[Place]:
    """The best of each order, then the second of each and so on; what was there already does not count as a turn."""
    seen: set[Place] = set()
    waiting = [iter(order) for order in found]
    while waiting:
        for order in list(waiting):
            place = next((one for one in order if one not in seen), None)
            if place is None:
                waiting.remove(order)
                continue
            seen.add(place)
            yield place


def by_rank(places: Sequence[Place], order: Sequence[Place]) -> list[Place]:
    """Places in an order; those that it does not have stay behind."""
    known: Mapping[Place, int] = {place: number for number, place in enumerate(order)}
    return sorted(dict.fromkeys(places), key=lambda place: known.get(place, len(known)))


class Near:
    """What stands near some functions in a snapshot's structure."""

    def __init__(self, prepared: Corpus, pool: Candidates) -> None:
        self._code = prepared.code
        self._pool = pool
        units, files = pool.units.tolist(), pool.files.tolist()
        self._linked = neighbour_finder(prepared.code, prepared.graph, units, files, "function", _LINKED)
        self._beside = neighbour_finder(prepared.code, None, units, files, "function", _BESIDE)

    def linked(self, centres: Sequence[Place]) -> list[Place]:
        """Callers and callees, and what else resolved edges reach within one step."""
        everything = range(self._pool.count)
        return [self._place(near.candidate) for one in self._numbers(centres) for near in self._linked(one, everything)]

    def beside(self, centres: Sequence[Place]) -> list[Place]:
        """Members of the same class, and functions of the same file near it."""
        found = []
        for one in self._numbers(centres):
            own = np.flatnonzero(self._pool.files == self._pool.files[one]).tolist()
            found += [self._place(near.candidate) for near in self._beside(one, own) if near.candidate != one]
        return found

    def _numbers(self, places: Sequence[Place]) -> Iterator[int]:
        """The candidates at some places."""
        for path, symbol in places:
            for unit in self._code.units_of(self._code.files_by_path[path]):
                if self._pool.owner[unit] >= 0 and self._code.symbol(unit) == symbol:
                    yield int(self._pool.owner[unit])

    def _place(self, candidate: int) -> Place:
        return self._code.path(int(self._pool.files[candidate])), self._code.symbol(int(self._pool.units[candidate]))
