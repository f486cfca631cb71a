"""A corpus for one search: bound to a source reader, a language model and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from trackdown.engine.llm.pregenerated import NOTHING, Pregenerated, examples_of, open_rewrites
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.errors import UnknownRevision
from trackdown.index import Corpus, ignore_note
from trackdown.types import Progress

if TYPE_CHECKING:
    from trackdown.models.llm import LanguageModel


def bound_corpus(
    corpus: Corpus,
    reader: SourceReader,
    *,
    llm: LanguageModel | None = None,
    note: Callable[[str], None] = ignore_note,
    pregenerated: Pregenerated = NOTHING,
    progress: Progress | None = None,
) -> Corpus:
    """The corpus with `reader` for its source. `llm` is the language model that stages may ask, `note` takes remarks
    for the answer, and `pregenerated` holds texts that the model need not write.
    """
    texts = partial(reader.units, corpus.code)
    return replace(
        corpus,
        texts=texts,
        llm=llm,
        note=note,
        progress=progress or corpus.progress,
        examples=partial(examples_of, corpus, texts, pregenerated.examples),
        open_rewrites=partial(open_rewrites, corpus, texts, llm, pregenerated, note),
    )


def seen_from(corpus: Corpus, commit: str) -> Corpus:
    """The same code with the history of an earlier commit (a full id). Raises UnknownRevision if it is not indexed."""
    if corpus.history is None:
        return corpus
    index, named_at = corpus.history
    if index.position(commit) < 0:
        raise UnknownRevision(f"commit {commit} is not in the history of {named_at}")
    return replace(corpus, history=(index, commit), named_at=named_at)
