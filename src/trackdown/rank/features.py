"""What a ranker knows about each candidate, as one row of numbers. A number that is not known is nan.

The name of a feature begins with the signal that it speaks for, because a ranker's reasons are grouped by signal.
`fused` stands for the sum of all channels, `shape` for the candidate itself and `query` for the query.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from trackdown.index import CodeIndex
from trackdown.query import Query
from trackdown.retrieve import Candidates, Channel
from trackdown.types import FUNCTION_KINDS
from trackdown.units import terms, words

Floats = npt.NDArray[np.float64]
NOT_RANKED = 2000.0
"""The rank of a candidate that a channel did not find."""
_CONSTRUCTORS = frozenset({"__init__", "constructor", "__construct", "initialize", "init", "new"})


@dataclass(frozen=True, slots=True)
class ModelValues:
    """What models said of the candidates of a table, nan for those they did not read, by signal and by view."""

    values: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """A row for each candidate, a column for each name."""

    names: tuple[str, ...]
    values: Floats

    def columns(self, wanted: Sequence[str]) -> Floats:
        """The columns of these names in this order; nan for one that the table lacks."""
        place = {name: number for number, name in enumerate(self.names)}
        found = np.full((len(self.values), len(wanted)), np.nan)
        for number, name in enumerate(wanted):
            if name in place:
                found[:, number] = self.values[:, place[name]]
        return found

    def rows(self, wanted: Sequence[int]) -> FeatureTable:
        """The table with these rows only."""
        return FeatureTable(self.names, self.values[list(wanted)])

    def with_models(self, models: ModelValues) -> FeatureTable:
        """The table with what models said: the value, its distance from the best, and its rank."""
        names, columns = list(self.names), [self.values]
        for signal, values in models.values.items():
            known = ~np.isnan(values)
            best = float(values[known].max()) if known.any() else math.nan
            ranks = np.full(len(values), np.nan)
            ranks[known] = _places(values[known])
            names += [f"{signal}.value", f"{signal}.behind", f"{signal}.rank"]
            columns.append(np.stack([values, best - values, ranks], axis=1))
        return FeatureTable(tuple(names), np.concatenate(columns, axis=1))


def feature_table(
    index: CodeIndex,
    pool: Candidates,
    channels: Sequence[Channel],
    fused: Floats,
    factor: Floats,
    query: Query,
    chosen: Sequence[int],
) -> FeatureTable:
    """The features of the chosen candidates, best fused score first, without those of models."""
    rows = np.array(chosen, dtype=np.int64)
    columns: dict[str, Floats] = {}
    for channel in channels:
        _channel_columns(columns, channel, rows)
    _scaled(columns, "fused", fused, rows)
    groups = {"file": pool.files[rows]}
    if pool.by_itself:
        groups["class"] = _class_of(index, pool.units[rows])
    for name in ("fused", *(channel.signal for channel in channels)):
        shares = columns[f"{name}.share"]
        for group, members in groups.items():
            _neighbour_columns(columns, f"{name}.{group}", shares, members)
    _shape_columns(columns, index, pool, rows, factor)
    _name_columns(columns, index, pool, rows, query)
    _query_columns(columns, index, query, len(rows))
    return FeatureTable(tuple(columns), np.stack(list(columns.values()), axis=1))


def _channel_columns(columns: dict[str, Floats], channel: Channel, rows: npt.NDArray[np.int64]) -> None:
    """Scores, their shares of the best, and their ranks: of the channel itself, and of each of its views."""
    columns[f"{channel.signal}.score"] = channel.scores[rows]
    _scaled(columns, channel.signal, channel.scores, rows)
    for view, scores in channel.views().items():
        columns[f"{channel.signal}.{view}"] = scores[rows]
        _scaled(columns, f"{channel.signal}.{view}", scores, rows)


def _scaled(columns: dict[str, Floats], name: str, scores: Floats, rows: npt.NDArray[np.int64]) -> None:
    best = float(scores.max(initial=0.0))
    own = scores[rows]
    columns[f"{name}.share"] = own / best if best > 0 else np.zeros(len(rows))
    columns[f"{name}.rank"] = _ranks(own)


def _ranks(values: Floats) -> Floats:
    """Ranks by the scores of a channel. A score of 0 says that the channel did not find the candidate."""
    return np.where(values > 0, _places(values), NOT_RANKED)


def _places(values: Floats) -> Floats:
    """Ranks from 1 among the given values, the highest first; equal values share the best rank."""
    above = len(values) - np.searchsorted(np.sort(values), values, side="right")
    return (above + 1).astype(np.float64)


def _neighbour_columns(columns: dict[str, Floats], name: str, shares: Floats, members: npt.NDArray[np.int64]) -> None:
    """The best share of the other members of a candidate's group, and the candidate's rank within the group."""
    order = np.lexsort((-shares, members))
    grouped = members[order]
    starts = np.concatenate(([True], grouped[1:] != grouped[:-1])) if len(order) else np.zeros(0, dtype=bool)
    group = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    sizes = np.diff(np.append(first, len(order)))
    ordered = shares[order]
    best = ordered[first]
    second = np.where(sizes > 1, ordered[np.minimum(first + 1, len(order) - 1)], 0.0) if len(order) else best
    place = np.arange(len(order)) - first[group] if len(order) else group
    others = np.empty(len(order))
    others[order] = np.where(place == 0, second[group], best[group]) if len(order) else others
    within = np.empty(len(order))
    within[order] = place + 1.0
    alone = members < 0
    columns[f"{name}_best"] = np.where(alone, np.nan, others)
    columns[f"{name}_rank"] = np.where(alone, np.nan, within)


def _class_of(index: CodeIndex, units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray(index.unit_class[units], dtype=np.int64)


def _shape_columns(
    columns: dict[str, Floats], index: CodeIndex, pool: Candidates, rows: npt.NDArray[np.int64], factor: Floats
) -> None:
    """Length, kind, position and role."""
    files, units = pool.files[rows], pool.units[rows]
    lines = np.maximum(index.file_lines[files], 1).astype(np.float64)
    columns["shape.file_lines"] = lines
    columns["shape.factor"] = factor[rows]
    if pool.by_itself:
        start, end = index.unit_start[units], index.unit_end[units]
        columns["shape.lines"] = (end - start + 1).astype(np.float64)
        columns["shape.position"] = start / lines
        columns["shape.function"] = index.is_kind(FUNCTION_KINDS)[units].astype(np.float64)
        columns["shape.declares"] = index.unit_declares[units].astype(np.float64)
        columns["shape.member"] = (index.unit_class[units] >= 0).astype(np.float64)


def _name_columns(
    columns: dict[str, Floats], index: CodeIndex, pool: Candidates, rows: npt.NDArray[np.int64], query: Query
) -> None:
    """How much of a candidate's name the query says: in its title, anywhere, as a whole word, and its class."""
    said, titled = set(query.weights), set(_all_terms(query.title))
    whole = {word.lower() for word in words(query.text)}
    width = 7
    found = np.zeros((len(rows), width))
    for row, candidate in enumerate(rows.tolist()):
        unit, path = int(pool.units[candidate]), index.path(int(pool.files[candidate]))
        symbol = index.symbol(unit) if unit >= 0 else ""
        stem = path.rsplit("/", 1)[-1].split(".", 1)[0]
        owner, _, last = (symbol or stem).rpartition(".")
        parts = [term for word in words(last) for term in terms(word)]
        count = max(len(parts), 1)
        found[row] = (
            sum(term in said for term in parts) / count,
            sum(term in titled for term in parts) / count,
            last.lower() in whole,
            bool(owner) and owner.rpartition(".")[2].lower() in whole,
            stem.lower() in whole,
            len(parts),
            last in _CONSTRUCTORS or last == owner.rpartition(".")[2],
        )
    names = ("said", "titled", "whole", "owner_whole", "file_whole", "length", "constructor")
    for number, name in enumerate(names):
        columns[f"shape.name_{name}"] = found[:, number]


def _all_terms(text: str) -> list[str]:
    return [term for word in words(text) for term in terms(word)]


def _query_columns(columns: dict[str, Floats], index: CodeIndex, query: Query, count: int) -> None:
    """The kind of query, the same for every candidate."""
    values = {
        "terms": math.log1p(len(query.weights)),
        "characters": math.log1p(len(query.text)),
        "code": math.log1p(sum(map(len, query.code))),
        "frames": float(len(query.frames)),
        "names": float(len(query.names)),
        "units": math.log1p(len(index.unit_file)),
    }
    for name, value in values.items():
        columns[f"query.{name}"] = np.full(count, value)
