"""The cascade on one page: retrieve → fuse → order. Every stage's part in a score stays apart, so it can be explained.

Stages that rerank or expand join here when they exist; `explain.py` turns parts into words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from trackdown.explain import Part
from trackdown.fuse.rrf import rrf
from trackdown.fuse.weighted import weighted
from trackdown.index.code import CodeIndex
from trackdown.index.commits import CommitIndex
from trackdown.query.understand import Query
from trackdown.repository.ignore import is_below
from trackdown.repository.roles import PROSE, TEST
from trackdown.retrieve import commits as past_commits
from trackdown.retrieve import lexical as lexical_source
from trackdown.retrieve import mentions as mention_source
from trackdown.retrieve.candidates import Candidates, candidates
from trackdown.retrieve.channel import Channel
from trackdown.types import Aggregation, Fusion, Level

ROLE_FACTORS = {TEST: 0.3, PROSE: 0.5}
"""What the scores of tests and of prose are multiplied by unless the query asks for them."""
_ROLE_NAMES = {TEST: "a test", PROSE: "prose"}


@dataclass(frozen=True, slots=True)
class Options:
    """How to search. `folders` restrict the answer, not the statistics behind it."""

    level: Level = "function"
    k: int = 10
    tests: bool = True
    folders: tuple[str, ...] = ()
    fusion: Fusion = "weighted"
    aggregation: Aggregation = "blend"
    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0), ("commits", 0.5), ("mentions", 0.5))


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in the order of the answer. `unit` is -1 for a file; `best_unit` is what to show of it."""

    unit: int
    file: int
    best_unit: int
    score: float
    parts: tuple[Part, ...]


class Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Book the time since the last lap under a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


def search(
    code: CodeIndex,
    history: tuple[CommitIndex, str] | None,
    query: Query,
    options: Options,
    watch: Stopwatch | None = None,
) -> list[Ranked]:
    """Rank a snapshot's functions, classes or files for a query. `history` is an index and the commit to look from."""
    watch = watch or Stopwatch()
    pool = candidates(code, options.level)
    lexical = lexical_source.Lexical(code, query.weights)
    channels = [_lexical(code, pool, lexical)]
    watch.lap("lexical")
    channels.append(_mentions(code, pool, query))
    watch.lap("mentions")
    if history is not None:
        channels.append(_commits(code, pool, query, *history, options.aggregation, channels))
        watch.lap("commits")
    parts = _fuse(channels, options)
    total = np.sum(parts, axis=0)
    factors = _role_factors(query)
    factor = np.array([factors.get(role, 1.0) for role in range(3)])[code.file_role[pool.files]]
    parts, total = [part * factor for part in parts], total * factor
    allowed = _allowed(code, pool, options)
    chosen = _best(np.where(allowed, total, 0.0), options.k, pool, code)
    watch.lap("fuse")
    shown = pool.best_units(chosen, lexical.units)
    ranked = _explained(code, pool, channels, parts, total, chosen, shown, factors)
    watch.lap("explain")
    return ranked


def _role_factors(query: Query) -> dict[int, float]:
    asked = {TEST: query.asks_for_tests, PROSE: query.asks_for_prose}
    return {role: factor for role, factor in ROLE_FACTORS.items() if not asked[role]}


def _lexical(code: CodeIndex, pool: Candidates, lexical: lexical_source.Lexical) -> Channel:
    def reasons(chosen: Sequence[int]) -> list[str]:
        return lexical.details(pool.best_units(np.asarray(chosen, dtype=np.int64), lexical.units).tolist())

    return Channel(lexical_source.SIGNAL, pool.from_units(lexical.units), reasons)


def _mentions(code: CodeIndex, pool: Candidates, query: Query) -> Channel:
    found = mention_source.mentions(code, query)
    scores = pool.from_units(found.units)
    scores += pool.from_files(found.files) * (1.0 if pool.level == "file" else 0.4)

    def reasons(chosen: Sequence[int]) -> list[str]:
        said = []
        for candidate in chosen:
            unit, file = int(pool.units[candidate]), int(pool.files[candidate])
            words = [*found.said_of_units.get(unit, []), *found.said_of_files.get(file, [])]
            said.append(
                "the query has " + ", ".join(dict.fromkeys(words)) if words else "a member is named in the query"
            )
        return said

    return Channel(mention_source.SIGNAL, np.minimum(scores, 1.5), reasons, floor=1.0)


