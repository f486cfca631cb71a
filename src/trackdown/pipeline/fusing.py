"""Channels → one score per candidate, and what each channel adds to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from trackdown.fuse import adapted, fuse_rrf, fuse_weighted
from trackdown.index import CodeIndex, Mask
from trackdown.pipeline.other_words import OTHERS_SHARE, other_words
from trackdown.pipeline.plan import SearchPlan
from trackdown.pipeline.roles import candidate_factors, role_factors
from trackdown.query import Query
from trackdown.retrieve import Candidates, Channel, PastFound, deep

Floats = npt.NDArray[np.float64]
_MEANT = 4.0
"""What a query can only mean counts more, in shares of its channel's weight: of a line such as `src/app.py:30: error`,
whatever else it names, the code at that line; of a commit's id, the files that the commit changed."""


@dataclass(frozen=True, slots=True)
class Fused:
    """All candidates, the channels, and what each channel adds to their scores.

    `factor` is what each candidate's score was multiplied by, for its file's role or because it gives way to another,
    which `gives_way` names. `allowed` says which candidates may be in the answer, `other_words` how far the query is
    beyond the words of the code.
    """

    pool: Candidates
    channels: Sequence[Channel]
    parts: Sequence[Floats]
    total: Floats
    factor: Floats
    allowed: Mask
    gives_way: Mapping[int, str] = field(default_factory=dict)
    other_words: float = 0.0

    @property
    def units(self) -> Floats:
        """Scores of all units, to find the best part of a class or file."""
        scores = [channel.units for channel in self.channels if channel.units is not None]
        return _added([units / units.max(initial=1e-9) for units in scores])

    def best_units(self, chosen: Sequence[int]) -> list[int]:
        """The best unit of each chosen candidate; -1 if it has none."""
        if self.pool.by_itself:
            return [int(unit) for unit in self.pool.units[list(chosen)]]  # no need for the scores of all units
        return self.pool.best_units(chosen, self.units)

    @property
    def past(self) -> PastFound | None:
        """The past commits that were found."""
        return next((channel.past for channel in self.channels if channel.past is not None), None)


def fuse(
    index: CodeIndex,
    pool: Candidates,
    query: Query,
    options: SearchPlan,
    channels: Sequence[Channel],
    allowed: Mask,
) -> Fused:
    """One score for each candidate. Files that are not the project's own code count less unless the query asks for
    them.
    """
    factors = role_factors(query, foreign=options.foreign) if options.roles else {}
    factor = candidate_factors(pool, index, query, factors)
    meant = meant_by(channels)
    if meant is not None and factor[meant > 0].max(initial=0.0) < 1.0:
        factor[meant > 0] = 1.0  # the query means tests or prose
    beyond = other_words(query, channels)
    parts = _parts(channels, query, options, beyond)
    for part in parts:
        part *= factor
    return Fused(pool, channels, parts, _added(parts), factor, allowed, other_words=beyond)


def _added(arrays: Sequence[Floats]) -> Floats:
    """The sum of arrays of one length, added in order."""
    total = arrays[0].copy()
    for array in arrays[1:]:
        total += array
    return total


def meant_by(channels: Sequence[Channel]) -> Floats | None:
    """What candidates score for being all that the query can mean; None if it may mean anything."""
    return next((channel.meant for channel in channels if channel.meant is not None), None)


def _parts(channels: Sequence[Channel], query: Query, options: SearchPlan, beyond: float) -> list[Floats]:
    """What each channel adds to each candidate, by the plan's fusion, in new arrays."""
    by_signal = dict(options.weights)
    if options.adaptive:
        by_signal = adapted(by_signal, names_code=bool(query.names or query.frames or query.paths))
    if beyond:
        share = OTHERS_SHARE**beyond
        by_signal = {name: weight if name == deep.SIGNAL else share * weight for name, weight in by_signal.items()}
    weights = [by_signal[channel.signal] for channel in channels]
    if options.fusion == "rrf":
        parts = fuse_rrf([channel.scores for channel in channels], weights)
    else:
        parts = fuse_weighted(
            [channel.scores for channel in channels], weights, [channel.floor for channel in channels]
        )
    for part, weight, channel in zip(parts, weights, channels, strict=True):
        if channel.meant is not None:
            part += _MEANT * weight * channel.meant / channel.meant.max(initial=1e-9)
    return parts
