"""Kill -9 a first index at many moments, and see that nothing is lost, left running or answered wrongly.

python benchmarks/kills.py REPOSITORY [--kills 50] [--seed 1] [--within 2] [--queries 3] [--json FILE]

A clean build is timed first; the moments then spread over all of it, one in each of as many equal parts, at random
within its part. A build that ends before its moment, because the machine is less busy now, tells how long builds take:
the kill is tried again, at the same share of that time. After each kill: no process of the build may be alive after two
seconds, searches must answer exactly as they do from a clean store, and the store they complete must hold the facts and
array files of a clean one, byte by byte. Everything happens on a clone in a temporary folder. Ends with code 1 when
anything was different.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from measure import cloned, keep, latest_subjects, new_parser

MARK = "TRACKDOWN_KILLS_MARK"
PROGRAM = [sys.executable, "-m", "trackdown"]
TRIES = 4
Fingerprint = dict[str, str]


@dataclass
class Kill:
    """One kill and what was found after it. `problems` is empty when all was well."""

    share: float
    moment_s: float
    finished_before: bool = False
    gone_after_s: float = 0.0
    problems: list[str] = field(default_factory=list)


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=float, default=2.0, help="seconds in which a killed build has to be gone")
    parser.add_argument("--queries", type=int, default=3, help="searches after each kill, each in its own process")
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        report = {"repository": arguments.repository.resolve().name}
        queries = latest_subjects(clone, arguments.queries)
        report |= measure(clone, folder, queries, arguments.kills, arguments.seed, arguments.within)
    keep(report, arguments.json)
    sys.exit(1 if report["failed"] else 0)


def measure(clone: Path, folder: Path, queries: list[str], kills: int, seed: int, within: float) -> dict[str, Any]:
    """All kills, each on a store of its own."""
    clean = folder / "clean"
    started = time.monotonic()
    subprocess.run([*PROGRAM, "index", str(clone)], env=environment(clean), check=True, capture_output=True)
    build = time.monotonic() - started
    expected = [ask(clean, clone, query) for query in queries]
    wanted = fingerprint(clean)
    print(f"clean build {build:.2f} s, {len(wanted)} facts and files, seed {seed}, {kills} kills")
    print(f"{'at s':>7} {'gone s':>6}  problems")
    done: list[Kill] = []
    for share in shares(kills, seed):
        kill = killed_build(folder / "store", clone, share, build, within)
        kill.problems += problems_after(folder / "store", clone, queries, expected, wanted)
        done.append(kill)
        told = "; ".join(kill.problems) or ("none (it had ended)" if kill.finished_before else "none")
        print(f"{kill.moment_s:7.2f} {kill.gone_after_s:6.2f}  {told}", flush=True)
    failed = sum(bool(kill.problems) for kill in done)
    ended = sum(kill.finished_before for kill in done)
    print(f"{len(done)} kills, {failed} with problems; {ended} came after the build had ended")
    return {
        "seed": seed,
        "clean_build_s": round(build, 3),
        "queries": queries,
        "kills": [asdict(kill) for kill in done],
        "ended_before_kill": ended,
        "failed": failed,
    }


def shares(kills: int, seed: int) -> list[float]:
    """One moment in each equal part of a build, as a share of its time, in a random order."""
    chance = random.Random(seed)
    found = [(part + chance.random()) / kills for part in range(kills)]
    chance.shuffle(found)
    return found


def killed_build(store: Path, clone: Path, share: float, build_s: float, within: float) -> Kill:
    """Build into an empty store and kill the build at a share of the time that builds take."""
    for _ in range(TRIES):
        shutil.rmtree(store, ignore_errors=True)
        mark = f"{os.getpid()}-{time.monotonic_ns()}"
        started = time.monotonic()
        build = subprocess.Popen(
            [*PROGRAM, "index", str(clone)],
            env=environment(store) | {MARK: mark},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        moment = share * build_s
        try:
            build.wait(moment)
        except subprocess.TimeoutExpired:
            build.send_signal(signal.SIGKILL)
            build.wait()
            break
        build_s = time.monotonic() - started
    kill = Kill(round(share, 4), round(moment, 3), finished_before=build.returncode != -signal.SIGKILL)
    ended = time.monotonic()
    while (left := alive(mark)) and time.monotonic() - ended < within:
        time.sleep(0.02)
    kill.gone_after_s = round(time.monotonic() - ended, 2)
    kill.problems += [f"still alive: {name}" for name in left]
    return kill


def problems_after(
    store: Path, clone: Path, queries: list[str], expected: list[object], wanted: Fingerprint
) -> list[str]:
    """In what the answers from a store, and then what it holds, differ from those of a clean one."""
    found = [
        f"another answer for {query!r}"
        for query, answer in zip(queries, expected, strict=True)
        if ask(store, clone, query) != answer
    ]
    return found + differences(fingerprint(store), wanted)


def environment(store: Path) -> dict[str, str]:
    """The environment of a run with a store of its own, without models: how far they read depends on the clock."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TRACKDOWN_")} | {
        "TRACKDOWN_STORE": str(store),
        "TRACKDOWN_MODELS": "none",
    }


def alive(mark: str) -> list[str]:
    """The command lines of processes that carry the mark in their environment; those that have ended do not count."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                found.append(command[-80:])
        except OSError:
            continue
    return found


def ask(store: Path, clone: Path, query: str) -> object:
    """What a search answers, without its timings; or how it failed."""
    command = [*PROGRAM, "search", "--issue", "-", str(clone), "--format", "json"]
    run = subprocess.run(command, env=environment(store), input=query, capture_output=True, text=True)
    if run.returncode:
        return run.returncode, run.stderr
    answer = json.loads(run.stdout)
    del answer["timings_ms"]
    return answer


def fingerprint(store: Path) -> Fingerprint:
    """A hash of every fact, every manifest and every array file. States of work trees hold times and are left out."""
    found: Fingerprint = {}
    for path in store.glob("v*/facts.sqlite3"):
        with sqlite3.connect(path) as database:
            for kind, key, value in database.execute("SELECT kind, key, value FROM facts"):
                found[f"fact {kind} {key}"] = digest(value)
            for kind, key, value in database.execute("SELECT kind, key, value FROM records WHERE kind != 'worktree'"):
                found[f"record {kind} {key}"] = digest(value)
    for path in store.glob("v*/arrays/*"):
        found[f"file {path.name}"] = digest(path.read_bytes())
    return found


def digest(value: bytes) -> str:
    """A short hash."""
    return hashlib.sha256(value).hexdigest()[:16]


def differences(found: Fingerprint, wanted: Fingerprint) -> list[str]:
    """In words, at most one line for each way to differ."""
    told = []
    for name, keys in (
        ("missing", wanted.keys() - found.keys()),
        ("too many", found.keys() - wanted.keys()),
        ("different", {key for key in found.keys() & wanted.keys() if found[key] != wanted[key]}),
    ):
        if keys:
            told.append(f"{len(keys)} {name}, such as {min(keys)}")
    return told


if __name__ == "__main__":
    main()
