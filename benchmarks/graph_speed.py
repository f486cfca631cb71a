"""What the code graph costs: references of all files, all edges, an update after an edit, neighbourhoods, memory.

python benchmarks/graph_speed.py REPOSITORY [--json RESULT]

In a work tree a line is appended to one of its files and taken back; a bare repository has no such step. Each step runs
in a process of its own, as a user's would, on a store of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import keep, new_parser

import trackdown
from trackdown.engine import rank
from trackdown.expand.spider import Expansion
from trackdown.graph.graph import Graph
from trackdown.pipeline import SearchPlan
from trackdown.settings import load_settings

QUERIES = ("session cookie is not signed", "order of a query set with a foreign key", "template tag does not escape")


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    parser.add_argument("--store", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        print(json.dumps(STEPS[arguments.step](arguments.repository, arguments.store)))
        return
    answer: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as store:
        trackdown.open(arguments.repository, settings=load_settings(store=Path(store))).index()
        bare = trackdown.open(arguments.repository).source.kind == "bare"
        for step in [step for step in STEPS if not (bare and step == "after_an_edit")]:
            command = [sys.executable, __file__, str(arguments.repository), "--step", step, "--store", store]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            answer[step] = json.loads(done.stdout)
            print(step, answer[step], file=sys.stderr)
    keep(answer, arguments.json)


def opened(place: Path, store: Path) -> tuple[trackdown.Repository, Graph]:
    """A repository whose index is ready, and its graph."""
    repository = trackdown.open(place, settings=load_settings(store=store))
    return repository, repository.corpus().graph()


def read_references(place: Path, store: Path) -> dict[str, Any]:
    """Parse every file for its references; they are facts from then on."""
    _, graph = opened(place, store)
    started = time.perf_counter()
    graph.program.expect(graph.program.files.values())
    return {"files": len(graph.program.files), "seconds": round(time.perf_counter() - started, 2)}


def resolve_everything(place: Path, store: Path) -> dict[str, Any]:
    """All edges from ready facts."""
    _, graph = opened(place, store)
    started = time.perf_counter()
    files = list(graph.program.files.values())
    graph.program.expect(files)
    read = time.perf_counter()
    hows: dict[str, int] = {}
    for file in files:
        for link in graph.links(file):
            hows[link.how] = hows.get(link.how, 0) + 1
    return {
        "edges": hows,
        "seconds": round(time.perf_counter() - started, 2),
        "of_which_reading_facts": round(read - started, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def after_an_edit(place: Path, store: Path) -> dict[str, Any]:
    """A file changes in a process whose graph is resolved: how long until its neighbourhood is right again?"""
    repository, graph = opened(place, store)
    files = sorted(graph.program.files, key=lambda path: (not path.endswith(".py"), -len(path), path))
    path = next(path for path in files if graph.program.definitions(graph.program.files[path]))
    target = place / path
    before = target.read_bytes()
    try:
        target.write_bytes(before + b"\n\ndef added_by_the_benchmark():\n    return 1\n")
        started = time.perf_counter()
        graph = repository.corpus().graph()
        file = graph.program.files[path]
        for definition in graph.program.definitions(file):
            graph.edges(graph.node(definition), ("invokes", "inherits", "imports"), "out")
        return {"seconds": round(time.perf_counter() - started, 3), "definitions": len(graph.program.definitions(file))}
    finally:
        target.write_bytes(before)


def neighbourhoods(place: Path, store: Path) -> dict[str, Any]:
    """What SpIDER's expansion (C=5, d=4, N=500) adds to a search, and what finding callers costs."""
    repository, graph = opened(place, store)
    prepared = repository.corpus()
    answer: dict[str, Any] = {}
    plain = SearchPlan(k=20)
    along = {
        "plain": None,
        "contains": Expansion(),
        "invokes": Expansion(edges=("invokes",)),
    }
    for name, expansion in along.items():
        times = []
        for query in QUERIES * 3:
            started = time.perf_counter()
            rank(prepared, query, SearchPlan(k=plain.k, expansion=expansion))
            times.append((time.perf_counter() - started) * 1000)
        answer[name] = {"first_ms": round(times[0], 1), "then_p50_ms": round(statistics.median(times[3:]), 1)}
    definitions = [one for file in list(graph.program.files.values())[::7] for one in graph.program.definitions(file)]
    times = []
    for definition in definitions[:: max(1, len(definitions) // 200)]:
        started = time.perf_counter()
        graph.edges(graph.node(definition), ("invokes",), "in")
        times.append((time.perf_counter() - started) * 1000)
    answer["callers_of_one"] = {
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(sorted(times)[int(len(times) * 0.95)], 1),
    }
    return answer


STEPS = {
    "read_references": read_references,
    "resolve_everything": resolve_everything,
    "after_an_edit": after_an_edit,
    "neighbourhoods": neighbourhoods,
}

if __name__ == "__main__":
    main()
