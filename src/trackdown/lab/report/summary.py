"""The numbers of a report, computed once for all formats: scores, groups, cases, and every pair of modes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from trackdown.errors import UsageError
from trackdown.lab import CodeLocation
from trackdown.lab.measure import bootstrap_interval, paired_permutation_test
from trackdown.lab.measure import metric as metric_named
from trackdown.lab.report.contenders import CaseKey, Contender, ScoredCase
from trackdown.lab.report.wording import counted, letters, named

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class ModePair:
    """Mode number `first` against number `second`: a positive difference speaks for the first. p is two-sided."""

    first: int
    second: int
    cases: int
    wins: int
    losses: int
    ties: int
    difference: float
    low: float
    high: float
    p_permutation: float


def all_pairs(columns: Sequence[Sequence[float | None]]) -> Iterator[ModePair]:
    """Every pair of modes, from the metric's values: one column per mode, one row per case, None where not scored."""
    for first, second in combinations(range(len(columns)), 2):
        both = [(a, b) for a, b in zip(columns[first], columns[second], strict=True) if a is not None and b is not None]
        yield compare(first, second, [a for a, _ in both], [b for _, b in both])


def compare(first: int, second: int, a: Sequence[float], b: Sequence[float]) -> ModePair:
    """One pair, from the values of the cases that both scored, in one order."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    wins = sum(difference > _EQUAL for difference in differences)
    losses = sum(difference < -_EQUAL for difference in differences)
    mean = sum(differences) / len(differences) if differences else 0.0
    low, high = bootstrap_interval(differences)
    better, worse = (a, b) if mean >= 0 else (b, a)
    return ModePair(
        first,
        second,
        len(differences),
        wins,
        losses,
        len(differences) - wins - losses,
        mean,
        low,
        high,
        _two_sided(paired_permutation_test(better, worse)),
    )


def _two_sided(p: float) -> float:
    """The tests ask whether one certain mode is better; a report asks whether either is."""
    return min(1.0, 2 * p)


def remarks(contenders: Sequence[Contender], ks: Sequence[int]) -> Iterator[str]:
    """One sentence for each thing that makes numbers of a report less comparable than they look."""
    yield from _other_cases(contenders)
    benches = sorted({name for contender in contenders for name in contender.benches if name})
    if len(benches) > 1:
        yield f"These runs are of different benches: {', '.join(map(named, benches))}."
    levels = sorted({name for contender in contenders for name in contender.levels if name})
    if len(levels) > 1:
        yield f"These runs rank at different levels: {', '.join(map(named, levels))}."
    deepest = max(contender.deepest for contender in contenders)
    if deepest < max(ks):
        yield (
            f"No ranking has more than {counted(deepest, 'place')}: figures for larger values of k are measured there."
        )


def _other_cases(contenders: Sequence[Contender]) -> Iterator[str]:
    keys = [{case.key for case in contender.cases} for contender in contenders]
    shared, every = set.intersection(*keys), set.union(*keys)
    if shared == every:
        return
    yield (
        f"Modes did not score the same cases: {len(shared):,} of {counted(len(every), 'case')} were scored by all. "
        "Means are over the cases of each mode; two modes are compared on those that both scored."
    )
    other_truth = len(every) - len({name for name, _ in every})
    if other_truth:
        yield f"For {counted(other_truth, 'case')} the runs disagree on gold, so nothing is compared there."


DEFAULT_METRIC = "MRR"
DEFAULT_KS = (1, 5, 10, 20, 100)
CURVE_KS = tuple(range(1, 101))
_LARGEST_K = 10_000


@dataclass(frozen=True, slots=True)
class Score:
    """A metric: mean over cases, its 95 % interval, and the mean of the means of repositories."""

    mean: float
    low: float
    high: float
    macro: float


@dataclass(frozen=True, slots=True)
class Mode:
    """One contender in numbers. `recall` is R@1 … R@100; times are None when the run has none."""

    letter: str
    label: str
    run: str
    mode: str
    scored: int
    total: int
    skipped: Mapping[str, int]
    scores: Mapping[str, Score]
    recall: tuple[float, ...]
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """The cases of a repository or a category: how many each mode has, and the metric on average."""

    name: str
    cases: tuple[int, ...]
    means: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What one mode found for one case: the metric, the ranks of gold, and the places that are shown."""

    value: float
    ranks: tuple[int, ...]
    seen: tuple[tuple[int, CodeLocation], ...]


@dataclass(frozen=True, slots=True)
class CaseLine:
    """One case beside what each mode found for it; None where a mode did not score it."""

    id: str
    query: str
    gold: tuple[CodeLocation, ...]
    repository: str
    category: str
    answers: tuple[CaseResult | None, ...]

    @property
    def spread(self) -> float:
        """How far modes lie apart."""
        values = [answer.value for answer in self.answers if answer is not None]
        return max(values) - min(values)


