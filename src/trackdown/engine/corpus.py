"""A prepared state → what the pipeline searches, models and all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.indexing.prepare import Prepared
from trackdown.engine.llm.generated import NOTHING, Generated, examples_of, open_rewrites
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UnknownRevision
from trackdown.index.neural import Neural
from trackdown.retrieve.corpus import Corpus, not_told
from trackdown.types import Progress, no_progress

if TYPE_CHECKING:
    from trackdown.models.llm.prompt import LanguageModel


def corpus_of(
    prepared: Prepared,
    snippets: SourceReader,
    seen_from: str | None = None,
    *,
    asker: LanguageModel | None = None,
    tell: Callable[[str], None] = not_told,
    generated: Generated = NOTHING,
    progress: Progress = no_progress,
) -> Corpus:
    """What is searched; `snippets` reads the source of the same state. `seen_from` is a full id: only its past shows.

    `asker` is the language model, `tell` hears what is worth knowing of it, `generated` is what it need not write.
    Raises UnknownRevision when `seen_from` is not in the history of what was prepared.
    """
    history, named_at = prepared.history, None
    if seen_from is not None and history is not None:
        index, named_at = history
        if index.position(seen_from) < 0:
            raise UnknownRevision(f"commit {seen_from} is not in the history of {named_at}")
        history = (index, seen_from)
    models = prepared.models
    texts = partial(snippets.units, prepared.code)
    neural = Neural(
        models.encoder,
        models.cross_encoder,
        texts,
        prepared.messages,
        prepared.facts,
        models.failed,
        progress,
    )
    return Corpus(
        prepared.code,
        history,
        named_at,
        prepared.graph,
        prepared.vectors,
        neural,
        asker,
        tell,
        examples=partial(examples_of, prepared, texts, generated.pairs),
        rewritten=partial(open_rewrites, prepared, texts, asker, generated, tell),
    )
