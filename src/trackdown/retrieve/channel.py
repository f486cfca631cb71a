"""What a retriever gets and what it hands to fusion.

A retriever is a function `retrieve(request, before)` in a file beside this one: it scores all candidates of the level
searched and returns a Channel, or None when it has nothing to go by. `before` are the channels of the retrievers that
ran earlier. `pipeline.RETRIEVERS` lists them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.index.corpus import Corpus
from trackdown.query.understand import Query
from trackdown.retrieve.candidates import Candidates
from trackdown.types import Aggregation

Floats = npt.NDArray[np.float64]
Reasons = Callable[[Sequence[int]], list[str]]


@dataclass(frozen=True, slots=True)
class Request:
    """What is searched, what is ranked, and for what."""

    corpus: Corpus
    candidates: Candidates
    query: Query
    aggregation: Aggregation = "blend"
    commit_depth: int = 1000


@dataclass(frozen=True, slots=True)
class PastFound:
    """Past commits like the query, best first, by their positions; those behind a file; and one of them in words."""

    positions: Sequence[int]
    behind: Callable[[int], Sequence[int]]
    describe: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Channel:
    """Scores of one signal for all candidates (0: not found), and for chosen ones its reasons in words.

    `floor` is the score that counts as full evidence; 0 where only the order within this query means something.
    `units` are the scores of all units, where the signal has them: they say which part of a file to show. `past` are
    the commits behind the scores.
    """

    signal: str
    scores: Floats
    reasons: Reasons
    floor: float = 0.0
    units: Floats | None = None
    past: PastFound | None = None


Retriever = Callable[[Request, Sequence[Channel]], Channel | None]
