"""Unweighted scores of channels and models for the candidates of a query: the data that weights are fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trackdown import pipeline
from trackdown.confidence import AnswerSigns, answer_signs
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.planning import plan
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.fuse import ranks_of
from trackdown.index import Corpus
from trackdown.models import model_shelf
from trackdown.query import query_features, understand
from trackdown.rank import FeatureTable, candidate_pool
from trackdown.request import SearchRequest
from trackdown.rerank import FUSED, SCALES
from trackdown.retrieve import Channel, Request, candidates
from trackdown.settings import Settings

Floats = npt.NDArray[np.float64]
DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Evidence:
    """Candidates and their scores: a row per candidate, a column per signal.

    Ranks are among all candidates; 0 where a signal did not find one. `full` is the score of each signal that scales
    to 1. `factors` are the factors of the candidates' roles (tests, prose).
    """

    places: tuple[tuple[str, str], ...]
    signals: tuple[str, ...]
    scores: Floats
    ranks: Floats
    full: Floats
    factors: Floats
    query: dict[str, float]


def speaking_models(settings: Settings, *, readers: bool) -> tuple[str, ...]:
    """The ids of the models behind channels and, with `readers`, of those that read candidates."""
    shelf = model_shelf(settings.models, settings.thread_count)
    parts = (shelf.static(), *((shelf.encoder(), shelf.cross_encoder()) if readers else ()))
    return tuple(part.model_id for part in parts if part is not None)


def channel_evidence(corpus: Corpus, query: str, options: pipeline.SearchPlan, deepest: int = DEEPEST) -> Evidence:
    """The scores of all channels for the `deepest` best candidates of each. Raises QueryError."""
    understood = understand(query)
    pool = candidates(corpus.code, options.level)
    with SourceReader(corpus.snapshot) as reader:
        request = Request(bound_corpus(corpus, reader), pool, understood, options.aggregation, options.commit_depth)
        channels: dict[str, Channel] = {}
        for signal, retrieve in pipeline.RETRIEVERS:
            channel = retrieve(request, list(channels.values()))
            if channel is not None:
                channels[signal] = channel
    signals = tuple(signal for signal, _ in pipeline.RETRIEVERS)
    scores = [channels[signal].scores if signal in channels else np.zeros(pool.count) for signal in signals]
    floors = [channels[signal].floor if signal in channels else 0.0 for signal in signals]
    ranks = [ranks_of(column) for column in scores]
    allowed = pool.allowed(corpus.code, tests=options.tests, folders=options.folders, among=options.among)
    within = np.any([(column > 0) & (column <= deepest) for column in ranks], axis=0)
    chosen = np.flatnonzero(within & allowed)
    factors = pipeline.candidate_factors(pool, corpus.code, understood, pipeline.role_factors(understood))
    return Evidence(
        _places(corpus, pool.units[chosen].tolist(), pool.files[chosen].tolist()),
        signals,
        np.stack([column[chosen] for column in scores], axis=1),
        np.stack([column[chosen] for column in ranks], axis=1),
        np.array([column.max(initial=floor) for column, floor in zip(scores, floors, strict=True)]),
        factors[chosen],
        query_features(understood),
    )


def judged_evidence(corpus: Corpus, query: str, options: pipeline.SearchPlan) -> Evidence | None:
    """The scores of fusion and of the models for the reranked candidates; None if none were. Raises QueryError."""
    understood = understand(query)
    traces: list[pipeline.Tapped] = []
    with SourceReader(corpus.snapshot) as reader:
        pipeline.search(bound_corpus(corpus, reader), understood, replace(options, explained=False), tap=traces.append)
    if not traces or not traces[0].judged or not len(traces[0].fused):
        return None
    (tapped,) = traces
    columns = {FUSED: tapped.fused / np.maximum(tapped.factors, 1e-9)}  # fitting multiplies by the factor again
    for signal, values in tapped.judged.items():
        scale, without = SCALES[signal]
        columns[signal] = np.nan_to_num(scale(values), nan=without)
    scores = np.stack(list(columns.values()), axis=1)
    return Evidence(
        _places(corpus, tapped.units, tapped.files),
        tuple(columns),
        scores,
        np.stack([ranks_of(column) for column in scores.T], axis=1),
        np.array([float(tapped.fused.max()), *(1.0 for _ in tapped.judged)]),
        tapped.factors,
        query_features(understood),
    )


def _places(corpus: Corpus, units: Sequence[int], files: Sequence[int]) -> tuple[tuple[str, str], ...]:
    code = corpus.code
    return tuple(
        (code.path(file), code.symbol(unit) if unit >= 0 else "") for unit, file in zip(units, files, strict=True)
    )


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """What a search shows, and what it knows about its own answer."""

    places: tuple[tuple[str, str], ...]
    signs: AnswerSigns


def answer_evidence(corpus: Corpus, request: SearchRequest, settings: Settings) -> AnswerEvidence:
    """Answer a request as a search does, with the features of the answer. Raises QueryError."""
    understood = understand(request.query)
    options = replace(plan(request, settings), explained=False)
    traces: list[pipeline.Tapped] = []
    with SourceReader(corpus.snapshot) as reader:
        found = pipeline.search(bound_corpus(corpus, reader), understood, options, tap=traces.append)
    places = _places(corpus, [item.unit for item in found], [item.file for item in found])
    return AnswerEvidence(places, answer_signs(understood, options.level, traces[0], options.k))


@dataclass(frozen=True, slots=True)
class CandidateFeatures:
    """The candidates of one search, best hand-set sum first, and their features."""

    places: tuple[tuple[str, str], ...]
    table: FeatureTable


def candidate_features(corpus: Corpus, query: str, options: pipeline.SearchPlan) -> CandidateFeatures:
    """What a ranker would know of each candidate of a search, in the order of the hand-set sum. Raises QueryError."""
    understood = understand(query)
    with SourceReader(corpus.snapshot) as reader:
        bound = bound_corpus(corpus, reader)
        fused = pipeline.fused_candidates(bound, understood, options)
        pool = fused.pool
        everything = np.ones(pool.count, dtype=bool)
        chosen = candidate_pool(corpus.code, pool, fused.channels, fused.total, everything)
        ranking = pipeline.PoolRanking(bound, understood, fused, chosen, None)
        ranking.read(options, pipeline.Stopwatch())
    units, files = pool.units[chosen].tolist(), pool.files[chosen].tolist()
    return CandidateFeatures(_places(corpus, units, files), ranking.table)
