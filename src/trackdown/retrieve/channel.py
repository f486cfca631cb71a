"""The input and output of a retriever.

A retriever is a function `retrieve(request, before)` in a file of this room. It scores all candidates of the level and
returns a Channel, or None if it has no evidence. `before` are the channels of the retrievers that ran earlier.
`pipeline.RETRIEVERS` lists them in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from trackdown.index import Corpus
from trackdown.query import Query
from trackdown.retrieve.candidate_pool import Candidates
from trackdown.types import Aggregation, Match

Floats = npt.NDArray[np.float64]
Reasons = Callable[[Sequence[int]], list[Match]]
"""Candidates that were found → what matched in each."""
Views = Callable[[], Mapping[str, Floats]]
"""Further numbers of a signal by name, one for each candidate. A function, because only a ranker asks for them."""


@dataclass(frozen=True, slots=True)
class Request:
    """The corpus to search, the candidates to rank, and the query. `word_forms` also finds other forms of its words."""

    corpus: Corpus
    candidates: Candidates
    query: Query
    aggregation: Aggregation = "blend"
    commit_depth: int = 1000
    word_forms: bool = True


@dataclass(frozen=True, slots=True)
class PastFound:
    """Positions of past commits similar to the query, best first, and those behind a file.

    `describe` identifies a commit: short id, subject and date. `quote` is how one speaks of it: subject and year.
    """

    positions: Sequence[int]
    behind: Callable[[int], Sequence[int]]
    describe: Callable[[int], str]
    quote: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class MatchedTerms:
    """Which of the query's `terms` some candidates have: `present` has a row per candidate, a column per term.

    `rarity` is what each term weighs, times its idf; `known` says whether it occurs anywhere.
    """

    terms: Sequence[str]
    rarity: Floats
    known: npt.NDArray[np.bool_]
    present: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Channel:
    """Scores of one signal for all candidates (0: not found), and a function that says what matched.

    `floor` is the score that counts as full evidence; 0 if scores are only comparable within one query. `units` are the
    scores of all units, if the signal has them: they decide which part of a file to show. `past` are the commits behind
    the scores. `views` are features of the ranker. `matched` tells which terms of the query candidates have.
    `elsewhere` says where strong evidence is that no candidate has, if there is any. `meant` scores what the query can
    only mean: the code at a place such as `src/app.py:30`, or what it is nothing but the name of. `sought` is what
    terms to look for in the lines of a result; `names` are the names in a unit's text that stand for what the query
    says.
    """

    signal: str
    scores: Floats
    reasons: Reasons
    floor: float = 0.0
    units: Floats | None = None
    past: PastFound | None = None
    views: Views = dict
    matched: Callable[[Sequence[int]], MatchedTerms] | None = None
    elsewhere: str = ""
    meant: Floats | None = None
    sought: Callable[[], Mapping[str, tuple[int, float]]] | None = None
    names: Mapping[int, str] = field(default_factory=dict)


Retriever = Callable[[Request, Sequence[Channel]], Channel | None]
