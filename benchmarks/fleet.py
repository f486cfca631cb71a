"""A fleet as it grows: time to build, size, memory of builder and reader, and how long a search takes.

python benchmarks/fleet.py REPOSITORY… [--states 10] [--apart 200] [--sizes 10,100] [--workers 1,2]
    [--queries 50] [--effort fast] [--fleet FOLDER] [--json FILE]

Each repository is in the fleet at several states, so many first parents apart: equal content would be one shard. For
each size the first so many of them are synced into a place of its own with each number of workers, from an empty
store; the last place is then searched in one process, warm after one search of each query's repositories. Queries
are the subjects of the repositories' latest commits. A second sync, with nothing new, is timed, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import family_memory, keep, latest_subjects, new_parser, peak_memory, spread

PROGRAM = [sys.executable, "-m", "trackdown"]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--apart", type=int, default=200)
    parser.add_argument("--sizes", default="10,100")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--fleet", type=Path, help="keep the fleets in this folder")
    arguments = parser.parse_args()
    folder = arguments.fleet or Path(tempfile.mkdtemp(prefix="trackdown-fleet-"))
    folder.mkdir(parents=True, exist_ok=True)
    members = states(arguments.repositories, arguments.states, arguments.apart)
    queries = [subject for path in arguments.repositories for subject in latest_subjects(path, 3)][: arguments.queries]
    rows = []
    for size in map(int, arguments.sizes.split(",")):
        if size > len(members):
            print(f"there are {len(members)} states: no fleet of {size}")
            continue
        for workers in map(int, arguments.workers.split(",")):
            row = built(folder, members[:size], workers)
            rows.append(row)
            print(json.dumps(row))
        row = searched(folder / "fleet.toml", queries, arguments.effort) | {"repositories": size}
        rows.append(row)
        print(json.dumps(row))
    keep({"states": len(members), "effort": arguments.effort, "rows": rows}, arguments.json)
    if arguments.fleet is None:
        shutil.rmtree(folder)


def states(repositories: list[Path], count: int, apart: int) -> list[tuple[Path, str, str]]:
    """Path, commit and name of every state: first those of all repositories' heads, then the next ones."""
    found: list[list[tuple[Path, str, str]]] = []
    for path in repositories:
        git = ["git", "-C", str(path), "rev-list", "--first-parent", "HEAD"]
        commits = subprocess.check_output(git, text=True).split()[::apart][:count]
        name = path.name if path.name not in ("repo", ".git") else path.parent.name
        found.append([(path.resolve(), commit, f"{name}@{commit[:10]}") for commit in commits])
    longest = max(map(len, found))
    return [own[at] for at in range(longest) for own in found if at < len(own)]


def built(folder: Path, members: list[tuple[Path, str, str]], workers: int) -> dict[str, Any]:
    """Sync into an empty place from an empty store, then once more."""
    for name in ("place", "store"):
        shutil.rmtree(folder / name, ignore_errors=True)
    entries = [f'[[repositories]]\npath = "{path}"\nat = "{at}"\nname = "{name}"\n' for path, at, name in members]
    (folder / "fleet.toml").write_text('place = "place"\n' + "".join(entries), "utf-8")
    first = synced(folder, workers)
    second = synced(folder, workers)
    size = sum(file.stat().st_size for file in (folder / "place").rglob("*") if file.is_file())
    return {
        "repositories": len(members),
        "workers": workers,
        "units": first["units"],
        "build_s": first["wall_s"],
        "failed": len(first["problems"]),
        "again_s": second["wall_s"],
        "place_mb": round(size / 1e6, 1),
        "builder_mb": first["peak_mb"],
    }


def synced(folder: Path, workers: int) -> dict[str, Any]:
    """One sync: what it says, how long it took and how much memory all its processes had."""
    command = [*PROGRAM, "fleet", "sync", "--fleet", str(folder / "fleet.toml"), "--workers", str(workers)]
    started = time.monotonic()
    with subprocess.Popen(
        [*command, "--format", "json"],
        env=os.environ | {"TRACKDOWN_STORE": str(folder / "store")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        peak = peak_memory(process)
        out, _ = process.communicate()
    report: dict[str, Any] = json.loads(out)
    return {**report, "wall_s": round(time.monotonic() - started, 2), "peak_mb": round(peak[0])}


def searched(file: Path, queries: list[str], effort: str) -> dict[str, Any]:
    """How long searches take in one process, and the memory it has in the end."""
    from trackdown.fleet import FleetReader, FleetRepositories, Place, read_fleet
    from trackdown.settings import load_settings

    settings = load_settings(store=file.parent / "reader")
    reader = FleetReader(Place(read_fleet(file).address), settings)
    cold: list[float] = []
    warm: list[float] = []
    choosing: list[float] = []
    with FleetRepositories(reader, settings) as fleet:
        for seconds in (cold, warm):
            for query in queries:
                started = time.perf_counter()
                answer = fleet.search(query, effort=effort)
                seconds.append(time.perf_counter() - started)
                choosing.append(answer.timings_ms["candidates"] / 1000)
    memory = round(family_memory(os.getpid()))
    return {
        "searches": len(queries),
        "cold_s": spread(cold),
        "warm_s": spread(warm),
        "candidates_s": spread(choosing[len(queries) :]),
        "reader_mb": memory,
    }


if __name__ == "__main__":
    main()
