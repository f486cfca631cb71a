"""What the cascade costs on this machine, CasCode's table for ours: models, dense index, searches by effort and depth.

python benchmarks/cascade.py REPOSITORY [--queries 50] [--thorough 3] [--json FILE]

Everything happens on a clone in a temporary folder. Queries are the subjects of the repository's latest commits. Every
effort gets a process and a copy of the ready index of its own, so that no vector and no judgement of another is at
hand: `first` is what a query costs when it is new, `again` when it was asked before. Two other queries warm a process
up. How good the answers are at each depth is measured by `quality_by_depth.py`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import describe_run
from model_speed import measure as measure_models
from speed import Trackdown, describe_repository, run_timed

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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--thorough", type=int, default=3, help="how many queries are searched with all effort")
    parser.add_argument("--rounds", type=int, default=5, help="how many searches from the command line")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each speed of a model is measured")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        print(json.dumps(search_all(arguments.repository, **json.loads(arguments.step))))
        return
    with tempfile.TemporaryDirectory(prefix="cascade-") as folder:
        report = measure(arguments.repository.resolve(), Path(folder), arguments)
    print_tables(report)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(report | {"run": describe_run()}, indent=1) + "\n")


def measure(repository: Path, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    clone, store = folder / "clone", folder / "store"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(repository), str(clone)], check=True)
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
    report["command_line"] = command_line(folder, clone, store, queries[: arguments.rounds])
    return report


def ways(count: int, thorough: int) -> list[Way]:
    """What is compared."""
    return [
        Way("fast", "fast", None, count),
        Way("balanced", "balanced", None, count),
        *(Way(f"depth {depth}", "balanced", depth, count) for depth in DEPTHS),
        Way("thorough", "thorough", None, min(thorough, count)),
    ]


def latest_subjects(clone: Path, count: int) -> list[str]:
    """Subjects of the latest commits that say something, each once."""
    git = ["git", "-C", str(clone), "log", "--no-merges", f"-{40 * count}", "--format=%s"]
    lines = subprocess.check_output(git, text=True, errors="replace").splitlines()
    found = [line for line in dict.fromkeys(lines) if len(line.split()) >= 4][:count]
    if len(found) < _WARMING + 1:
        raise SystemExit(f"{clone.name} has too few commits with a subject of four words")
    return found


def source_text(clone: Path) -> str:
    """Some source of the repository: what models are timed on."""
    files = sorted(path for path in clone.rglob("*.*") if path.is_file())
    code = [path for path in files if path.suffix in (".py", ".js", ".ts", ".java", ".go", ".rs", ".c", ".cc", ".rb")]
    return "\n".join(path.read_text("utf-8", errors="replace") for path in code[:200])[:_TEXTS]


def dense_index(clone: Path, store: Path) -> dict[str, Any]:
    """What static vectors of all units add to a first index."""
    with trackdown.open(clone, settings=load_settings(store=store)) as repository:
        started = time.perf_counter()
        prepared = repository.prepared()
        indexed = time.perf_counter()
        prepared.models.static()
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


@contextmanager
def copied(store: Path) -> Iterator[Path]:
    """A copy of a store, for as long as it is needed."""
    copy = store.with_name(f"{store.name}-copy")
    shutil.copytree(store, copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def in_own_process(
    clone: Path, store: Path, way: Way, queries: Sequence[str], warming: Sequence[str]
) -> dict[str, Any]:
    """Search in one way, in a process of its own, with a store that knows the index only."""
    with copied(store) as copy:
        step = {
            "store": str(copy),
            "effort": way.effort,
            "depth": way.depth,
            "queries": list(queries[: way.queries]),
            "warming": list(warming[:1] if way.effort == "thorough" else warming),
        }
        command = [sys.executable, __file__, str(clone), "--step", json.dumps(step)]
        answer: dict[str, Any] = json.loads(subprocess.check_output(command, text=True))
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
    ordered = sorted(seconds)
    return {
        "p50_s": round(statistics.median(ordered), 4),
        "p95_s": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 4),
        "per_second": round(len(ordered) / sum(ordered), 2),
        "stages_p50_ms": {stage: round(statistics.median(found), 1) for stage, found in stages.items()},
    }


def command_line(folder: Path, clone: Path, store: Path, queries: Sequence[str]) -> dict[str, Any]:
    """The wall time of searches from the command line with a ready index, each query new to the store."""
    found: dict[str, Any] = {}
    for effort in ("fast", "balanced"):
        with copied(store) as copy:
            tool = Trackdown(folder, clone)
            tool.environment["TRACKDOWN_STORE"] = str(copy)
            run_timed([*tool.search("warm the file cache"), "--effort", effort], tool.environment)
            walls = [run_timed([*tool.search(query), "--effort", effort], tool.environment) for query in queries]
        found[effort] = {"p50_s": round(statistics.median(walls), 3), "all_s": [round(wall, 3) for wall in walls]}
    return found


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
    print(f"\nDense index: {dense['units']:,} units, {dense['dense_s']:.2f} s beside {dense['index_s']:.2f} s for all "
          f"else, {dense['dense_bytes'] / 1e6:.1f} of {dense['store_bytes'] / 1e6:.1f} MB\n")  # fmt: skip
    print("| search | queries | first p50 s | p95 s | queries/s | again p50 s | p95 s | queries/s |")
    print("|---" * 8 + "|")
    for name, found in report["searches"].items():
        values = [f"{found[turn][key]:.3g}" for turn in ("first", "again") for key in ("p50_s", "p95_s", "per_second")]
        print(f"| {name} | {found['queries']} | {' | '.join(values)} |")
    walls = ", ".join(f"{effort} {found['p50_s']:.2f} s" for effort, found in report["command_line"].items())
    print(f"\nFrom the command line, index ready: {walls}")


if __name__ == "__main__":
    main()
