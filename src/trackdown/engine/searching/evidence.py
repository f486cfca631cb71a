"""What a search knows of its answer and of its candidates: the data that confidence and the ranker are fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from trackdown import pipeline
from trackdown.confidence import AnswerSigns, answer_signs
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.planning import plan
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.index import Corpus
from trackdown.models import model_shelf
from trackdown.query import understand
from trackdown.rank import FeatureTable, candidate_pool
from trackdown.request import SearchRequest
from trackdown.rerank import UnitTexts, normalized_query
from trackdown.settings import Settings


def speaking_models(settings: Settings, *, readers: bool) -> tuple[str, ...]:
    """The ids of the models behind channels and, with `readers`, of those that read candidates."""
    shelf = model_shelf(settings.models, settings.thread_count)
    parts = (shelf.static(), *((shelf.encoder(), shelf.cross_encoder()) if readers else ()))
    return tuple(part.model_id for part in parts if part is not None)


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


@dataclass(frozen=True, slots=True)
class ReadableCandidates:
    """What models would read in one search: the query, and the first candidates before any model has read them.

    `scores` are the search's own, `factors` what a candidate's role multiplies scores by. A text is empty where the
    code cannot be read.
    """

    query: str
    places: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    scores: tuple[float, ...]
    factors: tuple[float, ...]


def readable_candidates(corpus: Corpus, query: str, options: pipeline.SearchPlan) -> ReadableCandidates:
    """The first `options.k` functions of a search without models, as models would read them. Raises QueryError."""
    understood = understand(query)
    options = replace(options, explained=False, judging=None)
    traces: list[pipeline.Tapped] = []
    with SourceReader(corpus.snapshot) as reader:
        bound = bound_corpus(corpus, reader)
        found = pipeline.search(bound, understood, options, tap=traces.append)
        texts = UnitTexts(bound.code, bound.texts)
        read = tuple(texts.opening(item.unit) or "" for item in found)
    factors = tuple(map(float, traces[0].factors[: len(found)])) if traces else (1.0,) * len(found)
    places = _places(corpus, [item.unit for item in found], [item.file for item in found])
    scores = tuple(item.score for item in found)
    return ReadableCandidates(normalized_query(understood.as_read), places, read, scores, factors)
