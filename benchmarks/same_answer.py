"""The same question, asked again and again: is the answer the same, to the last digit of every score?

python benchmarks/same_answer.py REPOSITORY [--queries 50] [--load 8] [--json FILE]

The queries are the subjects of the latest commits. Each is asked six times, every time in a process of its own: with a
store that has just been built and no vectors yet, with that store again, and with a second store and another number of
threads; and all of that once more, with new stores, beside processes that keep the machine busy. Hash seeds differ.
Answers are compared as JSON, without the timings. The exit code is 1 if any differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import cloned, keep, latest_subjects, new_parser

CUT = "ran out of time"
"""What the note of an answer says that the clock cut short."""


@dataclass(frozen=True, slots=True)
class Round:
    """One pass over all queries: beside how many busy processes, with which store and how many threads."""

    name: str
    busy: int
    store: str
    threads: int


def main() -> int:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--load", type=int, default=8, help="busy processes in the second half")
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        queries = latest_subjects(clone, arguments.queries)
        rounds = plan_rounds(arguments.load)
        answers = {one.name: list(ask(one, clone, folder, queries)) for one in rounds}
    report = {"repository": arguments.repository.name, **compare(queries, answers)}
    print(json.dumps(report, indent=1))
    keep(report, arguments.json)
    return 1 if report["different"] else 0


def plan_rounds(load: int) -> list[Round]:
    """Three rounds on a quiet machine, and three beside a load."""
    return [
        Round(f"{where}, {store}", busy, f"{where}-{number}", threads)
        for where, busy in (("quiet", 0), ("loaded", load))
        for number, store, threads in ((1, "new store", 2), (1, "used store", 2), (2, "new store, one thread", 1))
    ]


def ask(one: Round, clone: Path, folder: Path, queries: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The answers of one round, without their timings."""
    with busy_processes(one.busy):
        for number, query in enumerate(queries):
            environment = os.environ | {
                "TRACKDOWN_STORE": str(folder / one.store),
                "TRACKDOWN_THREADS": str(one.threads),
                "PYTHONHASHSEED": str(number + 1000 * one.threads + one.busy),
            }
            command = [sys.executable, "-m", "trackdown", "search", query, str(clone), "--format", "json"]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            answer = json.loads(done.stdout)
            del answer["timings_ms"]
            yield answer
    print(one.name, file=sys.stderr, flush=True)


BUSY = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True: pass
"""
"""Computes until its standard input ends: the system closes that when the process that holds it is killed."""


@contextmanager
def busy_processes(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes beside ours that do nothing but compute, and that end with it, however it ends."""
    busy = [subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE) for _ in range(count)]
    try:
        yield busy
    finally:
        for process in busy:
            process.kill()
            process.communicate()


def compare(queries: Sequence[str], answers: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Which queries got different answers, and in which rounds they differ from the first one."""
    first, *others = answers
    different = [
        {"query": query, "rounds": rounds}
        for number, query in enumerate(queries)
        if (rounds := [name for name in others if answers[name][number] != answers[first][number]])
    ]
    return {
        "queries": len(queries),
        "rounds": list(answers),
        "equal": len(queries) - len(different),
        "cut": sum(CUT in note for found in answers.values() for one in found for note in one["notes"]),
        "different": different,
        "different_uncut": [query for number, query in enumerate(queries) if _differ_uncut(number, answers)],
    }


def _differ_uncut(number: int, answers: dict[str, list[dict[str, Any]]]) -> bool:
    """Whether answers to a query differ although no clock cut them short."""
    found = [one[number] for one in answers.values()]
    whole = [one for one in found if not any(CUT in note for note in one["notes"])]
    return any(one != whole[0] for one in whole)


if __name__ == "__main__":
    sys.exit(main())
