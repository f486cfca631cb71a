"""What the cascade costs on this machine, CasCode's table for ours: models, dense index, searches by effort and depth.

python benchmarks/cascade.py REPOSITORY [--queries 50] [--thorough 3] [--json FILE]

Everything happens on a clone in a temporary folder. Queries are the subjects of the repository's latest commits. Every
effort gets a process and a copy of the ready index of its own, so that no vector and no judgement of another is at
hand: `first` is what a query costs when it is new, `again` when it was asked before. Two other queries warm a process
up. How good the answers are at each depth is measured by `make bench-depth`, commands by `speed.py`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import cloned, keep, latest_subjects, new_parser, percentile
from model_speed import measure as measure_models
from speed import describe_repository

import trackdown
from trackdown.index.vectors import segment_of_vectors
from trackdown.settings import load_settings
from trackdown.types import Effort

DEPTHS = (10, 30, 100)
_WARMING = 2
_TEXTS = 2_000_000


@dataclass(frozen=True, slots=True)
class Way:
    """A way to search: its name, how it is asked for, and of how many queries."""

    name: str
    effort: Effort
    depth: int | None
    queries: int


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--thorough", type=int, default=3, help="how many queries are searched with all effort")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each speed of a model is measured")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        print(json.dumps(search_all(arguments.repository, **json.loads(arguments.step))))
        return
    with cloned(arguments.repository) as (clone, folder):
        report = measure(clone, folder, arguments)
    print_tables(report)
    keep(report, arguments.json)


def measure(clone: Path, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    store = folder / "store"
    subjects = latest_subjects(clone, arguments.queries + _WARMING)
    queries, warming = subjects[:-_WARMING], subjects[-_WARMING:]
    texts = folder / "texts.txt"
    texts.write_text(source_text(clone), "utf-8")
    report: dict[str, Any] = {
        "repository": describe_repository(clone),
        "queries": {"count": len(queries), "words": round(statistics.mean(len(query.split()) for query in queries), 1)},
        "models": measure_models("packaged", texts.read_text("utf-8"), (1, 2), arguments.seconds, texts),
        "dense_index": dense_index(clone, store),
        "searches": {},
    }
    for way in ways(len(queries), arguments.thorough):
        print(way.name, file=sys.stderr)
        report["searches"][way.name] = in_own_process(clone, store, way, queries, warming)
    return report


def ways(count: int, thorough: int) -> list[Way]:
    """What is compared."""
    return [
        Way("fast", "fast", None, count),
        Way("balanced", "balanced", None, count),
        *(Way(f"depth {depth}", "balanced", depth, count) for depth in DEPTHS),
        Way("thorough", "thorough", None, min(thorough, count)),
    ]


def source_text(clone: Path) -> str:
    """Some source of the repository: what models are timed on."""
    files = sorted(path for path in clone.rglob("*.*") if path.is_file())
    code = [path for path in files if path.suffix in (".py", ".js", ".ts", ".java", ".go", ".rs", ".c", ".cc", ".rb")]
    return "\n".join(path.read_text("utf-8", errors="replace") for path in code[:200])[:_TEXTS]


def dense_index(clone: Path, store: Path) -> dict[str, Any]:
    """What static vectors of all units add to a first index."""
    with trackdown.open(clone, settings=load_settings(store=store)) as repository:
        started = time.perf_counter()
        prepared = repository.corpus()
        indexed = time.perf_counter()
        repository.indexes.models.static()
        loaded = time.perf_counter()
        vectors = prepared.vectors()
        done = time.perf_counter()
        units = int(prepared.code.unit_alive.sum())
    if vectors is None:
        raise SystemExit("there are no models here: the cascade has nothing to measure")
    files = [path for path in store.rglob("*") if path.is_file()]
    dense = [path for path in files if segment_of_vectors(path.name) is not None]
    return {
        "units": units,
        "index_s": round(indexed - started, 3),
        "dense_s": round(done - loaded, 3),
        "dense_bytes": sum(path.stat().st_size for path in dense),
        "store_bytes": sum(path.stat().st_size for path in files),
    }


def in_own_process(
    clone: Path, store: Path, way: Way, queries: Sequence[str], warming: Sequence[str]
) -> dict[str, Any]:
    """Search in one way, in a process of its own, with a store that knows the index only."""
    copy = store.with_name(f"{store.name}-copy")
    shutil.copytree(store, copy)
    step = {
        "store": str(copy),
        "effort": way.effort,
        "depth": way.depth,
        "queries": list(queries[: way.queries]),
        "warming": list(warming[:1] if way.effort == "thorough" else warming),
    }
    command = [sys.executable, __file__, str(clone), "--step", json.dumps(step)]
    answer: dict[str, Any] = json.loads(subprocess.check_output(command, text=True))
    shutil.rmtree(copy)
    return answer


def search_all(
    place: Path, store: str, effort: Effort, depth: int | None, queries: Sequence[str], warming: Sequence[str]
) -> dict[str, Any]:
    """Search all queries, then all of them again."""
    with trackdown.open(place, settings=load_settings(store=Path(store))) as repository:

        def search(query: str) -> dict[str, float]:
            return dict(repository.search(query, effort=effort, depth=depth).timings_ms)

        for query in warming:
            search(query)
        first = timed(search, queries)
        return {"queries": len(queries), "first": first, "again": timed(search, queries)}


def timed(search: Callable[[str], dict[str, float]], queries: Sequence[str]) -> dict[str, Any]:
    """Seconds of a query, queries a second, and the median of each stage's milliseconds."""
    seconds: list[float] = []
    stages: dict[str, list[float]] = {}
    for query in queries:
        started = time.perf_counter()
        found = search(query)
        seconds.append(time.perf_counter() - started)
        for stage, milliseconds in found.items():
            stages.setdefault(stage, []).append(milliseconds)
    return {
        "p50_s": round(statistics.median(seconds), 4),
        "p95_s": round(percentile(seconds, 95), 4),
        "per_second": round(len(seconds) / sum(seconds), 2),
        "stages_p50_ms": {stage: round(statistics.median(found), 1) for stage, found in stages.items()},
    }


