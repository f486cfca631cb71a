"""The cascade on one page: exemplars → retrieve → fuse → expand → judge → order by a language model.

Every stage's part in a score stays apart, so that `explain.py` can turn parts into reasons.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from trackdown.explain import Part
from trackdown.fuse.adaptive import adapted
from trackdown.fuse.rrf import rrf
from trackdown.fuse.weighted import weighted
from trackdown.query.understand import Query
from trackdown.rerank.judging import SIGNALS, JudgeWeights, Judging, Verdict
from trackdown.rerank.llm import Listwise
from trackdown.retrieve import commits, dense, lexical, mentions
from trackdown.retrieve.candidates import Candidates, candidates
from trackdown.retrieve.channel import Channel, PastFound, Request, Retriever
from trackdown.retrieve.corpus import Corpus, with_rewrites
from trackdown.types import PROSE, TEST, Aggregation, Fusion, Level

if TYPE_CHECKING:
    from trackdown.expand.spider import Chooser, Expansion, Reader
    from trackdown.fuse.learned import LearnedFusion

Floats = npt.NDArray[np.float64]

RETRIEVERS: tuple[tuple[str, Retriever], ...] = (
    (lexical.SIGNAL, lexical.retrieve),
    (mentions.SIGNAL, mentions.retrieve),
    (commits.SIGNAL, commits.retrieve),
    (dense.SIGNAL, dense.retrieve),
)
ROLE_FACTORS = {TEST: 0.3, PROSE: 0.5}
"""What the scores of tests and of prose are multiplied by unless the query asks for them."""
_ROLE_NAMES = {TEST: "a test", PROSE: "prose"}


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `folders`, `languages` and `among` (paths of files) restrict the answer, not the statistics
    behind it.

    A weight of 0 leaves a retriever out. `adaptive` bends the weights to the query. `roles` False ranks tests and prose
    like code. `commit_depth` is how many past commits speak. `explained` False gives results without reasons.
    `expansion` moves up what stands near the best in the code's structure. `judging` lets models read the best.
    `listwise` lets a language model order the first of them; `exemplars` lets it write so many answers to search for
    beside the query, or with `exemplars_only` in its place; `rewritten` searches units with their rewrites. `learned`
    are weights to use for learned fusion instead of those that come with the program.
    """

    level: Level = "function"
    k: int = 10
    tests: bool = True
    folders: tuple[str, ...] = ()
    fusion: Fusion = "weighted"
    aggregation: Aggregation = "blend"
    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0), ("commits", 0.5), ("mentions", 0.5), ("dense", 0.5))
    adaptive: bool = False
    roles: bool = True
    among: tuple[str, ...] = ()
    commit_depth: int = commits.DEPTH
    explained: bool = True
    expansion: Expansion | None = None
    judging: Judging | None = None
    learned: LearnedFusion | None = None
    listwise: Listwise | None = None
    exemplars: int = 0
    exemplars_only: bool = False
    rewritten: bool = False
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it."""

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Tapped:
    """What every stage said of the candidates before it was weighed, best fused first: what weights are fitted to.

    `scores` are those of the channels and `best` the best of each among all candidates; `fused` is what fusion made of
    them, `factors` what roles multiply by. `judged` are the models' raw values by signal, nan where there is none.
    """

    units: Sequence[int]
    files: Sequence[int]
    scores: Mapping[str, Floats]
    best: Mapping[str, float]
    floors: Mapping[str, float]
    fused: Floats
    factors: Floats
    judged: Mapping[str, Floats]


Tap = Callable[[Tapped], None]
Early = Callable[[list[Ranked]], None]
"""Hears of the order that the stages before the models have found, while these are still to come."""


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

    def rounded(self) -> dict[str, float]:
        """The timings so far, as they are shown."""
        return {stage: round(value, 3) for stage, value in self.timings.items()}


@dataclass(frozen=True, slots=True)
class _Fused:
    """All candidates with what each channel found and what it adds to their scores.

    `factor` is what the role of each candidate multiplies its score by, `factors` the same by role.
    """

    pool: Candidates
    channels: Sequence[Channel]
    parts: Sequence[Floats]
    total: Floats
    factor: Floats
    factors: Mapping[int, float]

    @property
    def units(self) -> Floats:
        """Scores of all units, to say which part of a class or file speaks for it."""
        scores = [channel.units for channel in self.channels if channel.units is not None]
        total: Floats = np.sum([units / units.max(initial=1e-9) for units in scores], axis=0)
        return total

    @property
    def past(self) -> PastFound | None:
        """The past commits that were found."""
        return next((channel.past for channel in self.channels if channel.past is not None), None)


def search(
    corpus: Corpus,
    query: Query,
    options: Options,
    watch: Stopwatch | None = None,
    tap: Tap | None = None,
    early: Early | None = None,
) -> list[Ranked]:
    """Rank a snapshot's functions, classes or files for a query. `tap` hears what the stages said on the way, `early`
    the answer as it stands before models read, if any do.
    """
    watch = watch or Stopwatch()
    if options.rewritten:
        corpus = with_rewrites(corpus)
        watch.lap("rewritten")
    if options.exemplars:
        query = _with_exemplars(corpus, query, options)
        watch.lap("exemplars")
        if options.exemplars_only and not query.exemplars:
            return []
    pool = candidates(corpus.code, options.level)
    fused = _fuse(corpus, pool, query, options, _retrieve(corpus, pool, query, options, watch))
    chosen = _best(corpus, fused, options)
    watch.lap("fuse")
    moves: dict[int, Part] = {}
    if options.expansion is not None:
        chosen, moves = _expand(corpus, query, fused, chosen, options.expansion)
        watch.lap("expand")
    verdict = Verdict(list(range(len(chosen))), fused_factor=1.0)
    if options.judging is not None and corpus.neural is not None:
        if early is not None:
            early(_ranked(corpus, fused, chosen, verdict, moves, options, watch))
        verdict = _judge(corpus, query, fused, chosen, _weighed(options.judging, query, options), watch)
    if tap is not None:
        tap(_tapped(fused, chosen, verdict))
    if options.listwise is not None and corpus.asker is not None and corpus.neural is not None:
        _order(corpus, query, fused, chosen, options.listwise, verdict)
        watch.lap("llm-rerank")
    return _ranked(corpus, fused, chosen, verdict, moves, options, watch)


def _ranked(
    corpus: Corpus,
    fused: _Fused,
    chosen: Sequence[int],
    verdict: Verdict,
    moves: Mapping[int, Part],
    options: Options,
    watch: Stopwatch,
) -> list[Ranked]:
    """The chosen candidates in the order of a verdict, with their reasons."""
    pool = fused.pool
    scores = verdict.scores(fused.total[chosen])
    places = verdict.order[: options.k]
    if not options.explained:
        shown: list[int] = [-1] * len(places)
        reasons: list[tuple[Part, ...]] = [()] * len(places)
    else:
        listed = [chosen[place] for place in places]
        shown = pool.best_units(listed, fused.units)
        reasons = _reasons(corpus, fused, listed, verdict, places, moves)
        watch.lap("explain")
    return [
        Ranked(int(pool.units[chosen[place]]), int(pool.files[chosen[place]]), unit, float(scores[place]), why)
        for place, unit, why in zip(places, shown, reasons, strict=True)
    ]


def _with_exemplars(corpus: Corpus, query: Query, options: Options) -> Query:
    """The query with answers that a language model writes, unless it brought some along; as it is where nobody can."""
    from trackdown.query.augmented import with_exemplars
    from trackdown.query.exemplars import write_exemplars

    found = query.exemplars
    if not found and corpus.asker is not None and corpus.examples is not None:
        language, pairs = corpus.examples()
        found = write_exemplars(corpus.asker, query, pairs, language, options.exemplars)
        corpus.tell(
            f"{len(found)} exemplar{'' if len(found) == 1 else 's'} by {corpus.asker.name} took part" if found
            else f"{corpus.asker.name} wrote no usable exemplar"
        )  # fmt: skip
    return with_exemplars(query, found[: options.exemplars], only=options.exemplars_only)


def _retrieve(corpus: Corpus, pool: Candidates, query: Query, options: Options, watch: Stopwatch) -> list[Channel]:
    """What each retriever finds. The first runs even when it has no say: others lean on it."""
    request = Request(corpus, pool, query, options.aggregation, options.commit_depth)
    wanted = {signal for signal, weight in options.weights if weight}
    if options.judging is not None and options.judging.commits:
        wanted.add(commits.SIGNAL)
    channels: list[Channel] = []
    for signal, retrieve in RETRIEVERS:
        if signal not in wanted and channels:
            continue
        channel = retrieve(request, channels)
        if channel is not None:
            channels.append(channel)
        watch.lap(signal)
    return channels


def _fuse(corpus: Corpus, pool: Candidates, query: Query, options: Options, channels: Sequence[Channel]) -> _Fused:
    """One score for each candidate. Tests and prose count less unless the query asks for them."""
    asked = {TEST: query.asks_for_tests, PROSE: query.asks_for_prose}
    factors = {role: cost for role, cost in ROLE_FACTORS.items() if options.roles and not asked[role]}
    factor = np.array([factors.get(role, 1.0) for role in range(3)])[corpus.code.file_role[pool.files]]
    parts = [part * factor for part in _parts(channels, query, options)]
    return _Fused(pool, channels, parts, np.sum(parts, axis=0), factor, factors)


def _parts(channels: Sequence[Channel], query: Query, options: Options) -> list[Floats]:
    """What each channel adds to each candidate, by the fusion that the options name."""
    by_signal = dict(options.weights)
    if options.adaptive:
        by_signal = adapted(by_signal, names_code=bool(query.names or query.frames or query.paths))
    fitted = options.fusion == "learned" or options.learned is not None
    if fitted and (found := _learned(channels, by_signal, query, options)) is not None:
        return found
    weights = [by_signal[channel.signal] for channel in channels]
    if options.fusion == "rrf":
        return rrf([channel.scores for channel in channels], weights)
    return weighted([channel.scores for channel in channels], weights, [channel.floor for channel in channels])


def _learned(
    channels: Sequence[Channel], weights: Mapping[str, float], query: Query, options: Options
) -> list[Floats] | None:
    """What each channel adds by fitted weights; None where there are none for the level."""
    from trackdown.fuse.learned import load_learned
    from trackdown.query.features import query_features

    learned = options.learned or load_learned(options.level)
    if learned is None:
        return None
    heard = [channel for channel in channels if weights[channel.signal]]
    scores = {channel.signal: channel.scores for channel in heard}
    found = learned.parts(scores, {channel.signal: channel.floor for channel in heard}, query_features(query))
    return [found.get(channel.signal, np.zeros(len(channel.scores))) for channel in channels]


def _best(corpus: Corpus, fused: _Fused, options: Options) -> list[int]:
    """The best candidates: as many as the answer and the stages to come need."""
    depth = max(
        options.k,
        options.expansion.among if options.expansion is not None else 0,
        options.judging.depth if options.judging is not None and corpus.neural is not None else 0,
        options.listwise.depth if options.listwise is not None and corpus.asker is not None else 0,
    )
    pool = fused.pool
    allowed = pool.allowed(
        corpus.code, tests=options.tests, folders=options.folders, among=options.among, languages=options.languages
    )
    return pool.best(corpus.code, np.where(allowed, fused.total, 0.0), depth)


def _expand(
    corpus: Corpus, query: Query, fused: _Fused, chosen: Sequence[int], expansion: Expansion
) -> tuple[list[int], dict[int, Part]]:
    """The new order, and for each candidate that the graph moved up what it says of that."""
    from trackdown.expand.neighbours import neighbour_finder
    from trackdown.expand.spider import SIGNAL, spider

    pool = fused.pool
    units, files = pool.units.tolist(), pool.files.tolist()
    neighbours = neighbour_finder(corpus.code, corpus.graph, units, files, pool.level, expansion)
    reader = _reader(corpus, query, fused) if expansion.selector == "cross-encoder" else None
    chooser = _chooser(corpus, query, fused) if expansion.selector == "llm" else None
    placed = spider(chosen, fused.total[chosen].tolist(), neighbours, expansion, reader, chooser)
    moves = {
        one.candidate: Part(SIGNAL, 0.0, f"rank {one.before} → {rank}: {one.relation}")
        for rank, one in enumerate(placed, 1)
        if one.centre is not None
    }
    return [one.candidate for one in placed], moves


def _reader(corpus: Corpus, query: Query, fused: _Fused) -> Reader | None:
    """The cross-encoder as it picks neighbours, where there is one."""
    from trackdown.rerank.judge import relevance_reader
    from trackdown.rerank.texts import spoken_query

    if corpus.neural is None:
        return None
    read = relevance_reader(spoken_query(query.text), corpus.code, corpus.neural)
    return None if read is None else lambda chosen: read(fused.pool.units_of(chosen, fused.units, 1))


def _chooser(corpus: Corpus, query: Query, fused: _Fused) -> Chooser | None:
    """The language model as it picks neighbours, where there is one."""
    from trackdown.expand.llm import llm_selector

    if corpus.neural is None or corpus.asker is None:
        return None
    return llm_selector(query.text, partial(_pieces, corpus, fused, 1), corpus.asker, corpus.tell)


def _pieces(corpus: Corpus, fused: _Fused, units: int, chosen: Sequence[int]) -> list[str]:
    """Candidates as a language model reads them, by so many of their units."""
    from trackdown.rerank.pieces import pieces_of

    assert corpus.neural is not None
    found = fused.pool.units_of(chosen, fused.units, units)
    return pieces_of(corpus.code, corpus.neural.texts, found, fused.pool.files[list(chosen)].tolist())


def _judge(
    corpus: Corpus, query: Query, fused: _Fused, chosen: Sequence[int], judging: Judging, watch: Stopwatch
) -> Verdict:
    """What models say of the best candidates, and the order that follows from it."""
    from trackdown.rerank.judge import Ranking, judge
    from trackdown.rerank.texts import spoken_query

    assert corpus.neural is not None
    past = fused.past
    ranking = Ranking(
        spoken_query(query.text),
        fused.total[chosen],
        fused.factor[chosen],
        fused.pool.units_of(chosen, fused.units, judging.units),
        fused.pool.files[chosen].tolist(),
        past.positions if past is not None else (),
        past.behind if past is not None else lambda file: (),
        [spoken_query(text) for text in query.exemplars],
    )
    return judge(ranking, corpus.code, corpus.neural, judging, watch.lap)


def _order(
    corpus: Corpus, query: Query, fused: _Fused, chosen: Sequence[int], listwise: Listwise, verdict: Verdict
) -> None:
    """Let a language model order the first places of a verdict."""
    from trackdown.rerank.llm import UNITS, llm_order

    assert corpus.asker is not None
    first, rest = verdict.order[: listwise.depth], verdict.order[listwise.depth :]
    pieces = _pieces(corpus, fused, UNITS, [chosen[place] for place in first])
    found = llm_order(query.text, pieces, listwise, corpus.asker, corpus.tell)
    verdict.reorder([*(first[number] for number in found), *rest], fused.total[chosen])


def _weighed(judging: Judging, query: Query, options: Options) -> Judging:
    """How to judge, with fitted weights where fusion is fitted and there are some for the level."""
    if options.fusion != "learned":
        return judging
    from trackdown.fuse.learned import load_learned
    from trackdown.query.features import query_features

    fitted = load_learned(options.level, "rerank")
    if fitted is None:
        return judging
    return replace(judging, weights=JudgeWeights.by_signal(fitted.by_signal(SIGNALS, query_features(query))))


def _reasons(
    corpus: Corpus,
    fused: _Fused,
    listed: Sequence[int],
    verdict: Verdict,
    places: Sequence[int],
    moves: Mapping[int, Part],
) -> list[tuple[Part, ...]]:
    """For each listed candidate what each channel gave it, in words; a test or prose says what that costs it."""
    roles = [int(role) for role in corpus.code.file_role[fused.pool.files[list(listed)]]]
    remarks = [f" ({_ROLE_NAMES[r]} counts ×{fused.factors[r]})" if r in fused.factors else "" for r in roles]
    collected: list[list[Part]] = [[] for _ in listed]
    for channel, part in zip(fused.channels, fused.parts, strict=True):
        rows = [row for row, candidate in enumerate(listed) if part[candidate]]
        details = channel.reasons([listed[row] for row in rows])
        for row, detail in zip(rows, details, strict=True):
            value = float(part[listed[row]]) * verdict.fused_factor
            collected[row].append(Part(channel.signal, value, detail + remarks[row]))
    describe = fused.past.describe if fused.past is not None else str
    for row, (candidate, place) in enumerate(zip(listed, places, strict=True)):
        collected[row] += [moves[candidate]] if candidate in moves else []
        collected[row] += [Part(*said) for said in verdict.said(place, row + 1, describe)]
    return [tuple(found) for found in collected]


def _tapped(fused: _Fused, chosen: Sequence[int], verdict: Verdict) -> Tapped:
    pool, channels, rows = fused.pool, fused.channels, list(chosen)
    return Tapped(
        pool.units[rows].tolist(),
        pool.files[rows].tolist(),
        {channel.signal: channel.scores[rows] for channel in channels},
        {channel.signal: float(channel.scores.max(initial=0.0)) for channel in channels},
        {channel.signal: channel.floor for channel in channels},
        fused.total[rows],
        fused.factor[rows],
        dict(verdict.raw),
    )
