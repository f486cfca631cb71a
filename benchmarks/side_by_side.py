"""Several sets of issues side by side: every mode of their run files with intervals, and compared with a run before.

python benchmarks/side_by_side.py SET=RUN.jsonl … [--before REPORT --mode NAME [--than NAME]] [--json REPORT]

A report keeps the ranks of every case's gold, so that a later run can be compared with it case by case: `3 17 of 2`
means that both of two places were found. A mode is worse on a set if the interval of the paired difference lies below
zero.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import keep, new_parser

from trackdown.lab.measure import JudgedRanking, judge, metric
from trackdown.lab.measure.significance import bootstrap_interval
from trackdown.lab.runs import Row, by_mode, read_run

METRICS = ("Acc@5", "Acc@10", "MRR")
Ranks = Mapping[str, str]


def ranks_of(rows: Sequence[Row]) -> dict[str, str]:
    """Case → the ranks of its gold, and how many gold places it has."""
    found = {}
    for row in rows:
        if not row.skipped:
            judged = judge(row.ranked, row.gold)
            found[row.id] = f"{' '.join(map(str, judged.ranks))} of {judged.relevant}"
    return found


def value(case: str, name: str) -> float:
    ranks, _, relevant = case.partition("of")
    return metric(name)(JudgedRanking(tuple(map(int, ranks.split())), int(relevant)))


def figures(cases: Ranks) -> dict[str, Any]:
    """The mean of each metric with its interval."""
    found: dict[str, Any] = {"cases": len(cases)}
    for name in METRICS:
        values = [value(case, name) for case in cases.values()]
        low, high = bootstrap_interval(values)
        found[name] = {"mean": round(statistics.fmean(values), 4), "interval": [round(low, 4), round(high, 4)]}
    return found


def differences(before: Ranks, after: Ranks) -> dict[str, Any]:
    """The paired difference of each metric over the cases that both have."""
    common = [id_ for id_ in before if id_ in after]
    found: dict[str, Any] = {"cases": len(common)}
    for name in METRICS:
        values = [value(after[id_], name) - value(before[id_], name) for id_ in common]
        low, high = bootstrap_interval(values)
        verdict = "worse" if high < 0 else "better" if low > 0 else "as good"
        mean = round(statistics.fmean(values), 4)
        found[name] = {"mean": mean, "interval": [round(low, 4), round(high, 4)], "verdict": verdict}
    return found


def main() -> None:
    parser = new_parser(__doc__)
    parser.add_argument("runs", nargs="+", metavar="SET=RUN.jsonl")
    parser.add_argument("--what", default="", help="what was run, for the report")
    parser.add_argument("--before", type=Path, help="a report of this command to compare with")
    parser.add_argument("--mode", help="the mode to compare")
    parser.add_argument("--than", help="the mode of the report to compare it with; the same by default")
    chosen = parser.parse_args()
    sets: dict[str, dict[str, Any]] = {}
    for named in chosen.runs:
        name, _, path = named.partition("=")
        rows = read_run(Path(path))
        for mode, own in by_mode(rows).items():
            cases = ranks_of(own)
            sets.setdefault(name, {})[mode] = {**figures(cases), "ranks": cases}
    report: dict[str, Any] = {"what": chosen.what, "sets": sets}
    for name, modes in sets.items():
        for mode, found in modes.items():
            print(f"{name:<28}{mode:<30}", *(f"{key} {found[key]['mean']:.3f}" for key in METRICS))
    if chosen.before is not None:
        before = json.loads(chosen.before.read_text("utf-8"))["sets"]
        than = chosen.than or chosen.mode
        report["compared"] = {"mode": chosen.mode, "than": than, "sets": {}}
        for name in sets:
            found = differences(before[name][than]["ranks"], sets[name][chosen.mode]["ranks"])
            report["compared"]["sets"][name] = found
            print(f"{name:<28}", *(f"{key} {found[key]['mean']:+.3f} ({found[key]['verdict']})" for key in METRICS))
    keep(report, chosen.json)


if __name__ == "__main__":
    main()
