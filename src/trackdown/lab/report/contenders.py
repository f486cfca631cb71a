"""Run files → contenders: one per run and mode, with its scored cases and the part of every ranking that is shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trackdown.errors import UsageError
from trackdown.lab import CodeLocation, Evaluation, Row, by_mode, evaluation, read_run, why_not_scored
from trackdown.lab.report.wording import named, reasons

SHOWN = 10

CaseKey = tuple[str, frozenset[CodeLocation]]


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """What one mode found for one case. `seen` has the ranks and places of the first ten and of all that are gold."""

    id: str
    query: str
    gold: tuple[CodeLocation, ...]
    repository: str
    category: str
    seen: tuple[tuple[int, CodeLocation], ...]

    @property
    def key(self) -> CaseKey:
        """Cases of two runs are the same when they have one name and one truth."""
        return self.id, frozenset(self.gold)


@dataclass(frozen=True, slots=True)
class Contender:
    """One mode of one run. `cases` stand in the order of `evaluation`; `deepest` is its longest ranking."""

    label: str
    run: str
    mode: str
    cases: tuple[ScoredCase, ...]
    evaluation: Evaluation
    benches: frozenset[str]
    levels: frozenset[str]
    deepest: int

    @property
    def total(self) -> int:
        """How many cases the run has, scored or not."""
        return len(self.cases) + sum(self.evaluation.skipped.values())


def read_contenders(paths: Sequence[Path]) -> list[Contender]:
    """The contenders of several run files, in their order.

    A contender is called by its mode, and by `file: mode` when there are several files. Raises UsageError for a file
    that cannot be read, is no whole run file, is named twice, or in which some mode has no case that could be scored.
    """
    if not paths:
        raise UsageError("name at least one run file")
    names = _names(paths)
    found = []
    for path, name in zip(paths, names, strict=True):
        for mode, rows in by_mode(_read_whole(path)).items():
            label = named(mode) if len(paths) == 1 else f"{name}: {named(mode)}"
            found.append(_contender(path, label, name, mode, rows))
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise UsageError("a run file is named twice: name each once")
    stems = [named(path.stem) for path in paths]
    return [stem if stems.count(stem) == 1 else named(str(path)) for stem, path in zip(stems, paths, strict=True)]


def _read_whole(path: Path) -> list[Row]:
    try:
        rows = read_run(path, cut_short_is_fine=False)
    except UsageError:
        if _only_the_end_is_bad(path):
            raise UsageError(
                f"the run file {path} is cut short: its last line is not whole. Finish the run, or remove that line"
            ) from None
        raise
    if not rows:
        raise UsageError(f"the run file {path} is empty: there is nothing to report")
    return rows


def _only_the_end_is_bad(path: Path) -> bool:
    try:
        return not path.read_bytes().endswith(b"\n") and bool(read_run(path))
    except (OSError, UsageError):
        return False


def _contender(path: Path, label: str, run: str, mode: str, rows: list[Row]) -> Contender:
    judged = evaluation(label, rows)
    if not len(judged):
        raise UsageError(
            f"the run file {path} has nothing to score in mode {mode!r}: of its cases, {reasons(judged.skipped)}"
        )
    scored = [row for row in rows if not why_not_scored(row)]
    cases = (
        ScoredCase(row.id, row.query, row.gold, row.repository, row.category, _seen(row, found.ranks))
        for row, found in zip(scored, judged.judged, strict=True)
    )
    return Contender(
        label,
        run,
        mode,
        tuple(cases),
        judged,
        frozenset(row.bench for row in rows),
        frozenset(row.level for row in rows),
        max(len(row.ranked) for row in scored),
    )


def _seen(row: Row, gold_ranks: Sequence[int]) -> tuple[tuple[int, CodeLocation], ...]:
    ranks = [*range(1, min(SHOWN, len(row.ranked)) + 1), *(rank for rank in gold_ranks if rank > SHOWN)]
    return tuple((rank, row.ranked[rank - 1]) for rank in ranks)
