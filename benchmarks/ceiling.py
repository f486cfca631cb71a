"""How much could any reranker reach? Which sources bring all gold functions of an issue among their best N candidates.

python benchmarks/ceiling.py DATA.jsonl [DATA.jsonl …] --repos FOLDER [--layout …] [--jobs 2] [--deep] [--no-graph]
    [--json RESULT]

Sources are the retrievers, each alone; `commits` are the functions of the 50 files that past commits speak for most, in
the order of their words. The union takes the best of every source in turn, so that each has an equal share of N. The
fused ranking is beside it, alone and in turn with what the code graph has near its best 20. For each source it is also
told what the union loses without it. Snapshots that are prepared already in the store are used. With --deep, the deep
index of every state is computed first, and stands beside the others: alone, in the union, and in the fused ranking.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from measure import keep, new_parser
from sources import FUSED, UNITED, orders

import trackdown
from trackdown.errors import QueryError, TrackdownError
from trackdown.lab.benches.swe import read_swe
from trackdown.lab.clone import commit_times
from trackdown.lab.measure.significance import bootstrap_interval
from trackdown.lab.tasks import Task
from trackdown.settings import load_settings

DEPTHS = (100, 200, 500, 1000)
EACH = "N of each source"


@dataclass(frozen=True, slots=True)
class Looked:
    """One issue: for each source the ranks of its gold functions, 0 where it does not bring one."""

    data: str
    repository: str
    ranks: Mapping[str, tuple[int, ...]]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--deep", action="store_true", help="compute the deep index of every state, and measure it")
    parser.add_argument("--no-graph", action="store_true", help="leave out what the code graph has near the best")
    arguments = parser.parse_args()
    bundles: dict[str, list[tuple[str, Task]]] = {}
    for path in arguments.data:
        for task in read_swe(path, arguments.repos, arguments.layout, "function").tasks:
            bundles.setdefault(task.place, []).append((path.stem, task))
    looked = list(
        look_at_all(list(bundles.values()), arguments.jobs, deep=arguments.deep, graph=not arguments.no_graph)
    )
    names = [path.stem for path in arguments.data]
    sets = {name: [one for one in looked if one.data == name] for name in names}
    if len(sets) > 1:
        sets["all"] = looked
    report = {name: figures(found) for name, found in sets.items() if found}
    for name, found in report.items():
        print_table(name, found)
    keep({"sets": report}, arguments.json)


def look_at_all(
    bundles: Sequence[Sequence[tuple[str, Task]]], jobs: int, *, deep: bool, graph: bool
) -> Iterator[Looked]:
    """All issues, those of a repository in one process; repositories with many issues begin first."""
    bundles = sorted(bundles, key=len, reverse=True)
    if jobs == 1 or len(bundles) == 1:
        for bundle in bundles:
            yield from look_at(bundle, deep=deep, graph=graph)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(look_at, bundle, deep=deep, graph=graph) for bundle in bundles]
        for future in running:
            yield from future.result()


def look_at(bundle: Sequence[tuple[str, Task]], *, deep: bool, graph: bool) -> list[Looked]:
    """The issues of one repository, oldest state first: neighbours share what is indexed."""
    place = bundle[0][1].place
    times = commit_times(place, {task.at for _, task in bundle if task.at})
    ordered = sorted(bundle, key=lambda one: (times.get(one[1].at or "", 0), one[1].id))
    found = []
    with trackdown.open(place, settings=replace(load_settings(), threads=1)) as repository:
        for data, task in ordered:
            try:
                if deep:
                    repository.index(task.at, deep=True)
                ranked = orders(repository.corpus(task.at), task.query, max(DEPTHS), graph=graph)
            except QueryError:
                ranked = {}  # a query that holds nothing to search for is a miss
            except TrackdownError as error:
                print(f"{task.id} is left out: {error}", file=sys.stderr)
                continue
            gold = [(place.path, place.symbol) for place in task.gold]
            places = {name: {one: rank for rank, one in enumerate(order, 1)} for name, order in ranked.items()}
            ranks = {name: tuple(known.get(one, 0) for one in gold) for name, known in places.items()}
            found.append(Looked(data, task.repository, ranks or {FUSED: (0,) * len(gold)}))
    print(f"{bundle[0][1].repository}: {len(found)} issues", file=sys.stderr)
    return found


def figures(looked: Sequence[Looked]) -> dict[str, Any]:
    """Shares of issues and of gold functions by source and N, and what each source is worth in the union."""
    names = list(dict.fromkeys(name for one in looked for name in one.ranks if not name.startswith("without ")))
    table = {name: {str(depth): share(looked, name, depth) for depth in DEPTHS} for name in [*names, EACH]}
    return {
        "issues": len(looked),
        "gold_functions": sum(len(gold_ranks(one, FUSED)) for one in looked),
        "sources": table,
        "worth": {name: {str(depth): worth(looked, name, depth) for depth in DEPTHS} for name in UNITED},
    }


def share(looked: Sequence[Looked], name: str, depth: int) -> dict[str, Any]:
    """The share of issues with all gold functions within N, with its interval, and that of gold functions."""
    brought = [is_brought(one, name, depth) for one in looked]
    whole = [float(all(one)) for one in brought]
    single = [hit for one in brought for hit in one]
    return {
        "issues": round(statistics.mean(whole), 4),
        "interval": [round(end, 4) for end in bootstrap_interval(whole)],
        "functions": round(statistics.mean(single), 4),
    }


def worth(looked: Sequence[Looked], name: str, depth: int) -> dict[str, Any]:
    """What the union has with a source and without it, and how many gold functions no other source brings."""
    others = [other for other in UNITED if other != name]
    only = 0
    for one in looked:
        own = is_brought(one, name, depth)
        by_others = [is_brought(one, other, depth) for other in others]
        only += sum(hit and not any(found[place] for found in by_others) for place, hit in enumerate(own))
    union, without = (share(looked, which, depth)["issues"] for which in ("union", f"without {name}"))
    return {"without": without, "adds": round(union - without, 4), "functions_only_here": only}


def is_brought(one: Looked, name: str, depth: int) -> list[bool]:
    """For each gold function whether a source has it among its best N."""
    if name == EACH:
        parts = [is_brought(one, source, depth) for source in UNITED]
        return [any(hits) for hits in zip(*parts, strict=True)]
    return [0 < rank <= depth for rank in gold_ranks(one, name)]


def gold_ranks(one: Looked, name: str) -> tuple[int, ...]:
    """The ranks by a source; where it said nothing, 0 for each gold function."""
    return one.ranks.get(name) or (0,) * len(next(iter(one.ranks.values())))


def print_table(name: str, found: Mapping[str, Any]) -> None:
    """One set as Markdown."""
    print(f"\n{name}: {found['issues']} issues, {found['gold_functions']} gold functions\n")
    print("| all gold among the best | " + " | ".join(map(str, DEPTHS)) + " |\n" + "|---" * (1 + len(DEPTHS)) + "|")
    for source, by_depth in found["sources"].items():
        print(f"| {source} | " + " | ".join(f"{by_depth[str(depth)]['issues']:.3f}" for depth in DEPTHS) + " |")
    for source, by_depth in found["worth"].items():
        cells = [f"{one['adds']:+.3f} ({one['functions_only_here']})" for one in by_depth.values()]
        print(f"| {source} adds to the union (functions that only it has) | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
