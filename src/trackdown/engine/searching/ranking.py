"""Rank a prepared state without reading source or giving reasons: what evaluations need, a thousand places deep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trackdown import pipeline
from trackdown.engine.corpus import corpus_of
from trackdown.engine.indexing.prepare import Prepared
from trackdown.engine.llm.generated import NOTHING, Generated, check_exemplars
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.query.understand import understand
from trackdown.retrieve.corpus import not_told

if TYPE_CHECKING:
    from trackdown.models.llm.prompt import LanguageModel


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A file, or with a symbol a unit, with its score."""

    path: str
    symbol: str
    score: float


def rank(
    prepared: Prepared,
    query: str,
    options: pipeline.SearchPlan,
    seen_from: str | None = None,
    tap: pipeline.Tap | None = None,
    *,
    asker: LanguageModel | None = None,
    tell: Callable[[str], None] = not_told,
    generated: Generated = NOTHING,
) -> list[RankedPlace]:
    """The best places for a query, each symbol of a file once. `seen_from` is a full id: only its past is visible.

    `tap` hears what every stage said of the candidates. `asker` is the language model that stages may ask, `tell`
    hears what they say of its answers, `generated` is what it need not write. Raises QueryError, UnknownRevision when
    `seen_from` is not in the history of what was prepared, and UsageError for exemplars that nobody writes.
    """
    understood = understand(query)
    if options.exemplars:
        check_exemplars(options, asker, generated)
        understood = replace(understood, exemplars=generated.exemplars)
    with SourceReader(prepared.snapshot) as snippets:
        corpus = corpus_of(prepared, snippets, seen_from, asker=asker, tell=tell, generated=generated)
        found = pipeline.search(corpus, understood, replace(options, explained=False), tap=tap)
    return list(_places(prepared, found))


def _places(prepared: Prepared, found: list[pipeline.Ranked]) -> Iterator[RankedPlace]:
    code = prepared.code
    seen: set[tuple[str, str]] = set()
    for item in found:
        key = (code.path(item.file), code.symbol(item.unit) if item.unit >= 0 else "")
        if key not in seen:
            seen.add(key)
            yield RankedPlace(*key, item.score)
