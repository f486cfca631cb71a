"""One search, from the request to the answer: plan, bring the index up to date, run the cascade, read the snippets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from trackdown import pipeline
from trackdown.engine.indexing.background import Background
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.cancel import Check, CheckedFacts
from trackdown.engine.searching.filters import filter_notes, intersection
from trackdown.engine.searching.planning import plan
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import LlmError, UsageError
from trackdown.index.corpus import Corpus
from trackdown.pipeline import SearchPlan
from trackdown.query.understand import understand
from trackdown.request import SearchRequest
from trackdown.types import Progress, Result, SearchResults

if TYPE_CHECKING:
    from trackdown.engine.repository import Repository
    from trackdown.models.llm.client import LlmClient
    from trackdown.models.shelf import ModelShelf

Early = Callable[[SearchResults], None]
_ATTEMPTS = 2


def run_search(
    repository: Repository,
    request: SearchRequest,
    early: Early | None,
    cancelled: Callable[[], bool],
    progress: Progress,
) -> SearchResults:
    """See `Repository.search`. If a file that the answer shows has changed since the index was opened, search again."""
    query = understand(request.query)
    stages = plan(request, repository.settings)
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
                request.level,
                (),
                (corpus.snapshot.info,),
                (*repository.notes_of(corpus), *filter_notes(corpus.code, stages.languages, folder)),
                corpus.partial,
            )
            chosen = _with_repository_weights(repository, corpus, stages)
            with SourceReader(corpus.snapshot) as reader:
                bound = bound_corpus(corpus, reader, llm=llm, note=notes.append, progress=report)
                bound = replace(bound, facts=CheckedFacts(corpus.facts, check))
                hear = None if early is None else _Hearing(early, answer, watch, reader, corpus)
                found = pipeline.search(bound, query, chosen, watch, early=hear)
                results = read_results(reader, corpus, found)
            watch.lap("snippets")
            if len(results) == len(found) or corpus.partial or attempt == _ATTEMPTS - 1:
                break
    notes += llm.notes() if llm is not None else []
    notes = [*answer.notes, *_model_notes(repository.indexes.models, stages), *notes]
    cost = llm.cost() if llm is not None else {}
    return replace(answer, results=results, notes=tuple(dict.fromkeys(notes)), timings_ms=watch.rounded(), llm=cost)


def read_results(reader: SourceReader, corpus: Corpus, found: Sequence[pipeline.Ranked]) -> tuple[Result, ...]:
    """Ranked candidates as results. Those whose file has changed since it was indexed are left out."""
    results: list[Result] = []
    for item in found:
        result = reader.result(corpus.code, item, len(results) + 1, corpus.snapshot.source.name)
        if result is not None:
            results.append(result)
    return tuple(results)


class _Hearing:
    """Passes on what was found before the models read, as an answer of its own."""

    def __init__(
        self, early: Early, answer: SearchResults, watch: pipeline.Stopwatch, reader: SourceReader, corpus: Corpus
    ) -> None:
        self._early = early
        self._answer = answer
        self._watch = watch
        self._reader = reader
        self._corpus = corpus

    def __call__(self, found: list[pipeline.Ranked]) -> None:
        results = read_results(self._reader, self._corpus, found)
        self._early(replace(self._answer, results=results, timings_ms=self._watch.rounded()))


def _open_llm(repository: Repository, stages: SearchPlan, note: Callable[[str], None]) -> LlmClient | None:
    """The language model, if a stage may ask one and there is one. If nobody asked for it by name, one that cannot be
    opened costs a note. Raises UsageError where exemplars were asked for and nobody can write any.
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
        note(f"{WITHOUT_LLM}: searched without")
    return llm


def _with_repository_weights(repository: Repository, corpus: Corpus, stages: SearchPlan) -> SearchPlan:
    """The plan with the weights that were fitted to this repository's past, where they won."""
    if not stages.repository_weights:
        return stages
    from trackdown.engine.repository_weights import fusing_models, repository_fusion

    indexes = repository.indexes
    identity = indexes.identity(corpus.snapshot.commit)
    fusion = repository_fusion(repository.store, identity, stages.level, fusing_models(indexes.models))
    return replace(stages, learned=fusion)


@contextmanager
def _loading_models(models: ModelShelf, stages: SearchPlan) -> Iterator[None]:
    """Load the models that read candidates beside retrieval. Nothing is still loading afterwards, so that a process
    may end.
    """
    loading = Background(models.warm) if stages.judging is not None else None
    try:
        yield
    finally:
        if loading is not None:
            loading.wait()


def _model_notes(models: ModelShelf, stages: SearchPlan) -> list[str]:
    """What is wrong with the models. That there are none is only said to callers who asked for them."""
    missing = stages.expects_models and models.encoder() is None and models.cross_encoder() is None
    if notes := models.notes():
        return notes
    if missing or (stages.only_dense and models.static() is None):
        return ["there is no model for this here (`trackdown modes` lists them): searched without"]
    return []
