"""Rank a prepared state without reading source or giving reasons: what evaluations need, a thousand places deep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from trackdown import pipeline
from trackdown.engine.corpus import corpus_of
from trackdown.engine.prepare import Prepared
from trackdown.engine.snippets import Snippets
from trackdown.query.understand import understand


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A file, or with a symbol a unit, with its score."""

    path: str
    symbol: str
    score: float


def rank(
    prepared: Prepared,
    query: str,
    options: pipeline.Options,
    seen_from: str | None = None,
    tap: pipeline.Tap | None = None,
) -> list[RankedPlace]:
    """The best places for a query, each symbol of a file once. `seen_from` is a full id: only its past is visible.

    `tap` hears what every stage said of the candidates. Raises QueryError, and UnknownRevision when `seen_from` is not
    in the history of what was prepared.
    """
    understood = understand(query)
    with Snippets(prepared.snapshot) as snippets:
        corpus = corpus_of(prepared, snippets, seen_from)
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