def _commits(
    code: CodeIndex, pool: Candidates, query: Query, index: CommitIndex, commit: str, how: Aggregation,
    others: Sequence[Channel],
) -> Channel:  # fmt: skip
    """Commits speak for files; below file level, for what has evidence of its own in such a file."""
    past = past_commits.PastCommits(index, commit, query.weights)
    files = past.files(code.files_by_path, how)
    by_file = np.zeros(len(code.file_alive))
    by_file[files.files] = files.scores
    scores = pool.from_files(by_file)
    if pool.level != "file":
        own = others[0].scores
        scores = scores * (own / own.max(initial=1e-9))

    def reasons(chosen: Sequence[int]) -> list[str]:
        return ["like " + past.describe(files.commits(int(pool.files[candidate]))) for candidate in chosen]

    return Channel(past_commits.SIGNAL, scores, reasons)


def _fuse(channels: Sequence[Channel], options: Options) -> list[npt.NDArray[np.float64]]:
    chosen = dict(options.weights)
    weights = [chosen[channel.signal] for channel in channels]
    scores = [channel.scores for channel in channels]
    if options.fusion == "rrf":
        return rrf(scores, weights)
    return weighted(scores, weights, [channel.floor for channel in channels])


def _allowed(code: CodeIndex, pool: Candidates, options: Options) -> npt.NDArray[np.bool_]:
    allowed = np.ones(pool.count, dtype=bool)
    if not options.tests:
        allowed &= code.file_role[pool.files] != TEST
    if options.folders and "" not in options.folders:
        inside = np.zeros(len(code.file_alive), dtype=bool)
        for path, file in code.files_by_path.items():
            inside[file] = any(is_below(path, folder) for folder in options.folders)
        allowed &= inside[pool.files]
    return allowed


def _best(scores: npt.NDArray[np.float64], k: int, pool: Candidates, code: CodeIndex) -> npt.NDArray[np.int64]:
    """The k best candidates with a score; equals by path and line, so that the order never depends on the index."""
    found = np.flatnonzero(scores > 0)
    if len(found) > k:
        bar = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= bar]
    line = np.where(pool.units[found] >= 0, code.unit_start[pool.units[found]], 0)
    order = sorted(
        zip((-scores[found]).tolist(), found.tolist(), line.tolist(), strict=True),
        key=lambda item: (item[0], code.path(int(pool.files[item[1]])), item[2]),
    )
    return np.array([candidate for _, candidate, _ in order[:k]], dtype=np.int64)


def _explained(
    code: CodeIndex,
    pool: Candidates,
    channels: Sequence[Channel],
    parts: Sequence[npt.NDArray[np.float64]],
    total: npt.NDArray[np.float64],
    chosen: npt.NDArray[np.int64],
    shown: npt.NDArray[np.int64],
    factors: dict[int, float],
) -> list[Ranked]:
    collected: list[list[Part]] = [[] for _ in chosen]
    for channel, part in zip(channels, parts, strict=True):
        rows = [row for row, candidate in enumerate(chosen.tolist()) if part[candidate] > 0]
        for row, detail in zip(rows, channel.reasons([int(chosen[row]) for row in rows]), strict=True):
            role = int(code.file_role[pool.files[chosen[row]]])
            if role in factors:
                detail += f" ({_ROLE_NAMES[role]} counts ×{factors[role]})"
            collected[row].append(Part(channel.signal, float(part[chosen[row]]), detail))
    return [
        Ranked(
            int(pool.units[candidate]), int(pool.files[candidate]), int(shown[row]), float(total[candidate]),
            tuple(collected[row]),
        )
        for row, candidate in enumerate(chosen.tolist())
    ]  # fmt: skip