def print_tables(report: dict[str, Any]) -> None:
    """The report as Markdown."""
    about = report["repository"]
    print(f"{about['name']} at {about['commit'][:10]}: {about['files']} files, {about['commits']} commits\n")
    lengths = list(next(iter(report["models"].values()))["per_second"]["1"])
    heads = [f"{length} tokens, {threads} thread(s)" for threads in (1, 2) for length in lengths]
    print("| model | parameters | MB | load ms | " + " | ".join(heads) + " |")
    print("|---" * (4 + len(heads)) + "|")
    for role, figures in report["models"].items():
        speeds = [f"{value:,.0f}/s" for found in figures["per_second"].values() for value in found.values()]
        size = f"{figures['parameters'] / 1e6:.1f} M | {figures['bytes'] / 1e6:.1f} | {figures['load_ms']:.0f}"
        print(f"| {role} | {size} | {' | '.join(speeds)} |")
    dense = report["dense_index"]
    print(
        f"\nDense index: {dense['units']:,} units, {dense['dense_s']:.2f} s beside {dense['index_s']:.2f} s for all "
        f"else, {dense['dense_bytes'] / 1e6:.1f} of {dense['store_bytes'] / 1e6:.1f} MB\n"
    )
    print("| search | queries | first p50 s | p95 s | queries/s | again p50 s | p95 s | queries/s |")
    print("|---" * 8 + "|")
    for name, found in report["searches"].items():
        values = [f"{found[turn][key]:.3g}" for turn in ("first", "again") for key in ("p50_s", "p95_s", "per_second")]
        print(f"| {name} | {found['queries']} | {' | '.join(values)} |")


if __name__ == "__main__":
    main()
