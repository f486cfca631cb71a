"""Rank a corpus without snippets or reasons, for evaluations that look a thousand places deep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trackdown import pipeline
from trackdown.engine.llm.pregenerated import NOTHING, Pregenerated, check_exemplars
from trackdown.engine.searching.bind import bound_corpus
from trackdown.engine.searching.bind import seen_from as past_of
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.index import Corpus, ignore_note
from trackdown.query import understand

if TYPE_CHECKING:
    from trackdown.models.llm import LanguageModel


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A file (without symbol) or a unit, with its score."""

    path: str
    symbol: str
    score: float


def rank(
    corpus: Corpus,
    query: str,
    options: pipeline.SearchPlan,
    seen_from: str | None = None,
    tap: pipeline.Tap | None = None,
    *,
    llm: LanguageModel | None = None,
    note: Callable[[str], None] = ignore_note,
    pregenerated: Pregenerated = NOTHING,
) -> list[RankedPlace]:
    """The best places for a query, each symbol of a file once. Only the history of the commit `seen_from` is visible.

    `tap` gets the scores of every stage. `llm` is the language model that stages may ask, `note` takes remarks on its
    answers, and `pregenerated` holds texts that it need not write. Raises QueryError, UnknownRevision if `seen_from` (a
    full id) is not in the history of the corpus, and UsageError if exemplars are needed and there is no model.
    """
    understood = understand(query)
    if options.exemplars:
        check_exemplars(options, llm, pregenerated)
        understood = replace(understood, exemplars=pregenerated.exemplars)
    if seen_from is not None:
        corpus = past_of(corpus, seen_from)
    with SourceReader(corpus.snapshot) as reader:
        bound = bound_corpus(corpus, reader, llm=llm, note=note, pregenerated=pregenerated)
        found = pipeline.search(bound, understood, replace(options, explained=False), tap=tap)
    return list(_places(corpus, found))


def _places(corpus: Corpus, found: list[pipeline.Ranked]) -> Iterator[RankedPlace]:
    code = corpus.code
    seen: set[tuple[str, str]] = set()
    for item in found:
        key = (code.path(item.file), code.symbol(item.unit) if item.unit >= 0 else "")
        if key not in seen:
            seen.add(key)
            yield RankedPlace(*key, item.score)
