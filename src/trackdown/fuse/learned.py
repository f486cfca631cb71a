"""Learned fusion: a linear model over features of each channel, with fitted weights from a data file.

A channel has a few features for each candidate (`KINDS`): its score relative to its best, reciprocal ranks, whether it
found the candidate. A weight belongs to one feature and may depend on the query:

    lexical.scaled            always
    commits.rank10*long       in proportion to how long the query is
    mentions.scaled*-code     in proportion to how little code the query names

No weight is negative, so more evidence never lowers a score, and the signals' parts sum to it. There is a table of
weights for each set of channels that may be missing, because weights fitted with vectors are wrong without them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from trackdown.errors import ModelError

Floats = npt.NDArray[np.float64]
Stage = Literal["retrieve", "rerank"]
STAGES: tuple[Stage, ...] = ("retrieve", "rerank")

RANKED = 1000
"""Candidates below this rank all share the next one: ranking them takes time and tells nothing."""
_RECIPROCAL = {"rank0": 0, "rank10": 10, "rank60": 60}
KINDS = ("scaled", "root", "raw", "found", *_RECIPROCAL)
"""score / best, its square root, the score itself, found or not; (k + 1) / (k + rank), which is RRF's for k = 60."""
_FORMAT = 1
_PACKAGED = "learned.json"
_FUSED_LIKE = {"symbol": "function", "class": "function"}


def ranks_of(scores: Floats) -> Floats:
    """The rank of each candidate, from 1; 0 if it was not found. Equal scores share their best rank."""
    ranks = np.zeros(len(scores))
    found = np.flatnonzero(scores > 0)
    ranks[found] = RANKED + 1
    first, places = _first(scores[found])
    ranks[found[first]] = places
    return ranks


def feature(kind: str, scores: Floats, ranks: Floats, full: float) -> Floats:
    """One feature of one channel, 0 or more. `full` is the score that is scaled to 1."""
    if kind in _RECIPROCAL:
        k = _RECIPROCAL[kind]
        return np.where(ranks > 0, (k + 1) / (k + np.maximum(ranks, 1)), 0.0)
    if kind == "found":
        return (ranks > 0).astype(np.float64)
    positive = np.maximum(scores, 0.0)
    if kind == "raw":
        return positive
    scaled = positive / full if full > 0 else np.zeros(len(scores))
    return np.sqrt(scaled) if kind == "root" else scaled


