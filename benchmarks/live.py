"""How soon a change can be searched, and what keeping up costs: edits, renames, commits, bursts, branches, a storm.

python benchmarks/live.py REPOSITORY [--rounds 20] [--burst 5000] [--back 1000] [--storm 20] [--json FILE]

Everything happens on a clone in a temporary folder, with a store and a process of its own. `asked` is the time from the
end of a write until a search that was begun at once has answered with it; `background` the time until the index was
up to date by itself, without any search. Both are seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import cloned, keep, new_parser, spread
from speed import describe_repository

from trackdown.engine import SharedRepositories
from trackdown.settings import load_settings

_LONGEST = 300.0
_IDENTITY = ("-c", "user.name=Bench", "-c", "user.email=bench@example.org")


@dataclass(slots=True)
class Bench:
    """A clone that is kept up to date, and the names of functions that nobody else has."""

    clone: Path
    shared: SharedRepositories
    count: int = 0
    files: list[Path] = field(default_factory=list)

    def name(self) -> str:
        self.count += 1
        return f"quaggazebra{self.count}x"

    def settle(self) -> None:
        """Wait until nothing is going on, and a little longer."""
        while True:
            before = self.shared.state().updates
            time.sleep(1.5)
            state = self.shared.state()
            if state.phase == "ready" and state.updates == before:
                return

    def updates(self) -> int:
        return self.shared.state().updates


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--rounds", type=int, default=20, help="how many times each kind of edit is measured")
    parser.add_argument("--burst", type=int, default=5000, help="how many files change at once")
    parser.add_argument(
        "--back", type=int, default=1000, help="by how many commits the branch that is switched to is old"
    )
    parser.add_argument("--storm", type=float, default=20.0, help="seconds of a file that never rests, and of quiet")
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        report = measure(clone, folder, arguments)
    print_report(report)
    keep(report, arguments.json)


def measure(clone: Path, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """All figures."""
    settings = load_settings(store=folder / "store", deep=False)
    report: dict[str, Any] = {"repository": describe_repository(clone)}
    with SharedRepositories([clone], settings=settings) as shared:
        started = time.perf_counter()
        shared.start()
        assert shared.wait_ready(seconds=3600)
        report["first_index"] = round(time.perf_counter() - started, 2)
        bench = Bench(clone, shared)
        listed = git(clone, "ls-files", "-z").split("\0")
        bench.files = [clone / name for name in listed if name.endswith(".py")]  # edits are functions of Python
        bench.settle()
        report["watching"] = shared.state().watching
        report["edits"] = {
            kind: edits(bench, change, arguments.rounds)
            for kind, change in {"in place": in_place, "replaced": replaced, "new folder": new_folder}.items()
        }
        report["folder renamed"] = rename_folder(bench)
        report["commit"] = commit(bench)
        report["burst"] = burst(bench, arguments.burst)
        git(clone, "stash", "-q")
        bench.settle()
        report["branch"] = switch(bench, arguments.back)
        bench.settle()
        report["storm"] = storm(bench, arguments.storm)
        report["idle"] = idle(bench, arguments.storm)
    return report


def in_place(bench: Bench, name: str) -> None:
    with bench.files[bench.count % 10].open("a") as stream:
        stream.write(f"\n\ndef {name}():\n    pass\n")


def replaced(bench: Bench, name: str) -> None:
    target = bench.files[bench.count % 10]
    aside = target.with_name(f"{target.name}.swp")
    aside.write_text(f"{target.read_text()}\n\ndef {name}():\n    pass\n")
    os.replace(aside, target)


def new_folder(bench: Bench, name: str) -> None:
    folder = bench.clone / f"folder_{name}"
    folder.mkdir()
    (folder / "new.py").write_text(f"def {name}():\n    pass\n")


def edits(bench: Bench, change: Callable[[Bench, str], None], rounds: int) -> dict[str, Any]:
    """The times of one kind of edit, each both ways."""
    asked, background = [], []
    for number in range(2 * rounds):
        name = bench.name()
        before = bench.updates()
        change(bench, name)
        started = time.perf_counter()
        if number % 2:
            answer = bench.shared.search(name, effort="fast", wait=_LONGEST)
            asked.append(time.perf_counter() - started)
            assert answer and answer[0].symbol == name and not answer.partial, answer.notes
        else:
            while bench.updates() == before:
                time.sleep(0.002)
            background.append(time.perf_counter() - started)
        bench.settle()
    return {"asked": spread(asked), "background": spread(background)}


def rename_folder(bench: Bench) -> dict[str, Any]:
    """The largest folder gets another name and its old one back."""
    folders: dict[Path, int] = {}
    for file in bench.files:
        top = bench.clone / file.relative_to(bench.clone).parts[0]
        folders[top] = folders.get(top, 0) + 1
    largest = max(folders, key=lambda top: folders[top])
    away = largest.with_name(f"{largest.name}_away")
    seconds, updates = timed(bench, lambda: largest.rename(away))
    timed(bench, lambda: away.rename(largest))
    return {"files": folders[largest], "seconds": seconds, "updates": updates}


def commit(bench: Bench) -> dict[str, Any]:
    git(bench.clone, "add", "-A")
    seconds, updates = timed(bench, lambda: git(bench.clone, *_IDENTITY, "commit", "-q", "-m", "Bring quaggas"))
    started = time.perf_counter()
    assert bench.shared.history("bring quaggas", wait=_LONGEST)[0].subject == "Bring quaggas"
    return {"seconds": seconds, "updates": updates, "history_search": round(time.perf_counter() - started, 3)}


def burst(bench: Bench, count: int) -> dict[str, Any]:
    """Many files change at once, while others search."""
    chosen = [bench.files[number % len(bench.files)] for number in range(min(count, len(bench.files)))]
    with searching(bench) as seen, using() as cpu:

        def change() -> None:
            for number, file in enumerate(chosen):
                with file.open("a") as stream:
                    stream.write(f"\n# burst {number}\n")

        seconds, updates = timed(bench, change)
    return {"files": len(chosen), "seconds": seconds, "updates": updates, "cpu_seconds": cpu[0], "searches": seen[0]}


def switch(bench: Bench, back: int) -> dict[str, Any]:
    """To an old state and back to the new one, whose index is there."""
    with searching(bench) as seen:
        there, updates = timed(bench, lambda: git(bench.clone, "checkout", "-q", f"HEAD~{back}"))
        changed = len(git(bench.clone, "diff", "--name-only", "HEAD", "@{-1}").split("\n"))
        home, more = timed(bench, lambda: git(bench.clone, "checkout", "-q", "-"))
    return {"files": changed, "there": there, "back": home, "updates": updates + more, "searches": seen[0]}


def storm(bench: Bench, seconds: float) -> dict[str, Any]:
    """A file that is written all the time: how much of a core we use, and how often the index is brought up to date."""
    script = (
        "import sys, time\nuntil = time.time() + float(sys.argv[2])\nn = 0\nwhile time.time() < until:\n    n += 1\n"
        "    open(sys.argv[1], 'w').write(f'LINE = {n}\\n')\n    time.sleep(0.005)\n"
    )
    before = bench.updates()
    writer = subprocess.Popen([sys.executable, "-c", script, str(bench.clone / "storm.py"), str(seconds)])
    with using() as cpu:
        writer.wait()
    updates = bench.updates() - before
    bench.settle()
    return {"seconds": seconds, "updates": updates, "share_of_a_core": round(cpu[0] / seconds, 3)}


def idle(bench: Bench, seconds: float) -> dict[str, Any]:
    with using() as cpu:
        time.sleep(seconds)
    return {"seconds": seconds, "share_of_a_core": round(cpu[0] / seconds, 4)}


def timed(bench: Bench, change: Callable[[], object]) -> tuple[float, int]:
    """Seconds from the end of a change until all of it is indexed, and in how many updates."""
    before = updates = bench.updates()
    change()
    started = last = time.perf_counter()
    while True:
        state = bench.shared.state()
        now = time.perf_counter()
        if state.updates != updates:
            last, updates = now, state.updates
        if updates != before and now - last > 2.0 and state.phase == "ready":
            break
        assert now - started < _LONGEST, "no update came"
        time.sleep(0.005)
    return round(last - started, 3), updates - before


@contextmanager
def searching(bench: Bench) -> Iterator[list[dict[str, Any]]]:
    """Searches ten times a second meanwhile; the list then holds what they were like."""
    seen: list[dict[str, Any]] = []
    times: list[float] = []
    partial = 0
    stop = threading.Event()

    def ask() -> None:
        nonlocal partial
        while not stop.wait(0.1):
            started = time.perf_counter()
            partial += bench.shared.search("where is the session cookie signed?", effort="fast", wait=1.0).partial
            times.append(time.perf_counter() - started)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()
        seen.append({"count": len(times), "partial": partial, **spread(times)})


@contextmanager
def using() -> Iterator[list[float]]:
    """The list then holds the processor time of this process and of those it started and saw end."""
    spent: list[float] = []
    before = os.times()
    yield spent
    after = os.times()
    spent.append(round(sum(after[:4]) - sum(before[:4]), 3))


def git(clone: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=clone, check=True, capture_output=True, text=True).stdout


def print_report(report: dict[str, Any]) -> None:
    """A line for each figure."""
    for name, value in report.items():
        rows = value if name == "edits" else {name: value}
        for row, found in rows.items():
            print(f"{row:15} {json.dumps(found)}")


if __name__ == "__main__":
    main()
