"""Rank a prepared state without reading source or giving reasons: what evaluations need, a thousand places deep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from trackdown import pipeline
from trackdown.engine.prepare import Prepared
from trackdown.errors import UnknownRevision
from trackdown.query.understand import understand
from trackdown.retrieve.corpus import Corpus


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A file, or with a symbol a unit, with its score."""

    path: str
    symbol: str
    score: float


def rank(prepared: Prepared, query: str, options: pipeline.Options, seen_from: str | None = None) -> list[RankedPlace]:
    """The best places for a query, each symbol of a file once. `seen_from` is a full id: only its past is visible.

    Raises QueryError, and UnknownRevision when `seen_from` is not in the history of what was prepared.
    """
    found = pipeline.search(_corpus(prepared, seen_from), understand(query), replace(options, explained=False))
    return list(_places(prepared, found))


def _corpus(prepared: Prepared, seen_from: str | None) -> Corpus:
    if seen_from is None or prepared.history is None:
        return Corpus(prepared.code, prepared.history, graph=prepared.graph)
    index, commit = prepared.history
    if index.position(seen_from) < 0:
        raise UnknownRevision(f"commit {seen_from} is not in the history of {commit}")
    return Corpus(prepared.code, (index, seen_from), commit, prepared.graph)


def _places(prepared: Prepared, found: list[pipeline.Ranked]) -> Iterator[RankedPlace]:
    code = prepared.code
    seen: set[tuple[str, str]] = set()
    for item in found:
        key = (code.path(item.file), code.symbol(item.unit) if item.unit >= 0 else "")
        if key not in seen:
            seen.add(key)
            yield RankedPlace(*key, item.score)
