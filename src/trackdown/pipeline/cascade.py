"""The cascade on one page: exemplars → retrieve → fuse → expand → rerank → rerank by a language model.

The parts that the stages add to a score are kept separately; they are the reasons that an answer shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trackdown.index import Corpus, Mask
from trackdown.pipeline.augmenting import with_commits, with_exemplars, with_rewrites
from trackdown.pipeline.completing import with_deep_completed
from trackdown.pipeline.declarations import give_way
from trackdown.pipeline.expanding import expand
from trackdown.pipeline.explaining import Matches, matches, reasons, remarks, tapped, values
from trackdown.pipeline.fusing import Fused, fuse
from trackdown.pipeline.listing import list_matching
from trackdown.pipeline.looking import sought_in
from trackdown.pipeline.one_line import one_line_each
from trackdown.pipeline.plan import Early, Ranked, SearchPlan, Stopwatch, Tap
from trackdown.pipeline.query_file import SPARE, without_query_file
from trackdown.pipeline.ranking import PoolRanking
from trackdown.pipeline.reranking import judge_best, order
from trackdown.query import Query
from trackdown.rank import Ranker, candidate_pool, fitted_ranker
from trackdown.rerank import Reranking
from trackdown.retrieve import (
    Candidates,
    Channel,
    Request,
    Retriever,
    candidates,
    commits,
    deep,
    dense,
    lexical,
    mentions,
    messages,
    references,
    units_with_phrases,
)
from trackdown.types import LEVEL_FILE, Match

RETRIEVERS: tuple[tuple[str, Retriever], ...] = (
    (lexical.SIGNAL, lexical.retrieve),
    (mentions.SIGNAL, mentions.retrieve),
    (messages.SIGNAL, messages.retrieve),
    (commits.SIGNAL, commits.retrieve),
    (references.SIGNAL, references.retrieve),
    (dense.SIGNAL, dense.retrieve),
    (deep.SIGNAL, deep.retrieve),
)
_ASSESSED = 10
"""What an answer is worth is judged by this many candidates, even if fewer are shown."""


def search(
    corpus: Corpus,
    query: Query,
    options: SearchPlan,
    watch: Stopwatch | None = None,
    tap: Tap | None = None,
    early: Early | None = None,
) -> list[Ranked]:
    """Rank a snapshot's functions, classes or files for a query. `tap` gets the scores of every stage, `early` the
    ranking before reranking, if models rerank.
    """
    watch = watch or Stopwatch()
    if query.only_filters:
        return list_matching(corpus, options, tap)
    if query.only_references and dict(options.weights).get(references.SIGNAL):
        query = with_commits(corpus, query)
        watch.lap("references")
    if options.rewritten:
        corpus = with_rewrites(corpus)
        watch.lap("rewritten")
    if options.exemplars:
        query = with_exemplars(corpus, query, options)
        watch.lap("exemplars")
        if options.exemplars_only and not query.exemplars:
            return []
    options = with_deep_completed(corpus, options, watch)
    fused = fused_candidates(corpus, query, options, watch)
    chosen = _best(corpus, query, fused, options)
    watch.lap("fuse")
    moves: dict[int, dict[str, Match]] = {}
    if options.expansion is not None:
        chosen, moves = expand(corpus, query, fused, chosen, options.expansion)
        watch.lap("expand")
    verdict = Reranking(list(range(len(chosen))), fused_factor=1.0)
    judged = options.judging is not None and corpus.models is not None
    ranker = ranker_of(options)
    if ranker is not None:
        ranking = PoolRanking(corpus, query, fused, chosen, ranker)
        watch.lap("rank")
        if early is not None and judged:
            early(_ranked(corpus, query, fused, chosen, ranking.verdict(options.k), moves, options, watch))
        ranking.read(options, watch)
        verdict = ranking.verdict(options.k if options.explained else 0)
    elif options.judging is not None and corpus.models is not None:
        if early is not None:
            early(_ranked(corpus, query, fused, chosen, verdict, moves, options, watch))
        verdict = judge_best(corpus, query, fused, chosen, options.judging, watch)
    if options.listwise is not None and corpus.llm is not None and corpus.models is not None:
        order(corpus, query, fused, chosen, options.listwise, verdict)
        watch.lap("llm-rerank")
    if tap is not None:
        tap(tapped(fused, chosen, verdict, query))
    return _ranked(corpus, query, fused, chosen, verdict, moves, options, watch)


def fused_candidates(corpus: Corpus, query: Query, options: SearchPlan, watch: Stopwatch | None = None) -> Fused:
    """All candidates of a level with what each retriever says of them."""
    pool = candidates(corpus.code, options.level, options.kinds)
    channels = _retrieve(corpus, pool, query, options, watch or Stopwatch())
    fused = fuse(corpus.code, pool, query, options, channels, _allowed(corpus, pool, query, options))
    return give_way(corpus.code, fused) if options.declarations else fused


def _allowed(corpus: Corpus, pool: Candidates, query: Query, options: SearchPlan) -> Mask:
    """Which candidates may be in the answer: those that pass the filters and contain the phrases of a query of nothing
    else. Notes where the phrases are if it is none of these.
    """
    allowed = _passing(corpus, pool, options)
    if not query.exactly_quoted:
        return allowed
    units = units_with_phrases(corpus, query.quoted)
    allowed &= pool.with_a_unit(units)
    if units.any() and not allowed.any():
        files = candidates(corpus.code, "file")
        elsewhere = int((_passing(corpus, files, options) & files.with_a_unit(units)).sum())
        have = "1 file has" if elsewhere == 1 else f"{elsewhere} files have"
        corpus.note(
            f"{have} the phrase elsewhere: search with {LEVEL_FILE}"
            if elsewhere
            else "only files that the filters or settings leave out contain the phrase"
        )
    return allowed


def _passing(corpus: Corpus, pool: Candidates, options: SearchPlan) -> Mask:
    """Which candidates pass the filters."""
    return pool.allowed(
        corpus.code,
        without_roles=options.without_roles,
        folders=options.folders,
        among=options.among,
        filters=options.filters,
    )


def _ranked(
    corpus: Corpus,
    query: Query,
    fused: Fused,
    chosen: Sequence[int],
    verdict: Reranking,
    moves: Mapping[int, Matches],
    options: SearchPlan,
    watch: Stopwatch,
) -> list[Ranked]:
    """The chosen candidates in their reranked order, with their reasons."""
    pool = fused.pool
    scores = verdict.scores(fused.total[chosen])
    places = verdict.order[: options.k]
    listed = [chosen[place] for place in places]
    ranked = [
        Ranked(int(pool.units[candidate]), int(pool.files[candidate]), -1, float(scores[place]), ())
        for candidate, place in zip(listed, places, strict=True)
    ]
    if not options.explained:
        return ranked
    found = matches(fused, listed, verdict, places, moves)
    shares = values(fused, listed, verdict, places)
    units = fused.best_units(listed)
    explained = zip(
        ranked,
        units,
        reasons(found, shares, options.numbers),
        one_line_each(found, shares, remarks(fused, listed)),
        sought_in(corpus.code, query, fused, listed, units),
        strict=True,
    )
    ranked = [
        replace(one, best_unit=unit, parts=parts, reason=reason, sought=sought)
        for one, unit, parts, reason, sought in explained
    ]
    watch.lap("explain")
    return ranked


def _retrieve(corpus: Corpus, pool: Candidates, query: Query, options: SearchPlan, watch: Stopwatch) -> list[Channel]:
    """The channel of each retriever. The first always runs, because others use its scores."""
    request = Request(corpus, pool, query, options.aggregation, options.commit_depth, options.word_forms)
    wanted = {signal for signal, weight in options.weights if weight}
    if options.judging is not None and options.judging.commits:
        wanted.add(commits.SIGNAL)
    if not options.goes_deep:
        wanted.discard(deep.SIGNAL)
    channels: list[Channel] = []
    for signal, retrieve in RETRIEVERS:
        if signal not in wanted and channels:
            continue
        channel = retrieve(request, channels)
        if channel is not None:
            channels.append(channel)
        watch.lap(signal)
    return channels


def ranker_of(options: SearchPlan) -> Ranker | None:
    """The ranker of a plan; None if its fusion is another, or if neighbours are to move up in the fused order."""
    if options.ranker is None or options.fusion != "ranker" or options.expansion is not None:
        return None
    return fitted_ranker(options.ranker, options.level)


def _best(corpus: Corpus, query: Query, fused: Fused, options: SearchPlan) -> list[int]:
    """The best candidates: as many as the answer and the later stages need. The query's own text is none."""
    depth = max(
        options.k,
        _ASSESSED,
        options.expansion.among if options.expansion is not None else 0,
        options.judging.depth if options.judging is not None and corpus.models is not None else 0,
        options.listwise.depth if options.listwise is not None and corpus.llm is not None else 0,
    )
    pool, allowed = fused.pool, fused.allowed
    if ranker_of(options) is not None:
        best = candidate_pool(corpus.code, pool, fused.channels, fused.total, allowed)
        return without_query_file(corpus, query, pool, best) if options.roles else best
    best = pool.best(corpus.code, np.where(allowed, fused.total, 0.0), depth + SPARE)
    return without_query_file(corpus, query, pool, best)[:depth] if options.roles else best[:depth]