@dataclass(frozen=True, slots=True)
class WeightTable:
    """Weights by feature. The table applies when all channels that it needs have run.

    `sharpness` scales scores to log-odds; fitting continues from it.
    """

    needs: tuple[str, ...]
    values: Mapping[str, float]
    sharpness: float = 1.0

    def for_query(self, query: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """Signal → kind of feature → weight for this query."""
        found: dict[str, dict[str, float]] = {}
        for name, weight in self.values.items():
            signal, kind, lean = split_name(name)
            share = lean_of(lean, query)
            if weight and share:
                kinds = found.setdefault(signal, {})
                kinds[kind] = kinds.get(kind, 0.0) + weight * share
        return found


def split_name(name: str) -> tuple[str, str, str]:
    """A feature's name as (signal, kind, the query feature it depends on, or '')."""
    head, _, lean = name.partition("*")
    signal, _, kind = head.rpartition(".")
    return signal, kind, lean


def lean_of(lean: str, query: Mapping[str, float]) -> float:
    """The share of a weight that counts for a query, 0 to 1."""
    if not lean:
        return 1.0
    share = min(max(query.get(lean.lstrip("-"), 0.0), 0.0), 1.0)
    return 1.0 - share if lean.startswith("-") else share


@dataclass(frozen=True, slots=True)
class LearnedFusion:
    """The fitted weights of one stage and level, best table first. `trained` describes the training data."""

    level: str
    tables: tuple[WeightTable, ...]
    stage: Stage = "retrieve"
    trained: Mapping[str, Any] = field(default_factory=dict)

    def table(self, signals: Collection[str]) -> WeightTable:
        """The first table whose channels all ran; the last table if there is none."""
        return next((table for table in self.tables if all(need in signals for need in table.needs)), self.tables[-1])

    def parts(
        self, scores: Mapping[str, Floats], floors: Mapping[str, float], query: Mapping[str, float]
    ) -> dict[str, Floats]:
        """What each signal adds to each candidate, 0 or more. A floor is a score that counts as full evidence."""
        weights = self.table(scores).for_query(query)
        return {
            signal: _part(values, floors.get(signal, 0.0), weights.get(signal, {})) for signal, values in scores.items()
        }

    def by_signal(self, signals: Collection[str], query: Mapping[str, float]) -> dict[str, float]:
        """The total weight of each signal for a query, all features at their maximum."""
        return {signal: sum(kinds.values()) for signal, kinds in self.table(signals).for_query(query).items()}

    def as_dict(self) -> dict[str, Any]:
        """A JSON object."""
        tables = [
            {"needs": list(table.needs), "sharpness": table.sharpness, "weights": dict(table.values)}
            for table in self.tables
        ]
        return {"stage": self.stage, "level": self.level, "trained": dict(self.trained), "tables": tables}


def _part(scores: Floats, floor: float, weights: Mapping[str, float]) -> Floats:
    """The sum of weight × feature, computed for found candidates only, with ranks only if a weight needs them."""
    part = np.zeros(len(scores))
    found = np.flatnonzero(scores > 0) if weights else np.zeros(0, dtype=np.int64)
    if not len(found):
        return part
    values = scores[found]
    full = max(float(values.max()), floor)
    linear = weights.get("scaled", 0.0) / full + weights.get("raw", 0.0)
    added = values * linear + weights.get("found", 0.0)
    if "root" in weights:
        added += weights["root"] * np.sqrt(values / full)
    by_rank = [(weights[kind], k) for kind, k in _RECIPROCAL.items() if kind in weights]
    if by_rank:
        behind = sum(weight * (k + 1) / (k + RANKED + 1) for weight, k in by_rank)
        first, ranks = _first(values)
        added += behind
        added[first] += sum(weight * (k + 1) / (k + ranks) for weight, k in by_rank) - behind
    part[found] = added
    return part


def _first(values: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """The positions of the best thousand values, ties with the last one included, and their ranks."""
    first = np.arange(len(values))
    if len(values) > RANKED:
        bar = np.partition(values, len(values) - RANKED)[len(values) - RANKED]
        first = np.flatnonzero(values >= bar)
    best = values[first]
    ranks = len(best) - np.searchsorted(np.sort(best), best, side="right") + 1
    return first, ranks.astype(np.float64)


def encode_fusions(fusions: Sequence[LearnedFusion]) -> str:
    """Fitted weights → JSON."""
    models = [fusion.as_dict() for fusion in fusions]
    return json.dumps({"format": _FORMAT, "fusions": models}, indent=1, sort_keys=True) + "\n"


def decode_fusions(text: str) -> list[LearnedFusion]:
    """JSON → fitted weights. Raises ValueError that says what is wrong."""
    try:
        value = json.loads(text)
        if value["format"] != _FORMAT:
            raise ValueError(f"written in format {value['format']!r}, not {_FORMAT}")
        return [_fusion(item) for item in value["fusions"]]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not learned weights: {error!r}") from None


def _fusion(item: Any) -> LearnedFusion:
    if item["stage"] not in STAGES:
        raise ValueError(f"unknown stage {item['stage']!r}")
    tables = tuple(
        WeightTable(tuple(map(str, table["needs"])), _checked(table["weights"]), float(table["sharpness"]))
        for table in item["tables"]
    )
    if not tables:
        raise ValueError("no table of weights")
    return LearnedFusion(str(item["level"]), tables, item["stage"], dict(item["trained"]))


def _checked(weights: Mapping[str, Any]) -> dict[str, float]:
    for name, weight in weights.items():
        signal, kind, _ = split_name(name)
        if not signal or kind not in KINDS:
            raise ValueError(f"unknown feature {name!r}")
        if not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise ValueError(f"the weight of {name!r} is {weight!r}: it must be a number, 0 or more")
    return {name: float(weight) for name, weight in weights.items()}


@lru_cache(maxsize=1)
def packaged_fusions() -> tuple[LearnedFusion, ...]:
    """The packaged weights; empty if there are none. Raises ModelError when they are damaged."""
    try:
        return tuple(decode_fusions(packaged_text()))
    except ValueError as error:
        raise ModelError(f"the packaged {_PACKAGED} is damaged ({error}): install trackdown again") from None


@lru_cache(maxsize=1)
def packaged_text() -> str:
    """The content of the file of packaged weights."""
    try:
        return resources.files("trackdown.fuse").joinpath(_PACKAGED).read_text("utf-8")
    except FileNotFoundError:
        return encode_fusions([])


def load_learned(level: str, stage: Stage = "retrieve") -> LearnedFusion | None:
    """The packaged weights for a level and stage, or None. Symbols and classes use those of functions."""
    return fusion_for(packaged_fusions(), level, stage)


def fusion_for(fusions: Sequence[LearnedFusion], level: str, stage: Stage = "retrieve") -> LearnedFusion | None:
    """The weights for a level and stage, else those of the level that is fused in the same way, or None."""
    for wanted in (level, _FUSED_LIKE.get(level)):
        for fusion in fusions:
            if fusion.level == wanted and fusion.stage == stage:
                return fusion
    return None
