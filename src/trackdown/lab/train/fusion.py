"""Learned fusion from start to end: collect, fit for each level, judge on repositories that were not fitted to.

Every repository is judged by weights that were fitted to the others (up to five folds), so all of them count. How hard
a fit is held back and how long it runs is chosen by repositories that are held out of it in turn. The weights that are
written are fitted to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from trackdown.errors import TrackdownError, UsageError
from trackdown.fuse import LearnedFusion, Stage, WeightTable, decode_fusions, encode_fusions
from trackdown.lab import Evaluation, GateVerdict, Row, evaluation, gate
from trackdown.lab.train.evidence import EvidenceExample, EvidencePlan, collect
from trackdown.lab.train.fit import (
    RERANK_KINDS,
    RETRIEVE_KINDS,
    STEPS,
    Columns,
    Design,
    fit,
    heard_in,
    needs_of,
    rows_of,
    table_of,
)
from trackdown.pipeline import SearchPlan
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress

LEARNED = "learned"
FEWEST = 3
METRICS = ("MRR", "R@1", "R@5", "R@10", "nDCG@10")
STRENGTHS = (0.1, 0.01, 0.001)
_FOLDS, _PARTS = 5, 3

Repositories = Mapping[str, Sequence[EvidenceExample]]


@dataclass(frozen=True, slots=True)
class JudgedFusion:
    """One level: the weights fitted to all repositories, and how well each way of fusing did on unseen ones."""

    level: Level
    fusion: LearnedFusion
    rows: Mapping[str, list[Row]]

    def evaluations(self) -> list[Evaluation]:
        """Scores of every way of fusing."""
        return [evaluation(mode, rows) for mode, rows in self.rows.items()]

    def verdicts(self) -> list[GateVerdict]:
        """Learned fusion against each of the others."""
        return [gate(rows, self.rows[LEARNED]) for mode, rows in self.rows.items() if mode != LEARNED]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "level": self.level,
            "cases": len(next(iter(self.rows.values()))),
            "modes": {one.label: one.as_dict(METRICS) for one in self.evaluations()},
            "verdicts": [verdict.as_dict() for verdict in self.verdicts()],
            "weights": self.fusion.as_dict(),
        }


def train_fusion(
    places: Mapping[str, str],
    folder: Path,
    settings: Settings,
    wanted: EvidencePlan | None = None,
    *,
    out: Path | None = None,
    progress: Progress = no_progress,
) -> list[JudgedFusion]:
    """Collect evidence into a folder, fit and judge; write the weights to a file. `places` maps names to paths.

    Raises UsageError for too few repositories.

    What a file holds of the other stage stays in it.
    """
    wanted = wanted or EvidencePlan()
    if len(places) < FEWEST:
        raise UsageError(f"learned fusion needs {FEWEST} repositories or more to be judged, not {len(places)}")
    known = read_fusions(out) if out is not None and out.exists() else []
    collected = collect(places, folder, settings, wanted, progress=progress)
    judged = [judge_level(level, found, wanted, settings, progress) for level, found in collected.items()]
    if out is not None:
        others = [fusion for fusion in known if fusion.stage != wanted.stage]
        write_fusions(out, [*others, *(one.fusion for one in judged)])
    return judged


def read_fusions(path: Path) -> list[LearnedFusion]:
    """Fitted weights from a file. Raises UsageError when it holds none."""
    try:
        return decode_fusions(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read weights from {path}: {error}") from None


def write_fusions(path: Path, fusions: Sequence[LearnedFusion]) -> None:
    """Write fitted weights as the program reads them. Raises TrackdownError when it cannot."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(encode_fusions(fusions), "utf-8")
    except OSError as error:
        raise TrackdownError(f"cannot write {path}: {error.strerror}") from None


