"""Fit fusion to a repository's own past, and keep it only if it wins there.

Cases come from its history. The older ones are fitted to, starting from the program's weights and held near them; the
newer ones judge, by the gate's paired test against what the program does by default. A gain that chance may well
explain is no win. What has not won is never used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from trackdown.engine import RepositoryWeights, WeightsRecord, WeightsScore, default_digest, default_plan
from trackdown.errors import UsageError
from trackdown.fuse import LearnedFusion, WeightTable, encode_fusions, load_learned
from trackdown.lab import ALPHA, Case, commit_times, gate
from trackdown.lab.train.evidence import LEVELS, EvidenceExample, examples_of, mixed_cases
from trackdown.lab.train.fit import Columns, Design, fit, heard_in, needs_of, rows_of, table_of
from trackdown.repository import open_source
from trackdown.settings import Settings
from trackdown.types import Level, Progress, no_progress

FEWEST_CASES = 40
MOST_CASES = 300
OLDER = 0.7
METRIC = "MRR"
_STRENGTHS = (0.1, 0.01)
_FITTED, _DEFAULT = "own", "default"


@dataclass(frozen=True, slots=True)
class WeightsReport:
    """What was found. `kept` says whether a level won, so that searches here use it from now on."""

    repository: str
    cases: int
    fitted: int
    judged: int
    scores: tuple[WeightsScore, ...] = ()
    kept: bool = False
    count_only: bool = False

    @property
    def enough(self) -> bool:
        return self.cases >= FEWEST_CASES

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        scores = [{name: getattr(score, name) for name in score.__struct_fields__} for score in self.scores]
        return {
            "repository": self.repository,
            "cases": self.cases,
            "needed": FEWEST_CASES,
            "fitted": self.fitted,
            "judged": self.judged,
            "scores": scores,
            "kept": self.kept,
            "count_only": self.count_only,
        }


def fit_weights(
    place: str,
    settings: Settings,
    *,
    max_cases: int = MOST_CASES,
    count_only: bool = False,
    progress: Progress = no_progress,
) -> WeightsReport:
    """Fit, judge and keep. `count_only` counts the cases and stops there.

    Raises UsageError for a plain folder and for too few cases, EmptyRepository where there is no commit.
    """
    source = open_source(place)
    root = str(source.root)
    cases = mixed_cases(root, max_cases, progress)
    older, newer = split_by_time(cases, commit_times(root, [case.commit for case in cases]))
    report = WeightsReport(source.name, len(cases), len(older), len(newer), count_only=count_only)
    if count_only:
        return report
    if not report.enough or not older or not newer:
        raise UsageError(
            f"{source.name}: {len(cases)} commits make a case, but fitting needs {FEWEST_CASES}: "
            "the program's own weights stay in use"
        )
    found = examples_of(root, cases, settings, progress=progress)
    before = {case.id for case in older}
    scores, fusions = [], []
    for level in LEVELS:
        past = [example for example in found[level] if example.id in before]
        recent = [example for example in found[level] if example.id not in before]
        judged = judge_weights(level, past, recent, settings)
        if judged is not None:
            scores.append(judged[0])
            fusions += [judged[1]] if judged[0].won else []
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    with RepositoryWeights(root, settings) as store:
        record = WeightsRecord(
            store.repository, today, default_digest(), store.models, len(cases), tuple(scores), encode_fusions(fusions)
        )
        store.keep(record)
    return replace(report, scores=record.scores, kept=record.won)


def split_by_time(cases: Sequence[Case], times: Mapping[str, int]) -> tuple[list[Case], list[Case]]:
    """(older, newer). Commits of one second stay on one side, so that no fitted case is as new as a judged one."""
    ordered = sorted(cases, key=lambda case: (times.get(case.commit, 0), case.id))
    seconds = [times.get(case.commit, 0) for case in ordered]
    cut = round(OLDER * len(ordered))
    while 0 < cut < len(ordered) and seconds[cut - 1] == seconds[cut]:
        cut -= 1
    return ordered[:cut], ordered[cut:]


def judge_weights(
    level: Level, past: Sequence[EvidenceExample], recent: Sequence[EvidenceExample], settings: Settings
) -> tuple[WeightsScore, LearnedFusion] | None:
    """The score and the weights of one level; None where there is nothing to fit to or to judge by."""
    if not recent or not any(example.labels().any() for example in past):
        return None
    signals = heard_in(past)
    default = default_table(level, signals, settings)
    own = _fitted(past, signals, default)
    name = {_FITTED: recent}
    verdict = gate(
        rows_of(name, {_FITTED: default}, _DEFAULT, level), rows_of(name, {_FITTED: own}, _FITTED, level), METRIC
    )
    won = verdict.passed and verdict.chance < ALPHA
    score = WeightsScore(level, verdict.cases, METRIC, verdict.mean_a, verdict.mean_b, verdict.chance, won)
    return score, LearnedFusion(level, (own,), trained={"cases": len(past)})


def default_table(level: Level, signals: Sequence[str], settings: Settings) -> WeightTable:
    """What the program fuses with by default: its learned weights, or what the settings say."""
    options = default_plan(settings)
    learned = load_learned(level) if str(options.fusion) == "learned" else None
    if learned is not None:
        return learned.table(signals)
    return table_of(dict(options.weights), rrf=options.fusion == "rrf", adaptive=options.adaptive)


def _fitted(past: Sequence[EvidenceExample], signals: tuple[str, ...], start: WeightTable) -> WeightTable:
    """Fit to the past. Its newest quarter says how far to go; that many steps are then taken with all of it."""
    ordered = sorted(past, key=lambda example: (example.when, example.id))
    cut = round(0.75 * len(ordered))
    columns = Columns(signals).holding(start)
    origin = columns.array(start)
    everything = Design({_FITTED: ordered}, columns)
    try:
        earlier, later = Design({_FITTED: ordered[:cut]}, columns), Design({_FITTED: ordered[cut:]}, columns)
    except UsageError:
        return start
    tried = [(fit(earlier, origin, strength, held_out=later), strength) for strength in _STRENGTHS]
    best, strength = min(tried, key=lambda one: float("inf") if one[0].held_out is None else one[0].held_out)
    if not best.steps:
        return start
    found = fit(everything, origin, strength, best.steps)
    return columns.table(found.weights, needs_of(signals), everything.leans.mean(axis=0))
