"""What an exported index saves: the first search after an import beside the first search without.

python benchmarks/exchange.py REPOSITORY… [--json FILE]

A fresh clone of each repository is searched through the command line, with a store of its own each time: once with an
empty store, and once after the import of an index that was exported from another store. The answers must be equal.
Seconds include starting the program. CPU seconds count all of its processes, so other work on the machine changes them
little. Parsed files and read commits are what the searches themselves tell of.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from measure import cloned, keep, latest_subjects, new_parser

import trackdown
from trackdown.engine import import_index
from trackdown.settings import load_settings


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    arguments = parser.parse_args()
    rows = [measured(place) for place in arguments.repositories]
    for row in rows:
        print(json.dumps(row))
    keep({"repositories": rows}, arguments.json)


def measured(place: Path) -> dict[str, Any]:
    """The figures of one repository."""
    with cloned(place) as (clone, folder):
        shard = folder / "index.shard"
        query = latest_subjects(clone, 1)[0]
        exported, export = timed(folder / "ci", "index", str(clone), "--export", str(shard))
        imported, bring = timed(folder / "laptop", "index", str(clone), "--import", str(shard))
        answer, after = timed(folder / "laptop", "search", query, str(clone))
        expected, without = timed(folder / "empty", "search", query, str(clone))
        assert answer["results"] == expected["results"], "the answers differ"
        assert imported["digest"] == exported["digest"]
        return {
            "repository": place.name,
            "files": exported["files"],
            "units": exported["units"],
            "commits": exported["commits"],
            "shard_bytes": exported["bytes"],
            "export": export,
            "import": bring,
            "first_search_after_import": after,
            "first_search_without": without,
            "work_after_import": work(clone, folder / "told", query, shard),
            "work_without": work(clone, folder / "told-empty", query, None),
        }


def timed(store: Path, *arguments: str) -> tuple[Any, dict[str, float]]:
    """What a command answers as JSON, and what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    command = [sys.executable, "-m", "trackdown", *arguments, "--format", "json"]
    environment = os.environ | {"TRACKDOWN_STORE": str(store)}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}


def work(clone: Path, store: Path, query: str, shard: Path | None) -> dict[str, int]:
    """How many files the first search parses and how many commits it reads, as it tells."""
    told: dict[str, int] = {"parse": 0, "history": 0}

    def note(step: str, done: int, total: int | None) -> None:
        told[step] = max(told.get(step, 0), done)

    with trackdown.open(clone, settings=load_settings(store=store)) as repository:
        if shard is not None:
            import_index(repository, str(shard))
        repository.search(query, progress=note)
    return {"files_parsed": told["parse"], "commits_read": told["history"]}


if __name__ == "__main__":
    main()
