"""Which repositories of a fleet may answer a query: the first step of a search, over the tables alone.

Each channel finds rows by one kind of evidence: words of the text, names and paths, messages of the program and of
commits, vectors. A repository scores by its best rows in each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trackdown.fleet.rows import DIMENSIONS, message_words
from trackdown.fleet.table import quoted
from trackdown.index import UnitVectors
from trackdown.query import Query
from trackdown.units import terms, words

if TYPE_CHECKING:
    from trackdown.models import StaticTable

_MOST_TERMS = 32
_MOST_RUNS = 64
_BEST_ROWS = (1.0, 0.5, 0.25, 0.125)
"""How much the best rows of a repository count."""
_NAMED = 0.6
"""What it counts that the query says the name of a repository."""


@dataclass(frozen=True, slots=True)
class TableChannel:
    """One kind of evidence: the column it looks in, its weight, and how many rows it takes."""

    column: str
    weight: float
    rows: int


CHANNELS = (
    TableChannel("body", 1.0, 300),
    TableChannel("names", 0.4, 300),
    TableChannel("messages", 0.3, 300),
    TableChannel("history", 1.0, 300),
    TableChannel("vector", 0.3, 300),
)
"""Chosen on one issue each of 75 repositories; `benchmarks/fleet_quality.py` asks these and others."""
_FEW_WORDS = 20
_MESSAGE = 0.8
"""The weight of messages in a query of few words, which may be one. Issues share runs of three words by chance."""


@dataclass(frozen=True, slots=True)
class RowLimits:
    """The rows that count: of these languages, and of these repositories. None given means all."""

    languages: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()

    def condition(self, channel: TableChannel) -> str:
        """The filter for a channel; '' for none. Commits are in no language."""
        languages = () if channel.column == "history" else self.languages
        wanted = {"repository": self.repositories, "language": languages}
        return " AND ".join(f"{column} IN ({quoted(values)})" for column, values in wanted.items() if values)


def rank_repositories(
    tables: Sequence[Any], query: Query, names: Sequence[str], limits: RowLimits, static: StaticTable | None
) -> dict[str, float]:
    """The repositories of `names` that have anything in common with a query, best first, with their scores."""
    wanted = _asked(query, static)
    total: defaultdict[str, float] = defaultdict(float)
    for channel in CHANNELS:
        found: dict[str, list[float]] = {}
        for table in tables if channel.column in wanted else ():
            own: defaultdict[str, list[float]] = defaultdict(list)
            for name, score in _rows(table, channel, wanted[channel.column], limits):
                own[name].append(score)
            # A repository of several groups has the same rows in several tables.
            found |= {name: scores for name, scores in own.items() if max(scores) > max(found.get(name, (0.0,)))}
        is_short = len(query.text.split()) <= _FEW_WORDS
        weight = _MESSAGE if channel.column == "messages" and is_short else channel.weight
        for name, score in _by_repository(found).items():
            total[name] += weight * score
    for name in names:
        share = _says_name(query, name)
        if share:
            total[name] += _NAMED * share
    known = set(names)
    ranked = sorted((name for name in total if name in known), key=lambda name: (-total[name], name))
    return {name: total[name] for name in ranked}


def _asked(query: Query, static: StaticTable | None) -> dict[str, Any]:
    """What each channel looks for; those with nothing to look for are left out."""
    telling = sorted(query.weights, key=lambda term: (-query.weights[term], term))[:_MOST_TERMS]
    text = " ".join(term for term in telling if not any(sign.isspace() for sign in term))
    found: dict[str, Any] = {column: text for column in ("body", "names", "history") if text}
    runs = list(dict.fromkeys(message_words(query.text)))[:_MOST_RUNS]
    if runs:
        found["messages"] = " ".join(runs)
    if static is not None and static.dimensions == DIMENSIONS:
        vector = UnitVectors(static, []).vector(query.text, query.weights)
        if vector.any():
            found["vector"] = vector
    return found


def _rows(table: Any, channel: TableChannel, wanted: Any, limits: RowLimits) -> list[tuple[str, float]]:
    """Repository and score of the best rows of a channel."""
    from lancedb.query import MatchQuery

    if channel.column == "vector":
        asked, score = table.search(wanted).distance_type("cosine"), "_distance"
    else:
        asked, score = table.search(MatchQuery(wanted, channel.column), query_type="fts"), "_score"
    if condition := limits.condition(channel):
        asked = asked.where(condition, prefilter=True)
    found = asked.select(["repository", score]).limit(channel.rows).to_arrow()
    scores = found[score].to_pylist()
    if score == "_distance":
        scores = [1.0 - distance for distance in scores]
    return [(name, value) for name, value in zip(found["repository"].to_pylist(), scores, strict=True) if value > 0]


def _by_repository(found: Mapping[str, list[float]]) -> dict[str, float]:
    """A score for each repository, between 0 and 1: its best rows, relative to those of the best repository."""
    sums = {
        name: sum(share * score for share, score in zip(_BEST_ROWS, sorted(scores, reverse=True), strict=False))
        for name, scores in found.items()
    }
    best = max(sums.values(), default=1.0)
    return {name: value / best for name, value in sums.items()}


def _says_name(query: Query, name: str) -> float:
    """How much of a repository's own name a query says: the last part of owner/name."""
    parts = [term for word in words(name.rsplit("/", 1)[-1]) for term in terms(word)[:1]]
    return sum(part in query.weights for part in parts) / len(parts) if parts else 0.0
