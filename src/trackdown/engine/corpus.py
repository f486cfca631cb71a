"""A prepared state → what the pipeline searches, models and all."""

from __future__ import annotations

from functools import partial

from trackdown.engine.prepare import Prepared
from trackdown.engine.snippets import Snippets
from trackdown.errors import UnknownRevision
from trackdown.index.neural import Neural
from trackdown.retrieve.corpus import Corpus
from trackdown.types import Progress, no_progress


def corpus_of(
    prepared: Prepared, snippets: Snippets, seen_from: str | None = None, progress: Progress = no_progress
) -> Corpus:
    """What is searched; `snippets` reads the source of the same state. `seen_from` is a full id: only its past shows.

    Raises UnknownRevision when `seen_from` is not in the history of what was prepared.
    """
    history, named_at = prepared.history, None
    if seen_from is not None and history is not None:
        index, named_at = history
        if index.position(seen_from) < 0:
            raise UnknownRevision(f"commit {seen_from} is not in the history of {named_at}")
        history = (index, seen_from)
    models = prepared.models
    neural = Neural(
        models.encoder,
        models.cross_encoder,
        partial(snippets.units, prepared.code),
        prepared.messages,
        prepared.facts,
        models.failed,
        progress,
    )
    return Corpus(prepared.code, history, named_at, prepared.graph, prepared.vectors, neural)
