"""Two installed versions on the same repositories, in turns: do they answer alike, and what does each cost?

python benchmarks/versions.py BEFORE AFTER REPOSITORY... [--without PATH] [--rounds 5] [--json FILE]

BEFORE and AFTER are programs such as .venv/bin/trackdown. Every repository is cloned, and each version gets a store of
its own. The questions are the subjects of the latest commits, asked for functions and files, without models and with
models that read a fixed number of candidates, so that no clock decides. Files that only one version indexes can be kept
out of the clones. Measured on the first repository, medians of all rounds: the first index, a ready search with and
without models, the extra for a search after one edited file, and the size of the store.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import cloned, keep, latest_subjects, new_parser

QUESTIONS = 8
EFFORTS = {"fast": ("--effort", "fast"), "models": ("--depth", "10")}
LEVELS = ("function", "file")
EDITS = 5
SUFFIXES = (".py", ".c", ".java", ".go", ".js", ".ts", ".rs", ".rb")
Cost = tuple[float, float]


class Version:
    """An installed program with a store."""

    def __init__(self, program: Path, store: Path) -> None:
        self.program = program.absolute()
        self.store = store

    def run(self, folder: Path, *arguments: str) -> tuple[str, Cost]:
        """What a command prints, and the seconds it took: by the clock, and of processor time."""
        environment = os.environ | {"TRACKDOWN_STORE": str(self.store)}
        used, started = _children_seconds(), time.perf_counter()
        command = [str(self.program), *arguments]
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
        return done.stdout, (time.perf_counter() - started, _children_seconds() - used)

    def forget(self) -> None:
        """Delete the store."""
        shutil.rmtree(self.store, ignore_errors=True)


def main() -> int:
    """Run from the command line. The exit code is 1 if an answer differs."""
    parser = new_parser(__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--without", action="append", default=[], help="a file to delete from the clones")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    report: dict[str, Any] = {"answers": {}}
    for repository in arguments.repositories:
        with cloned(repository) as (clone, folder):
            for path in arguments.without:
                (clone / path).unlink(missing_ok=True)
            versions = {
                name: Version(program, folder / f"store-{name}")
                for name, program in (("before", arguments.before), ("after", arguments.after))
            }
            if "price" not in report:
                report["price"] = price(versions, clone, arguments.rounds)
            report["answers"][repository.name] = compare(versions, clone)
            print(repository.name, report["answers"][repository.name], flush=True)
    print(json.dumps(report["price"], indent=1))
    keep(report, arguments.json)
    return 1 if any(found["differ"] for found in report["answers"].values()) else 0


def compare(versions: dict[str, Version], clone: Path) -> dict[str, Any]:
    """How many answers differ in order, places or scores, and to which questions."""
    differ = []
    asked = list(_questions(latest_subjects(clone, QUESTIONS)))
    for question in asked:
        first, second = (_results(version.run(clone, "search", *question)[0]) for version in versions.values())
        if first != second:
            differ.append(" ".join(question))
    return {"questions": len(asked), "differ": len(differ), "which": differ}


def _questions(subjects: list[str]) -> Iterator[list[str]]:
    for subject in subjects:
        for level in LEVELS:
            for effort in EFFORTS.values():
                yield [subject, "--level", level, *effort, "--format", "json"]


def _results(answer: str) -> list[list[Any]]:
    fields = ("path", "symbol", "start_line", "end_line", "score")
    return [[result[field] for field in fields] for result in json.loads(answer)["results"]]


def price(versions: dict[str, Version], clone: Path, rounds: int) -> dict[str, Any]:
    """Medians for both versions, measured in turns, and their ratios."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in versions}
    for number in range(rounds + 1):  # the first round only warms up
        for name in list(versions)[:: 1 if number % 2 else -1]:
            for what, seconds in _costs(versions[name], clone):
                if number:
                    found[name].setdefault(what, []).append(seconds)
    table: dict[str, Any] = {
        name: {what: round(statistics.median(values), 4) for what, values in columns.items()}
        for name, columns in found.items()
    }
    for name, version in versions.items():
        size = sum(path.stat().st_size for path in version.store.rglob("*") if path.is_file())
        table[name]["store_mb"] = round(size / 1e6, 2)
    table["ratio"] = {what: round(table["after"][what] / value, 3) for what, value in table["before"].items()}
    return table


def _costs(version: Version, clone: Path) -> Iterator[tuple[str, float]]:
    """One round: (what, seconds)."""
    version.forget()
    _, (clock, processor) = version.run(clone, "index")
    yield from (("first_s", clock), ("first_cpu_s", processor))
    edited = _larger_source(clone)
    text = edited.read_text("utf-8", "replace")
    for number in range(EDITS):
        ready = {}
        for name, effort in EFFORTS.items():
            version.run(clone, "search", "where are files checked", *effort)
            _, (ready[name], processor) = version.run(clone, "search", "where are files checked", *effort)
            yield from ((f"ready_{name}_s", ready[name]), (f"ready_{name}_cpu_s", processor))
        edited.write_text(f"{text}\n{'//' if edited.suffix != '.py' else '#'} {time.time_ns()} {number}\n")
        _, (clock, _) = version.run(clone, "search", "where are files checked", *EFFORTS["fast"])
        yield "edit_extra_s", clock - ready["fast"]
        edited.write_text(text)


def _larger_source(clone: Path) -> Path:
    """A source file that is larger than three of four."""
    sources = [path for suffix in SUFFIXES for path in clone.rglob(f"*{suffix}")]
    return sorted(sources, key=lambda path: (path.stat().st_size, path))[len(sources) * 3 // 4]


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    raise SystemExit(main())
