"""A file is hidden from a commit: does `trackdown impact` find it from the rest of the diff?

python benchmarks/impact.py REPOSITORY... [--commits 300] [--fit] [--json FILE]

Of every repository the latest commits count that change 2 to 10 source files, one of them by a modification. One such
file is hidden, chosen by the commit's id. The diff of all the others is asked about at the tree of the commit's parent,
with the history of that parent: nothing of the commit itself is seen but that diff, nor anything later. Files are
ranked by all signals together (impact), by each alone (co-change is the one to beat), and at random (the expectation).

The gate compares co-change with impact, case by case. `--fit` fits the weights to the repositories instead: they must
be others than those of a report.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import numpy.typing as npt
from measure import keep, new_parser

import trackdown
from trackdown.engine.impact.changed_files import changed_files
from trackdown.engine.impact.ranking import WEIGHTS, gather
from trackdown.engine.searching.source_reader import SourceReader
from trackdown.lab import CodeLocation, Row, gate, verdict_lines
from trackdown.lab.measure import bootstrap_interval, judge, metric
from trackdown.repository import parse_patch
from trackdown.retrieve import candidates
from trackdown.units import TEXT, UNCERTAIN, language_of

FEWEST, MOST = 2, 10
DEEPEST = 1000
METRICS = ("R@10", "MRR")
BASE, OURS = "co-change", "impact"
STEPS, RATE, L2 = 300, 0.1, 1e-3

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HiddenFile:
    """A commit, its parent, and the file of it that is to be found."""

    commit: str
    parent: str
    path: str


@dataclass(frozen=True, slots=True)
class Scored:
    """All files that a case could have for an answer, and what each signal says of them."""

    case: HiddenFile
    paths: list[str]
    signals: dict[str, Floats]

    def ranking(self, weights: dict[str, float], most: int = DEEPEST) -> list[str]:
        """The best files by a weighted sum; of equal ones the first by path."""
        total = np.zeros(len(self.paths))
        for signal, weight in weights.items():
            total += weight * self.signals.get(signal, 0.0)
        order = sorted(np.flatnonzero(total > 0).tolist(), key=lambda at: (-total[at], self.paths[at]))
        return [self.paths[at] for at in order[:most]]


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--fit", action="store_true", help="fit the weights, and report nothing")
    arguments = parser.parse_args()
    found = {}
    for place in arguments.repositories:
        found[place.name] = list(scored_cases(place, arguments.commits))
        print(f"{place.name}: {len(found[place.name])} cases", file=sys.stderr, flush=True)
    if arguments.fit:
        weights = fitted(list(found.values()))
        keep({"weights": weights, "repositories": {name: len(cases) for name, cases in found.items()}}, arguments.json)
        print(json.dumps(weights))
        return 0
    answer = report(found)
    keep(answer, arguments.json)
    print(json.dumps(answer["macro"], indent=1))
    return 0


def hidden_files(place: Path) -> Iterator[HiddenFile]:
    """The cases of a repository, latest first."""
    log = git(place, "log", "--no-merges", "--no-renames", "--name-status", "-z", "--format=%x01%H %P%x02", "HEAD")
    for block in log.split("\x01")[1:]:
        head, _, names = block.partition("\x02")
        commit, *parents = head.split()
        fields = names.strip("\n").strip("\0").lstrip("\n").split("\0")
        changes = zip(fields[::2], fields[1::2], strict=False)
        source = [(status, path) for status, path in changes if language_of(path) not in (TEXT, UNCERTAIN)]
        modified = sorted(path for status, path in source if status == "M")
        if len(parents) == 1 and FEWEST <= len(source) <= MOST and modified:
            number = int.from_bytes(hashlib.sha256(commit.encode()).digest(), "big")
            yield HiddenFile(commit, parents[0], modified[number % len(modified)])


def scored_cases(place: Path, most: int) -> Iterator[Scored]:
    """The cases of a repository with the signals of all its files. Files that are not indexed cannot be found."""
    with trackdown.open(str(place)) as repository:
        scored = (one for case in hidden_files(place) if (one := score(repository, place, case)) is not None)
        yield from islice(scored, most)


def score(repository: trackdown.Repository, place: Path, case: HiddenFile) -> Scored | None:
    """What the signals say, from the rest of the diff; None if there is none or the hidden file is not indexed."""
    try:
        diff = git(place, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", case.parent, case.commit)
    except subprocess.CalledProcessError:
        return None  # the clone lacks an object
    patches = [patch for patch in parse_patch(diff) if case.path not in (patch.old_path, patch.new_path)]
    corpus = repository.corpus(case.parent)
    code = corpus.code
    if not patches or case.path not in code.files_by_path:
        return None
    with SourceReader(corpus.snapshot) as reader:
        changed = changed_files(code, reader, patches)
        evidence = gather(corpus, changed)
    pool = candidates(code, "file")
    left = pool.files[~np.isin(pool.files, [one.file for one in changed])]
    signals = {one.signal: one.files[left] for one in evidence}
    return Scored(case, [code.path(file) for file in left.tolist()], signals)


def report(found: dict[str, list[Scored]]) -> dict[str, Any]:
    """Recall and MRR of every contender, by repository and on average, and the verdicts of the gate."""
    contenders = {OURS: dict(WEIGHTS)} | {signal: {signal: 1.0} for signal in WEIGHTS}
    rows = {name: list(rows_of(name, weights, found)) for name, weights in contenders.items()}
    answer: dict[str, Any] = {"what": __doc__.split("\n", 1)[0], "weights": dict(WEIGHTS), "repositories": {}}
    for name, cases in found.items():
        figures = {mode: figures_of([row for row in rows[mode] if row.repository == name]) for mode in contenders}
        figures["random"] = at_random(cases)
        sizes = {"cases": len(cases), "files": round(median(len(case.paths) for case in cases))}
        answer["repositories"][name] = sizes | figures
    answer["macro"] = {
        mode: {key: round(fmean(one[mode][key] for one in answer["repositories"].values()), 4) for key in METRICS}
        for mode in (*contenders, "random")
    }
    answer["gate"] = {}
    for name in METRICS:
        verdict = gate(rows[BASE], rows[OURS], name)
        print("\n".join(verdict_lines(verdict)), file=sys.stderr)
        gained = [differences(rows, name, repository) for repository in found]
        interval = bootstrap_interval([one for each in gained for one in each])
        answer["gate"][name] = verdict.as_dict() | {"interval_of_the_gain": [round(end, 4) for end in interval]}
    return answer


def rows_of(mode: str, weights: dict[str, float], found: dict[str, list[Scored]]) -> Iterator[Row]:
    """What one contender found, as rows for the gate."""
    for repository, cases in found.items():
        for one in cases:
            ranked = tuple(CodeLocation(path, "") for path in one.ranking(weights))
            gold = (CodeLocation(one.case.path, ""),)
            yield Row(one.case.commit, mode, ranked, gold=gold, bench="impact", level="file", repository=repository)


def values_of(rows: list[Row], name: str) -> list[float]:
    measure = metric(name)
    return [measure(judge(row.ranked, row.gold)) for row in rows]


def differences(rows: dict[str, list[Row]], name: str, repository: str) -> list[float]:
    """What each case of a repository gains."""
    base, ours = ([row for row in rows[mode] if row.repository == repository] for mode in (BASE, OURS))
    return [b - a for a, b in zip(values_of(base, name), values_of(ours, name), strict=True)]


def figures_of(rows: list[Row]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in METRICS:
        values = values_of(rows, name)
        low, high = bootstrap_interval(values)
        found |= {name: round(fmean(values), 4), f"{name} 95 %": [round(low, 4), round(high, 4)]}
    return found


def at_random(cases: list[Scored]) -> dict[str, float]:
    """What a shuffled list of all files would have on average."""
    sizes = [len(case.paths) for case in cases]
    recall = fmean(min(10, size) / size for size in sizes)
    return {"R@10": round(recall, 4), "MRR": round(fmean(sum(1 / n for n in range(1, s + 1)) / s for s in sizes), 4)}


def fitted(repositories: list[list[Scored]]) -> dict[str, float]:
    """The weights that make the hidden files likeliest (softmax over a case's files), every repository counting alike.

    They are scaled so that co-change has 1.
    """
    signals = list(WEIGHTS)
    examples = []
    for cases in repositories:
        for one in cases:
            table = np.stack([one.signals.get(signal, np.zeros(len(one.paths))) for signal in signals], axis=1)
            examples.append((table, one.paths.index(one.case.path), 1 / len(cases) / len(repositories)))
    weights, mean, square = np.full(len(signals), 1.0), np.zeros(len(signals)), np.zeros(len(signals))
    for step in range(1, STEPS + 1):
        slope = -L2 * weights
        for table, target, share in examples:
            chances = np.exp(table @ weights - (table @ weights).max())
            slope += share * (table[target] - chances @ table / chances.sum())
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights += RATE * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.maximum(weights, 0.0)
    scaled = weights / weights[signals.index(BASE)]
    return {signal: round(float(weight), 2) for signal, weight in zip(signals, scaled, strict=True)}


def git(place: Path, *arguments: str) -> str:
    output = subprocess.run(["git", "-C", str(place), *arguments], check=True, stdout=subprocess.PIPE).stdout
    return output.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
