"""The reasons for a candidate's rank, and the scores of every stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trackdown.pipeline.fusing import Fused
from trackdown.pipeline.plan import Tapped
from trackdown.rerank import Reranking
from trackdown.types import GENERATED, PROSE, TEST, VENDORED, Why

_ROLE_NAMES = {TEST: "a test", PROSE: "prose", VENDORED: "third-party code", GENERATED: "generated code"}


def reasons(
    fused: Fused,
    listed: Sequence[int],
    verdict: Reranking,
    places: Sequence[int],
    moves: Mapping[int, Why],
) -> list[tuple[Why, ...]]:
    """For each listed candidate, what each stage added to its score. A factor is mentioned."""
    remarks = [_remark(fused, candidate) for candidate in listed]
    collected: list[list[Why]] = [[] for _ in listed]
    for channel, part in zip(fused.channels, fused.parts, strict=True):
        values = part[list(listed)].tolist()
        rows = [row for row, value in enumerate(values) if value]
        details = channel.reasons([listed[row] for row in rows])
        for row, detail in zip(rows, details, strict=True):
            value = values[row] * verdict.fused_factor
            collected[row].append(Why(channel.signal, value, detail + remarks[row]))
    describe = fused.past.describe if fused.past is not None else str
    for row, (candidate, place) in enumerate(zip(listed, places, strict=True)):
        collected[row] += [moves[candidate]] if candidate in moves else []
        collected[row] += [Why(*part) for part in verdict.explain(place, row + 1, describe)]
    return [tuple(sorted(found, key=lambda part: (-part.value, part.signal))) for found in collected]


def _remark(fused: Fused, candidate: int) -> str:
    """Why a candidate's score was multiplied by less than 1, in brackets; empty if it was not."""
    factor = float(fused.factor[candidate])
    if factor == 1.0:
        return ""
    role = _ROLE_NAMES.get(int(fused.pool.roles[candidate]))
    because = [f"as {role}"] if role else []
    if candidate in fused.gives_way:
        because.append(f"because it only declares {fused.gives_way[candidate]}")
    return f" (×{factor:g} {', '.join(because)})"


def tapped(fused: Fused, chosen: Sequence[int], verdict: Reranking) -> Tapped:
    pool, channels, rows = fused.pool, fused.channels, list(chosen)
    return Tapped(
        pool.units[rows].tolist(),
        pool.files[rows].tolist(),
        {channel.signal: channel.scores[rows] for channel in channels},
        {channel.signal: float(channel.scores.max(initial=0.0)) for channel in channels},
        {channel.signal: channel.floor for channel in channels},
        fused.total[rows],
        fused.factor[rows],
        dict(verdict.raw),
    )
