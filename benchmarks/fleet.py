"""A fleet as it grows: time to build, size, memory of builder and reader, and how long a search takes.

python benchmarks/fleet.py REPOSITORY… [--states 10] [--apart 200] [--most-files 2000] [--sizes 10,100,1000]
    [--workers 2] [--compare 10,100] [--with-workers 1,2,4] [--moved 60] [--queries 50] [--efforts fast]
    [--fleet FOLDER] [--json FILE]

Each repository is in the fleet at several states, so many first parents apart: equal content would be one shard. The
states come in turns: first all heads, then the next ones. One place grows through --sizes; each sync adds what is new
and runs a second time with nothing new. Then it is searched in one process, each query twice: cold, when shards may
have to be fetched into the cache, and warm. Queries are the subjects of the repositories' latest commits. For
the sizes of --compare a place is built from nothing with each number of --with-workers. --moved is the size of a fleet
that is synced after five of its repositories moved, and after its static model changed (to none).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from measure import keep, latest_subjects, new_parser, peak_memory

PROGRAM = [sys.executable, "-m", "trackdown"]
MOVED = 5
State = tuple[Path, str, str]
"""A repository's path, a commit of it, and the name of both in the fleet."""


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--apart", type=int, default=200)
    parser.add_argument("--most-files", type=int, default=10**9, help="leave larger states out")
    parser.add_argument("--sizes", default="10,100")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--compare", default="")
    parser.add_argument("--with-workers", default="1,2,4")
    parser.add_argument("--moved", type=int, default=0)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--efforts", default="fast")
    parser.add_argument("--fleet", type=Path, help="keep the fleets in this folder")
    arguments = parser.parse_args()
    folder = arguments.fleet or Path(tempfile.mkdtemp(prefix="trackdown-fleet-"))
    members = states(arguments.repositories, arguments.states, arguments.apart, arguments.most_files)
    print(f"{len(members)} states of {len({path for path, _, _ in members})} repositories", flush=True)
    queries = [
        subject
        for path in arguments.repositories[:: max(1, len(arguments.repositories) // arguments.queries)]
        for subject in latest_subjects(path, 1)
    ][: arguments.queries]
    report: dict[str, Any] = {"states": len(members), "compared": [], "moved": [], "grown": []}

    def add(kind: str, row: dict[str, Any]) -> None:
        report[kind].append(row)
        print(kind, json.dumps(row), flush=True)
        keep(report, arguments.json)

    for size in numbers(arguments.compare):
        for workers in numbers(arguments.with_workers):
            shutil.rmtree(folder / "compared", ignore_errors=True)
            add("compared", synced(folder / "compared", members[:size], workers) | {"workers": workers})
    if arguments.moved:
        for row in after_moves(folder / "moved", members[: arguments.moved], arguments.workers):
            add("moved", row)
    for size in (size for size in numbers(arguments.sizes) if size <= len(members)):
        row = synced(folder / "grown", members[:size], arguments.workers)
        row["again_s"] = synced(folder / "grown", members[:size], arguments.workers)["seconds"]
        row["place_mb"] = round(sum(one.stat().st_size for one in files(folder / "grown" / "place")) / 1e6)
        for effort in arguments.efforts.split(","):
            row[effort] = searched(folder / "grown", queries, effort)
        add("grown", row)
    if arguments.fleet is None:
        shutil.rmtree(folder)


def numbers(text: str) -> list[int]:
    """The numbers of an option."""
    return [int(one) for one in text.split(",") if one]


def files(folder: Path) -> list[Path]:
    """All files below a folder."""
    return [one for one in folder.rglob("*") if one.is_file()]


def states(repositories: Sequence[Path], count: int, apart: int, most_files: int) -> list[State]:
    """States of all repositories, each in turn: heads first."""
    found: list[list[State]] = []
    for path in repositories:
        git = ["git", "-C", str(path)]
        commits = subprocess.check_output([*git, "rev-list", "--first-parent", "HEAD"], text=True).split()
        name = path.name if path.name not in ("repo", ".git") else path.parent.name
        found.append([])
        for commit in commits[::apart][:count]:
            tree = subprocess.check_output([*git, "ls-tree", "-r", "--name-only", commit])
            if 0 < tree.count(b"\n") <= most_files:
                found[-1].append((path.resolve(), commit, f"{name}@{commit[:10]}"))
    longest = max(map(len, found))
    return [own[at] for at in range(longest) for own in found if at < len(own)]


def write(folder: Path, members: Sequence[State]) -> None:
    """The file of a fleet."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [f'[[repositories]]\npath = "{path}"\nat = "{at}"\nname = "{name}"\n' for path, at, name in members]
    (folder / "fleet.toml").write_text('place = "place"\ngrace_hours = 0.02\n' + "".join(entries), "utf-8")


def synced(folder: Path, members: Sequence[State], workers: int, **environment: str) -> dict[str, Any]:
    """One sync: what it did, how long it took, and the most memory that all its processes had together."""
    write(folder, members)
    command = [*PROGRAM, "fleet", "sync", "--fleet", str(folder / "fleet.toml"), "--workers", str(workers)]
    started = time.monotonic()
    with subprocess.Popen(
        [*command, "--format", "json"],
        env=os.environ | {"TRACKDOWN_STORE": str(folder / "store"), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        peak = peak_memory(process)
        out, said = process.communicate()
    if not out:
        raise SystemExit(f"the sync failed: {said.strip().splitlines()[-1]}")
    told = json.loads(out)
    return {
        "repositories": told["repositories"],
        "built": len(told["built"]),
        "units": told["units"],
        "seconds": round(time.monotonic() - started, 1),
        "builder_mb": round(peak[0]),
        "problems": told["problems"],
    }


def after_moves(folder: Path, members: Sequence[State], workers: int) -> Iterator[dict[str, Any]]:
    """Syncs of one fleet: the first, with nothing new, after some moved, after its model changed."""
    first = [
        (path, f"{at}~30" if number < MOVED else at, name.partition("@")[0])
        for number, (path, at, name) in enumerate(members)
    ]
    now = [(path, at, name.partition("@")[0]) for path, at, name in members]
    for what, which, environment in (
        ("first", first, {}),
        ("nothing new", first, {}),
        (f"{MOVED} moved by 30 commits", now, {}),
        ("another model", now, {"TRACKDOWN_MODELS": "none"}),
    ):
        yield {"sync": what, **synced(folder, which, workers, **environment)}


def searched(folder: Path, queries: Sequence[str], effort: str) -> dict[str, Any]:
    """How long searches take in a process of their own, and the most memory it has."""
    driver = [sys.executable, str(Path(__file__).with_name("fleet_reader.py")), str(folder / "fleet.toml"), effort]
    process = subprocess.Popen(
        driver,
        env=os.environ | {"TRACKDOWN_STORE": str(folder / "reader")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    peak = peak_memory(process)
    out, _ = process.communicate(json.dumps(list(queries)))
    return {"searches": len(queries), **json.loads(out), "reader_mb": round(peak[0])}


if __name__ == "__main__":
    main()
