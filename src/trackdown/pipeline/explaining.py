"""The reasons for a candidate's rank, and the scores of every stage.

Two things make a reason: what a signal found, in words, from whoever looked (`matches`), and its share of the score,
from whoever ranked (`values`). `reasons` joins them by signal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from trackdown.pipeline.fusing import Fused, meant_by
from trackdown.pipeline.plan import Tapped
from trackdown.query import Query
from trackdown.rerank import Reranking
from trackdown.retrieve import MatchedTerms
from trackdown.types import GENERATED, PROSE, TEST, VENDORED, Match, Why

_ROLE_NAMES = {TEST: "a test", PROSE: "prose", VENDORED: "third-party code", GENERATED: "generated code"}
_NOTHING = Match("", telling=False)

Matches = Mapping[str, Match]
"""What each signal found in one candidate."""


def reasons(found: Sequence[Matches], values: Sequence[Mapping[str, float]], numbers: bool) -> list[tuple[Why, ...]]:
    """The reasons for each candidate, strongest first. `numbers` says whether to show the figures behind the words."""
    every = []
    for matches, shares in zip(found, values, strict=True):
        whys = []
        for signal in dict.fromkeys([*shares, *matches]):
            match = matches.get(signal, _NOTHING)
            whys.append(Why(signal, shares.get(signal, 0.0), match.text, match.numbers if numbers else {}))
        every.append(tuple(sorted(whys, key=lambda why: (-why.value, why.signal))))
    return every


def values(fused: Fused, listed: Sequence[int], verdict: Reranking, places: Sequence[int]) -> list[dict[str, float]]:
    """What each signal adds to the score of each listed candidate."""
    parts = {
        channel.signal: (part[list(listed)] * verdict.fused_factor).tolist()
        for channel, part in zip(fused.channels, fused.parts, strict=True)
    }
    return [
        {signal: shares[row] for signal, shares in parts.items() if shares[row]} | verdict.values(place)
        for row, place in enumerate(places)
    ]


def matches(
    fused: Fused,
    listed: Sequence[int],
    verdict: Reranking,
    places: Sequence[int],
    moves: Mapping[int, Matches],
) -> list[dict[str, Match]]:
    """What each signal found in each listed candidate. Numbers include a factor below 1."""
    found: list[dict[str, Match]] = [{} for _ in listed]
    for channel, part in zip(fused.channels, fused.parts, strict=True):
        rows = [row for row, candidate in enumerate(listed) if part[candidate]]
        for row, match in zip(rows, channel.reasons([listed[row] for row in rows]), strict=True):
            remark = _remark(fused, listed[row])
            factor = {f"factor ({remark})": float(fused.factor[listed[row]])} if remark else {}
            found[row][channel.signal] = replace(match, numbers={**match.numbers, **factor})
    for row, (candidate, place) in enumerate(zip(listed, places, strict=True)):
        found[row] |= moves.get(candidate, {})
        found[row] |= verdict.matches(place, row + 1, fused.past)
    return found


def remarks(fused: Fused, listed: Sequence[int]) -> list[str]:
    """What makes each listed candidate rank lower, in words; mostly nothing."""
    return [_remark(fused, candidate) for candidate in listed]


def _remark(fused: Fused, candidate: int) -> str:
    if fused.factor[candidate] == 1.0:
        return ""
    said = [_ROLE_NAMES.get(int(fused.pool.roles[candidate]), "")]
    if candidate in fused.gives_way:
        said.append(f"only declares {fused.gives_way[candidate]}")
    return "; ".join(filter(None, said))


def tapped(fused: Fused, chosen: Sequence[int], verdict: Reranking, query: Query) -> Tapped:
    """The scores of every stage for a query."""
    channels, rows = fused.channels, list(chosen)
    meant = meant_by(channels)
    return Tapped(
        fused.pool.files[rows].tolist(),
        {channel.signal: channel.scores[rows] for channel in channels},
        {channel.signal: float(channel.scores.max(initial=0.0)) for channel in channels},
        fused.factor[rows],
        dict(verdict.raw),
        verdict.order,
        verdict.scores(fused.total[rows]),
        partial(_matched, fused, chosen),
        next((channel.elsewhere for channel in channels if channel.elsewhere), ""),
        query.speaker,
        int(np.count_nonzero(fused.allowed & (fused.total > 0))) if query.exactly_quoted else None,
        None if meant is None else meant[rows] > 0,
    )


def _matched(fused: Fused, chosen: Sequence[int], places: Sequence[int]) -> MatchedTerms:
    """Which terms of the query the candidates at some places have: what the first channel knows, which is lexical."""
    matched = fused.channels[0].matched
    assert matched is not None
    return matched([chosen[place] for place in places])
