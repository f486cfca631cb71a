"""The cascade on one page: retrieve → fuse → expand → order.

Every stage's part in a score stays apart, so that `explain.py` can turn parts into reasons. Reranking joins here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.expand.neighbours import neighbour_finder
from trackdown.expand.spider import SIGNAL as GRAPH
from trackdown.expand.spider import Expansion, spider
from trackdown.explain import Part
from trackdown.fuse.adaptive import adapted
from trackdown.fuse.rrf import rrf
from trackdown.fuse.weighted import weighted
from trackdown.query.understand import Query
from trackdown.retrieve import commits, lexical, mentions
from trackdown.retrieve.candidates import Candidates, candidates
from trackdown.retrieve.channel import Channel, Request, Retriever
from trackdown.retrieve.corpus import Corpus
from trackdown.types import PROSE, TEST, Aggregation, Fusion, Level

Floats = npt.NDArray[np.float64]

RETRIEVERS: tuple[tuple[str, Retriever], ...] = (
    (lexical.SIGNAL, lexical.retrieve),
    (mentions.SIGNAL, mentions.retrieve),
    (commits.SIGNAL, commits.retrieve),
)
ROLE_FACTORS = {TEST: 0.3, PROSE: 0.5}
"""What the scores of tests and of prose are multiplied by unless the query asks for them."""
_ROLE_NAMES = {TEST: "a test", PROSE: "prose"}


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `folders` and `among` (paths of files) restrict the answer, not the statistics behind it.

    A weight of 0 leaves a retriever out. `adaptive` bends the weights to the query. `roles` False ranks tests and prose
    like code. `commit_depth` is how many past commits speak. `explained` False gives results without reasons.
    `expansion` moves up what stands near the best in the code's structure.
    """

    level: Level = "function"
    k: int = 10
    tests: bool = True
    folders: tuple[str, ...] = ()
    fusion: Fusion = "weighted"
    aggregation: Aggregation = "blend"
    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0), ("commits", 0.5), ("mentions", 0.5))
    adaptive: bool = False
    roles: bool = True
    among: tuple[str, ...] = ()
    commit_depth: int = commits.DEPTH
    explained: bool = True
    expansion: Expansion | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it."""

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Part, ...]


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Book the time since the last lap under a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


def search(corpus: Corpus, query: Query, options: Options, watch: Stopwatch | None = None) -> list[Ranked]:
    """Rank a snapshot's functions, classes or files for a query."""
    watch = watch or Stopwatch()
    code = corpus.code
    pool = candidates(code, options.level)
    request = Request(corpus, pool, query, options.aggregation, options.commit_depth)
    weights = _weights(query, options)
    channels: list[Channel] = []
    for signal, retrieve in RETRIEVERS:
        if not weights[signal] and channels:
            continue  # the first one runs even when it has no say: others lean on it, and it knows what to show
        channel = retrieve(request, channels)
        if channel is not None:
            channels.append(channel)
        watch.lap(signal)
    factors = _role_factors(query) if options.roles else {}
    factor = np.array([factors.get(role, 1.0) for role in range(3)])[code.file_role[pool.files]]
    parts = [part * factor for part in _fuse(channels, weights, options.fusion)]
    total = np.sum(parts, axis=0)
    allowed = pool.allowed(code, tests=options.tests, folders=options.folders, among=options.among)
    depth = options.k if options.expansion is None else max(options.k, options.expansion.among)
    chosen = pool.best(code, np.where(allowed, total, 0.0), depth)
    watch.lap("fuse")
    moves: dict[int, Part] = {}
    if options.expansion is not None:
        chosen, moves = _expand(corpus, pool, chosen, total, options.expansion)
        chosen = chosen[: options.k]
        watch.lap("expand")
    if not options.explained:
        return [Ranked(int(pool.units[one]), int(pool.files[one]), -1, float(total[one]), ()) for one in chosen]
    units = next(channel.units for channel in channels if channel.units is not None)
    shown = pool.best_units(chosen, units)
    reasons = _parts(channels, parts, chosen, [int(code.file_role[pool.files[c]]) for c in chosen], factors)
    watch.lap("explain")
    return [
        Ranked(int(pool.units[one]), int(pool.files[one]), best, float(total[one]), (*why, *_move(moves, one)))
        for one, best, why in zip(chosen, shown, reasons, strict=True)
    ]


def _expand(
    corpus: Corpus, pool: Candidates, chosen: Sequence[int], total: Floats, expansion: Expansion
) -> tuple[list[int], dict[int, Part]]:
    """The new order, and for each candidate that the graph moved up what it says of that."""
    units, files = pool.units.tolist(), pool.files.tolist()
    neighbours = neighbour_finder(corpus.code, corpus.graph, units, files, pool.level, expansion)
    placed = spider(chosen, [float(total[one]) for one in chosen], neighbours, expansion)
    moves = {
        one.candidate: Part(GRAPH, 0.0, f"rank {one.before} → {rank}: {one.relation}")
        for rank, one in enumerate(placed, 1)
        if one.centre is not None
    }
    return [one.candidate for one in placed], moves


def _move(moves: Mapping[int, Part], candidate: int) -> tuple[Part, ...]:
    return (moves[candidate],) if candidate in moves else ()


def _role_factors(query: Query) -> dict[int, float]:
    asked = {TEST: query.asks_for_tests, PROSE: query.asks_for_prose}
    return {role: factor for role, factor in ROLE_FACTORS.items() if not asked[role]}


def _weights(query: Query, options: Options) -> dict[str, float]:
    """What each signal weighs for this query."""
    weights = dict(options.weights)
    if options.adaptive:
        weights = adapted(weights, names_code=bool(query.names or query.frames or query.paths))
    return weights


def _fuse(channels: Sequence[Channel], by_signal: Mapping[str, float], fusion: Fusion) -> list[Floats]:
    """What each channel adds to each candidate."""
    weights = [by_signal[channel.signal] for channel in channels]
    scores = [channel.scores for channel in channels]
    if fusion == "rrf":
        return rrf(scores, weights)
    return weighted(scores, weights, [channel.floor for channel in channels])


def _parts(
    channels: Sequence[Channel],
    parts: Sequence[Floats],
    chosen: Sequence[int],
    roles: Sequence[int],
    factors: Mapping[int, float],
) -> list[tuple[Part, ...]]:
    """For each chosen candidate what each channel gave it, in words; a test or prose says what that costs it."""
    collected: list[list[Part]] = [[] for _ in chosen]
    for channel, part in zip(channels, parts, strict=True):
        rows = [row for row, candidate in enumerate(chosen) if part[candidate] > 0]
        details = channel.reasons([chosen[row] for row in rows])
        for row, detail in zip(rows, details, strict=True):
            role = roles[row]
            remark = f" ({_ROLE_NAMES[role]} counts ×{factors[role]})" if role in factors else ""
            collected[row].append(Part(channel.signal, float(part[chosen[row]]), detail + remark))
    return [tuple(found) for found in collected]