@dataclass(frozen=True, slots=True)
class Summary:
    """A whole report. `metric` is the one that groups, pairs and plots are about."""

    title: str
    metric: str
    ks: tuple[int, ...]
    benches: tuple[str, ...]
    levels: tuple[str, ...]
    remarks: tuple[str, ...]
    modes: tuple[Mode, ...]
    repositories: tuple[Group, ...]
    categories: tuple[Group, ...]
    pairs: tuple[ModePair, ...]
    cases: tuple[CaseLine, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the whole ranking that tables show, the chosen one first."""
        return tuple(dict.fromkeys([self.metric, "MRR", "MAP", "nDCG@10"]))

    @property
    def metrics_at_k(self) -> tuple[str, ...]:
        """The metrics of the first k that tables show."""
        return tuple(f"{name}@{k}" for name in ("R", "Acc") for k in self.ks)


def summarize(
    contenders: Sequence[Contender], *, metric: str = DEFAULT_METRIC, ks: Sequence[int] = DEFAULT_KS, title: str = ""
) -> Summary:
    """Compute a report. Raises UsageError for an unknown metric or a k out of range."""
    metric_named(metric)
    if not ks or any(not 1 <= k <= _LARGEST_K for k in ks):
        raise UsageError(f"a k is a number between 1 and {_LARGEST_K}")
    benches = _all(contender.benches for contender in contenders)
    values = [contender.evaluation.values(metric) for contender in contenders]
    cases = _case_lines(contenders, values)
    frame = Summary(
        title=title or (f"Report on {', '.join(benches)}" if benches else "Trackdown report"),
        metric=metric,
        ks=tuple(sorted(set(ks))),
        benches=benches,
        levels=_all(contender.levels for contender in contenders),
        remarks=tuple(remarks(contenders, ks)),
        modes=(),
        repositories=_groups(contenders, values, lambda case: case.repository),
        categories=_groups(contenders, values, lambda case: case.category),
        pairs=tuple(all_pairs(_columns(cases))),
        cases=cases,
    )
    wanted = dict.fromkeys([*frame.metrics, *frame.metrics_at_k])
    return replace(frame, modes=tuple(_mode(number, one, wanted) for number, one in enumerate(contenders)))


def _all(names: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for some in names for name in some if name}))


def _mode(number: int, contender: Contender, metrics: Iterable[str]) -> Mode:
    evaluation = contender.evaluation
    times = [ms for ms in evaluation.ms if math.isfinite(ms) and ms > 0]
    p50, p95 = (float(value) for value in np.percentile(times, [50, 95])) if times else (None, None)
    return Mode(
        letters(number),
        contender.label,
        contender.run,
        contender.mode,
        len(contender.cases),
        contender.total,
        dict(evaluation.skipped),
        {name: _score(evaluation.values(name), evaluation.repositories) for name in metrics},
        tuple(evaluation.recall(k) for k in CURVE_KS),
        p50,
        p95,
    )


def _score(values: Sequence[float], repositories: Sequence[str]) -> Score:
    low, high = bootstrap_interval(values)
    parts: dict[str, list[float]] = {}
    for value, repository in zip(values, repositories, strict=True):
        parts.setdefault(repository, []).append(value)
    return Score(_mean(values), low, high, _mean([_mean(part) for part in parts.values()]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _groups(
    contenders: Sequence[Contender], values: Sequence[Sequence[float]], name_of: Callable[[ScoredCase], str]
) -> tuple[Group, ...]:
    """Groups by name, those with the most cases first; none when no case has a name."""
    found: dict[str, list[list[float]]] = {}
    for number, (contender, column) in enumerate(zip(contenders, values, strict=True)):
        for case, value in zip(contender.cases, column, strict=True):
            found.setdefault(name_of(case), [[] for _ in contenders])[number].append(value)
    if not any(found):
        return ()
    groups = [
        Group(name, tuple(map(len, parts)), tuple(_mean(part) if part else None for part in parts))
        for name, parts in found.items()
    ]
    return tuple(sorted(groups, key=lambda group: (-max(group.cases), group.name)))


def _case_lines(contenders: Sequence[Contender], values: Sequence[Sequence[float]]) -> tuple[CaseLine, ...]:
    first: dict[CaseKey, ScoredCase] = {}
    answers: dict[CaseKey, list[CaseResult | None]] = {}
    for number, (contender, column) in enumerate(zip(contenders, values, strict=True)):
        for case, judged, value in zip(contender.cases, contender.evaluation.judged, column, strict=True):
            first.setdefault(case.key, case)
            line = answers.setdefault(case.key, [None] * len(contenders))
            line[number] = CaseResult(value, judged.ranks, case.seen)
    return tuple(
        CaseLine(case.id, case.query, case.gold, case.repository, case.category, tuple(answers[key]))
        for key, case in first.items()
    )


def _columns(cases: Sequence[CaseLine]) -> list[tuple[float | None, ...]]:
    """The values of each mode, one for each case."""
    rows = ([None if answer is None else answer.value for answer in case.answers] for case in cases)
    return list(zip(*rows, strict=True))
