"""May a candidate become the default? Only measured gains that hurt no repository may.

A is the run of the present default, B that of the candidate, over the same cases. B passes when its macro average is
better than A's and no repository loses significantly.

- The macro average is over repositories: each weighs the same, whatever its number of cases.
- A loss is significant when the one-tailed permutation test says so (p < 0.05). There is no correction for many tests,
  so the gate is stricter the more repositories there are.
- Repositories with fewer than 20 cases are too small to be tested alone. Their cases are tested together as one group;
  in the macro average each of them still counts by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from trackdown.errors import UsageError
from trackdown.lab.evaluations import why_not_scored
from trackdown.lab.gate_verdict import Comparison, GateVerdict, Unpaired
from trackdown.lab.measure import judge, metric, paired_permutation_test
from trackdown.lab.runs import Row

ALPHA = 0.05
SMALL = 20
SMALL_REPOSITORIES = "(small repositories)"

_CaseKey = tuple[str, str]
_NOT_IN_RUN = "not in the run"


def gate(a: Sequence[Row], b: Sequence[Row], name: str = "MRR", *, seed: int = 0) -> GateVerdict:
    """Compare the rows of the present default, `a`, with those of the candidate, `b`, by one metric.

    Cases are paired by repository and id. A case that was scored in one run only is named in the verdict and counts in
    no mean. Raises UsageError when a run holds several modes, levels or benches or a case twice, when the two
    differ in bench or level or in the truth of a case, when they share no scored case, or for an unknown metric.
    """
    _check_same_bench(a, b)
    rows_a, rows_b = _by_case(a, "A"), _by_case(b, "B")
    scored_a, scored_b = _scored(rows_a), _scored(rows_b)
    values = _paired_values(scored_a, scored_b, name)
    compared = [_compare(repository, pairs, 1, seed) for repository, pairs in values.items()]
    small = [one for one in compared if one.cases < SMALL]
    groups = [one for one in compared if one.cases >= SMALL]
    if small:
        together = [pair for one in small for pair in values[one.name]]
        groups.append(_compare(SMALL_REPOSITORIES, together, len(small), seed))
    return GateVerdict(
        metric=name,
        bench=a[0].bench,
        level=a[0].level,
        mode_a=a[0].mode,
        mode_b=b[0].mode,
        mean_a=_mean([one.mean_a for one in compared]),
        mean_b=_mean([one.mean_b for one in compared]),
        alpha=ALPHA,
        groups=tuple(groups),
        chance=_compare("", [pair for pairs in values.values() for pair in pairs], 0, seed).better_permutation,
        small=tuple(small),
        only_a=_unpaired(scored_a, scored_b, rows_b),
        only_b=_unpaired(scored_b, scored_a, rows_a),
        unscored=len((rows_a.keys() | rows_b.keys()) - scored_a.keys() - scored_b.keys()),
    )


def _check_same_bench(a: Sequence[Row], b: Sequence[Row]) -> None:
    for run, rows in (("A", a), ("B", b)):
        if not rows:
            raise UsageError(f"run {run} has no rows: there is nothing to compare")
        for what, found in (
            ("modes", {row.mode for row in rows}),
            ("levels", {row.level for row in rows}),
            ("benches", {row.bench for row in rows}),
        ):
            if len(found) > 1:
                raise UsageError(f"run {run} holds several {what} ({', '.join(sorted(found))}): choose one")
    for what, of_a, of_b in (("bench", a[0].bench, b[0].bench), ("level", a[0].level, b[0].level)):
        if of_a != of_b:
            raise UsageError(f"the {what} of run A is {of_a!r} and that of run B {of_b!r}: compare runs of the same")


def _by_case(rows: Iterable[Row], run: str) -> dict[_CaseKey, Row]:
    found: dict[_CaseKey, Row] = {}
    for row in rows:
        key = row.repository, row.id
        if key in found:
            raise UsageError(f"run {run} holds case {row.id!r} of {row.repository} twice")
        found[key] = row
    return found


def _scored(rows: Mapping[_CaseKey, Row]) -> dict[_CaseKey, Row]:
    return {key: row for key, row in rows.items() if not why_not_scored(row)}


def _paired_values(
    a: Mapping[_CaseKey, Row], b: Mapping[_CaseKey, Row], name: str
) -> dict[str, list[tuple[float, float]]]:
    """Repository → the metric of each of its cases in both runs."""
    measure = metric(name)
    found: dict[str, list[tuple[float, float]]] = {}
    for key in sorted(a.keys() & b):
        row_a, row_b = a[key], b[key]
        if set(row_a.gold) != set(row_b.gold):
            raise UsageError(
                f"the runs judge case {row_a.id!r} of {row_a.repository} by different truths: run both again"
            )
        values = measure(judge(row_a.ranked, row_a.gold)), measure(judge(row_b.ranked, row_b.gold))
        found.setdefault(row_a.repository, []).append(values)
    if not found:
        raise UsageError("no case was scored in both runs: run both over the same cases")
    return found


def _unpaired(
    scored: Mapping[_CaseKey, Row], elsewhere: Mapping[_CaseKey, Row], rows: Mapping[_CaseKey, Row]
) -> tuple[Unpaired, ...]:
    """The cases that were scored here and not elsewhere, with what the other run says of them."""
    return tuple(
        Unpaired(*key, why_not_scored(rows[key]) if key in rows else _NOT_IN_RUN)
        for key in sorted(scored.keys() - elsewhere)
    )


def _compare(name: str, pairs: Sequence[tuple[float, float]], repositories: int, seed: int) -> Comparison:
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Comparison(
        name=name,
        repositories=repositories,
        cases=len(pairs),
        mean_a=_mean(a),
        mean_b=_mean(b),
        worse_permutation=paired_permutation_test(a, b, seed=seed),
        better_permutation=paired_permutation_test(b, a, seed=seed),
    )


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