def judge_level(
    level: Level, collected: Repositories, wanted: EvidencePlan, settings: Settings, progress: Progress = no_progress
) -> JudgedFusion:
    """Fit and judge one level."""
    repositories = {name: examples for name, examples in sorted(collected.items()) if examples}
    if len(repositories) < FEWEST:
        raise UsageError(f"{len(repositories)} of the repositories have a case at {level} level: {FEWEST} are needed")
    compared = _compared(wanted.options(settings, level), wanted.stage)
    start = next(iter(compared.values()))
    kinds = RETRIEVE_KINDS if wanted.stage == "retrieve" else RERANK_KINDS
    signals = heard_in([example for examples in repositories.values() for example in examples])
    rows = {
        mode: rows_of(repositories, dict.fromkeys(repositories, table), mode, level) for mode, table in compared.items()
    }
    names = list(repositories)
    folds = [names[number::_FOLDS] for number in range(min(_FOLDS, len(names)))]
    variants = _variants(signals)
    tables: dict[str, WeightTable] = {}
    for number, fold in enumerate(folds):
        progress("fit", number, len(folds) + len(variants))
        others = _without(repositories, fold)
        tables |= dict.fromkeys(fold, fit_table(others, Columns(signals, kinds), start))
    rows[LEARNED] = rows_of(repositories, tables, LEARNED, level)
    fitted = []
    for number, kept in enumerate(variants, len(folds)):
        progress("fit", number, len(folds) + len(variants))
        fitted.append(fit_table(repositories, Columns(kept, kinds), start, needs_of(kept)))
    progress("fit", len(folds) + len(variants), len(folds) + len(variants))
    return JudgedFusion(level, LearnedFusion(level, tuple(fitted), wanted.stage, _told(repositories)), rows)


def _compared(options: SearchPlan, stage: Stage) -> dict[str, WeightTable]:
    """What learned weights have to beat; they are fitted from the first of these."""
    if stage == "retrieve":
        plain = dict(options.weights)
        return {
            "weighted": table_of(plain),
            "rrf": table_of(plain, rrf=True),
            "adaptive": table_of(plain, adaptive=True),
        }
    assert options.judging is not None
    return {"by hand": table_of(options.judging.weights.as_dict()), "unread": table_of({"fused": 1.0})}


def fit_table(
    repositories: Repositories, columns: Columns, start: WeightTable, needs: Sequence[str] = ()
) -> WeightTable:
    """Fit to repositories. A third of them at a time, held out, says how hard to hold the fit back and when to stop."""
    columns = columns.holding(start)
    origin = columns.array(start)
    names = [name for name, examples in repositories.items() if any(one.labels().any() for one in examples)]
    held_out = [names[number::_PARTS] for number in range(min(_PARTS, len(names)))]
    pairs = [
        (Design(_without(repositories, some), columns), Design({name: repositories[name] for name in some}, columns))
        for some in held_out
        if len(names) > 1
    ]
    tried = {one: [fit(seen, origin, one, held_out=unseen) for seen, unseen in pairs] for one in STRENGTHS}
    strength = min(tried, key=lambda one: sum(found.held_out or 0.0 for found in tried[one]))
    steps = int(median([found.steps for found in tried[strength]] or [STEPS]))
    everything = Design(repositories, columns)
    return columns.table(fit(everything, origin, strength, steps).weights, needs, everything.leans.mean(axis=0))


def _without(repositories: Repositories, names: Sequence[str]) -> Repositories:
    return {name: examples for name, examples in repositories.items() if name not in names}


def _variants(signals: Sequence[str]) -> list[tuple[str, ...]]:
    """The signals with every set of the optional ones, the largest first."""
    optional = needs_of(signals)
    dropped = [set(some) for size in range(len(optional) + 1) for some in combinations(optional, size)]
    return [tuple(signal for signal in signals if signal not in some) for some in dropped]


def _told(repositories: Repositories) -> dict[str, Any]:
    """What weights say of where they come from."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "repositories": len(repositories),
        "cases": sum(len(examples) for examples in repositories.values()),
    }
