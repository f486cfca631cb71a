"""One search, from the request to the answer: plan, bring the index up to date, run the cascade, read the snippets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from trackdown import pipeline
from trackdown.confidence import NOTHING, Assessment, answer_signs, assess, load_calibration
from trackdown.engine.indexing.background import Background
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.cancel import Check, CheckedFacts
from trackdown.engine.searching.filters import checked_filters, filter_notes, intersection, limited, settings_note
from trackdown.engine.searching.planning import plan
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import LlmError, UsageError
from trackdown.index import Corpus
from trackdown.pipeline import SearchPlan
from trackdown.query import Query, understand
from trackdown.request import SearchRequest
from trackdown.types import Progress, Result, SearchResults

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.models import ModelShelf
    from trackdown.models.llm import LlmClient

Early = Callable[[SearchResults], None]
_ATTEMPTS = 2


def run_search(
    repository: Repository,
    request: SearchRequest,
    early: Early | None,
    cancelled: Callable[[], bool],
    progress: Progress,
) -> SearchResults:
    """See `Repository.search`. Searches again if a file in the answer has changed since the index was opened."""
    query = understand(request.query)
    filters = checked_filters(query.filters)
    settings = repository.settings_at(request.at)
    stages = limited(plan(request, settings), filters)
    folder = stages.folders[0]
    stages = replace(stages, folders=(intersection(folder, repository.source.subfolder),))
    notes: list[str] = []
    llm = _open_llm(repository, stages, notes.append)
    check = Check(cancelled)
    watch = pipeline.Stopwatch(check)
    report = check.progress(progress)
    with _loading_models(repository.indexes.models, stages):
        for attempt in range(_ATTEMPTS):
            corpus = repository.present_or(request.at, report)
            watch.lap("check")
            answer = SearchResults(
                request.query,
                stages.level,
                (),
                (corpus.snapshot.info,),
                (*repository.notes_of(corpus), *filter_notes(corpus.code, stages, folder, filters, query.valueless)),
                corpus.partial,
                deep=corpus.deep.state_if_any() if corpus.deep is not None else None,
            )
            with SourceReader(corpus.snapshot) as reader:
                bound = bound_corpus(corpus, reader, llm=llm, note=notes.append, progress=report)
                bound = replace(bound, facts=CheckedFacts(corpus.facts, check))
                report_early = None if early is None else partial(_report_early, early, answer, watch, reader, corpus)
                tapped: list[pipeline.Tapped] = []
                found = pipeline.search(bound, query, stages, watch, tapped.append, report_early)
                assessed = _assessed(query, stages, tapped, len(found))
                results = read_results(reader, corpus, found, assessed.probabilities)
                answer = replace(answer, deep=bound.deep.state_if_any() if bound.deep is not None else None)
            watch.lap("snippets")
            lost = len(found) - len(results)
            if not lost or corpus.partial or attempt == _ATTEMPTS - 1:
                break
    if lost:
        answer = replace(answer, partial=True)
        notes.append(f"results left out because their files changed during the search or cannot be read: {lost}")
    if not results and (kept_out := settings_note(request, settings)):
        notes.append(kept_out)
    notes += llm.notes() if llm is not None else []
    if stages.deep and answer.deep is not None and not answer.deep.ready:
        notes.append(f"the deep index is {answer.deep.sentence()}; searched without it")
    if stages.deep and answer.deep is None:
        notes.append(
            "there is no encoder, and so no deep index (`trackdown modes` lists the models): searched without it"
        )
    notes = [*answer.notes, *_model_notes(repository.indexes.models, stages), *notes, *repository.store.take_notes()]
    cost = llm.cost() if llm is not None else {}
    return replace(
        answer,
        results=results,
        notes=tuple(dict.fromkeys(notes)),
        timings_ms=watch.rounded(),
        llm=cost,
        confidence=assessed.confidence,
        matching=assessed.matching,
    )


def _assessed(query: Query, stages: SearchPlan, tapped: Sequence[pipeline.Tapped], count: int) -> Assessment:
    """How sure the answer is. `tapped` is empty if the search ended before it ranked anything."""
    if not tapped:
        return Assessment(NOTHING, ())
    signs = answer_signs(query, stages.level, tapped[0], stages.k)
    return assess(query, stages.level, signs, count, load_calibration())


def read_results(
    reader: SourceReader, corpus: Corpus, found: Sequence[pipeline.Ranked], probabilities: Sequence[float] = ()
) -> tuple[Result, ...]:
    """Ranked candidates as results, without those whose file has changed since it was indexed."""
    results: list[Result] = []
    for place, item in enumerate(found):
        result = reader.result(corpus.code, item, len(results) + 1, corpus.snapshot.source.name)
        if result is not None:
            results.append(replace(result, probability=probabilities[place]) if probabilities else result)
    return tuple(results)


def _report_early(
    early: Early,
    answer: SearchResults,
    watch: pipeline.Stopwatch,
    reader: SourceReader,
    corpus: Corpus,
    found: list[pipeline.Ranked],
) -> None:
    """Pass on the results before reranking, as a complete answer."""
    early(replace(answer, results=read_results(reader, corpus, found), timings_ms=watch.rounded()))


def _open_llm(repository: Repository, stages: SearchPlan, note: Callable[[str], None]) -> LlmClient | None:
    """The language model, if the plan may use one and one is configured. If it is optional and cannot be opened, adds a
    note. Raises UsageError if exemplars are needed and there is no model to write them.
    """
    if not stages.asks_llm:
        return None
    from trackdown.engine.llm.configured import WITHOUT_LLM, open_llm
    from trackdown.engine.llm.pregenerated import NOTHING, check_exemplars

    try:
        llm = open_llm(repository.settings, repository.indexes.facts)
    except (LlmError, UsageError) as error:
        if not stages.llm_is_optional:
            raise
        note(f"{error}; searched without it")
        llm = None
    if stages.exemplars:
        check_exemplars(stages, llm, NOTHING)
    if llm is None and stages.needs_llm:
        note(f"{WITHOUT_LLM}: searched without it")
    return llm


@contextmanager
def _loading_models(models: ModelShelf, stages: SearchPlan) -> Iterator[None]:
    """Load the rerankers while retrieval runs. Waits for them at the end, so that the process can exit."""
    loading = Background(models.warm) if stages.judging is not None or stages.goes_deep else None
    try:
        yield
    finally:
        if loading is not None:
            loading.wait()


def _model_notes(models: ModelShelf, stages: SearchPlan) -> list[str]:
    """Problems with the models. Missing models are only worth a note if the caller asked for them."""
    missing = stages.expects_models and models.encoder() is None and models.cross_encoder() is None
    if notes := models.notes():
        return notes
    if missing or (stages.only_dense and models.static() is None):
        return ["there is no model for this (`trackdown modes` lists the models): searched without it"]
    return []
