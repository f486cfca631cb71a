"""A fleet as it grows: time to build, size, memory of builder and reader, and how long a search takes.

python benchmarks/fleet.py REPOSITORY… [--states 10] [--apart 200] [--most-files 2000] [--files-in-all 600000]
    [--max-file-kb 4] [--sizes 10,100,2000] [--workers 2] [--compare 10,100] [--with-workers 1,2,4] [--moved 60]
    [--queries 50] [--efforts fast] [--last-efforts balanced] [--fleet FOLDER] [--json FILE]

Each repository is in the fleet at several states, so many first parents apart: equal content would be one shard. The
states come in turns: first all heads, then the next ones. States that lack a file in their clone cannot be published
and are left out. One place grows through --sizes; each sync adds what is new and runs a second time with nothing new.
Then it is searched in one process, each query twice: cold, when shards may have to be fetched into the cache, and
warm; at the largest size with --last-efforts, too. What models said is remembered, so for efforts other than fast the
cold times count. Queries are the subjects of the repositories' latest commits. For the sizes of --compare a place is
built from nothing with each number of --with-workers. --moved is the size of a fleet that is synced after five of its
repositories moved, and after its static model changed (to none).

Two options keep a fleet of many repositories small. --max-file-kb is the fleet's max_file_kb: a file has 9 units on
average, one of at most 16 KB 5, of at most 4 KB 2.5. --files-in-all leaves out the largest states, until those of the
largest size have no more files than that together, counting files within --max-file-kb. 2,000 repositories with
--max-file-kb 4 --files-in-all 600000 should have 1 to 1.5 million units, by these averages.
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
from typing import Any, NamedTuple

from measure import keep, latest_subjects, new_parser, peak_memory

PROGRAM = [sys.executable, "-m", "trackdown"]
MOVED = 5


class State(NamedTuple):
    """A repository's path, a commit of it, the name of both in the fleet, and how many files of which size count."""

    path: Path
    at: str
    name: str
    files: int
    max_file_kb: int


class Limits(NamedTuple):
    """Which states of a repository to take: how many, how far apart, and of how many files of which size."""

    most_states: int
    apart: int
    most_files: int
    max_file_kb: int


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--states", type=int, default=10)
    parser.add_argument("--apart", type=int, default=200)
    parser.add_argument("--most-files", type=int, default=10**9, help="leave larger states out")
    parser.add_argument("--max-file-kb", type=int, default=1024, help="larger files are not indexed")
    parser.add_argument("--files-in-all", type=int, default=10**9, help="of the largest fleet: leave larger states out")
    parser.add_argument("--sizes", default="10,100")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--compare", default="")
    parser.add_argument("--with-workers", default="1,2,4")
    parser.add_argument("--moved", type=int, default=0)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--efforts", default="fast")
    parser.add_argument("--last-efforts", default="balanced", help="further efforts, at the largest size")
    parser.add_argument("--fleet", type=Path, help="keep the fleets in this folder")
    arguments = parser.parse_args()
    folder = arguments.fleet or Path(tempfile.mkdtemp(prefix="trackdown-fleet-"))
    sizes, compared = numbers(arguments.sizes), numbers(arguments.compare)
    largest = max([*sizes, *compared, arguments.moved])
    limits = Limits(arguments.states, arguments.apart, arguments.most_files, arguments.max_file_kb)
    members = states(arguments.repositories, limits)
    members = smaller(members, largest, arguments.files_in_all)
    print(f"{len(members)} states of {len({one.path for one in members})} repositories", flush=True)
    if len(members) < largest:
        raise SystemExit(f"{largest} repositories need more states: give more repositories, --states or --files-in-all")
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

    for size in compared:
        for workers in numbers(arguments.with_workers):
            shutil.rmtree(folder / "compared", ignore_errors=True)
            add("compared", synced(folder / "compared", members[:size], workers) | {"workers": workers})
    if arguments.moved:
        for row in after_moves(folder / "moved", members[: arguments.moved], arguments.workers):
            add("moved", row)
    for size in sizes:
        row = synced(folder / "grown", members[:size], arguments.workers)
        row["again_s"] = synced(folder / "grown", members[:size], arguments.workers)["seconds"]
        row["place_mb"] = round(sum(one.stat().st_size for one in files(folder / "grown" / "place")) / 1e6)
        efforts = f"{arguments.efforts},{arguments.last_efforts}" if size == sizes[-1] else arguments.efforts
        for effort in dict.fromkeys(filter(None, efforts.split(","))):
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


def states(repositories: Sequence[Path], limits: Limits) -> list[State]:
    """States of all repositories, each in turn: heads first. A commit that two clones have counts once."""
    found: list[list[State]] = []
    known: set[str] = set()
    for path in repositories:
        git = ["git", "-C", str(path)]
        commits = subprocess.check_output([*git, "rev-list", "--first-parent", "HEAD"], text=True).split()
        name = path.name if path.name not in ("repo", ".git") else path.parent.name
        found.append([])
        for commit in [one for one in commits[:: limits.apart][: limits.most_states] if one not in known]:
            known.add(commit)
            files = sum(size <= limits.max_file_kb << 10 for size in file_sizes(git, commit))
            if 0 < files <= limits.most_files:
                state = State(path.resolve(), commit, f"{name}@{commit[:10]}", files, limits.max_file_kb)
                found[-1].append(state)
    longest = max(map(len, found))
    return [own[at] for at in range(longest) for own in found if at < len(own)]


def file_sizes(git: Sequence[str], commit: str) -> list[int]:
    """The sizes of the files of a commit; none if the clone lacks one of them."""
    listed = subprocess.check_output([*git, "ls-tree", "-r", "-z", commit]).split(b"\0")
    blobs = [line.split(maxsplit=3)[2] for line in listed if line.split(maxsplit=2)[1:2] == [b"blob"]]
    done = subprocess.run(
        [*git, "cat-file", "--batch-check=%(objectsize)"],
        input=b"".join(blob + b"\n" for blob in blobs),
        env=os.environ | {"GIT_NO_LAZY_FETCH": "1"},
        check=True,
        capture_output=True,
    )
    return [] if b"missing" in done.stdout else [int(size) for size in done.stdout.split()]


def smaller(members: Sequence[State], count: int, files: int) -> list[State]:
    """The states without the largest, so many of them that the first `count` have at most `files` files together."""
    for limit in sorted({one.files for one in members}, reverse=True):
        kept = [one for one in members if one.files <= limit]
        if sum(one.files for one in kept[:count]) <= files:
            return kept
    return []


def write(folder: Path, members: Sequence[State]) -> None:
    """The file of a fleet."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        f'[[repositories]]\npath = "{one.path}"\nat = "{one.at}"\n'
        f'name = "{one.name}"\nmax_file_kb = {one.max_file_kb}\n'
        for one in members
    ]
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
    for name, message in told["problems"].items():
        print(f"{name} failed: {message}", file=sys.stderr)
    return {
        "repositories": told["repositories"],
        "built": len(told["built"]),
        "units": told["units"],
        "seconds": round(time.monotonic() - started, 1),
        "builder_mb": round(peak[0]),
        "problems": len(told["problems"]),
    }


def after_moves(folder: Path, members: Sequence[State], workers: int) -> Iterator[dict[str, Any]]:
    """Syncs of one fleet: the first, with nothing new, after some moved, after its model changed."""
    now = [one._replace(name=one.name.partition("@")[0]) for one in members]
    first = [one._replace(at=f"{one.at}~30") if number < MOVED else one for number, one in enumerate(now)]
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
