"""Speed and size on a real repository, side by side with a peer in the same run.

python benchmarks/speed.py REPOSITORY [--peer semble] [--rounds 5] [--json FILE]

Everything happens on a clone in a temporary folder, with stores of its own. Measured: first index and first answer from
the command line (history included), a ready-index search from a fresh process (by default and with effort `fast`; the
default repeats one question, whose reading is remembered, and asks new questions of 20 words: p50, p95), searches in
one process for queries of 5, 20 and 300 words (p50, p95), the extra cost of the next search after a one-file edit and
after a branch switch (200 commits back), the peak memory of all processes together, and the size of the index. The peer
gets an environment of its own (.venv-semble) and a static model with random vectors, which takes the same time as a
trained one.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import cloned, keep, new_parser, peak_memory, percentile

HERE = Path(__file__).parent
QUERY = "where are uploaded files checked before they are saved"
MARKER = "zebraquaggahandler"
BACK = 200
WORDS = (5, 20, 300)


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--peer", choices=["semble"])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        report = measure(clone, folder, arguments.peer, arguments.rounds)
    print_table(report)
    keep(report, arguments.json)


def measure(clone: Path, folder: Path, peer: str | None, rounds: int) -> dict[str, Any]:
    """All figures of both tools, taken in turns so that a busy moment hits both."""
    queries = make_queries(clone)
    new_queries = make_queries(clone, seed=8)[20]
    tools: list[Tool] = [Trackdown(folder, clone)]
    if peer is not None:
        tools.append(Semble(folder, clone))
    firsts: dict[str, list[float]] = {tool.name: [] for tool in tools}
    peaks: dict[str, float] = {}
    for number in range(min(rounds, 3) + 1):
        for tool in tools:
            tool.forget()
            if number:
                firsts[tool.name].append(run_timed(tool.search(QUERY), tool.environment))
            else:  # looking at memory slows what is looked at: that run is not timed
                peaks[tool.name] = run_watched(tool.search(QUERY), tool.environment)
    sizes = {tool.name: folder_size(tool.store) / 1e6 for tool in tools}  # later searches add what models make of texts
    report: dict[str, Any] = {"repository": describe_repository(clone), "tools": {}}
    for tool in tools:
        ready = [run_timed(tool.search(QUERY), tool.environment) for _ in range(rounds)]
        fast = [run_timed(tool.fast(QUERY), tool.environment) for _ in range(rounds)]
        figures: dict[str, Any] = {
            "first_s": statistics.median(firsts[tool.name]),
            "first_peak_mb": peaks[tool.name],
            "ready_s": statistics.median(ready),
            "ready_fast_s": statistics.median(fast),
            "ready_new_s": percentiles([run_timed(tool.search(query), tool.environment) for query in new_queries]),
            "index_mb": sizes[tool.name],
        }
        figures |= after_edit(tool, clone, figures["ready_s"], rounds)
        figures |= after_switch(tool, clone, figures["ready_s"])
        figures["in_process_ms"] = tool.in_process(queries, folder)
        figures["in_process_default_ms"] = tool.in_process_default(queries, folder)
        report["tools"][tool.name] = rounded(figures)
    return report


class Tool:
    """A program under measurement: how it is called and where it keeps its index."""

    name = ""

    def __init__(self, folder: Path, clone: Path) -> None:
        self.clone = clone
        self.store = folder / f"store-{self.name}"
        # Installed programs start from bytecode: let this one write its own.
        self.environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def forget(self) -> None:
        """Start without an index."""
        shutil.rmtree(self.store, ignore_errors=True)

    def search(self, query: str) -> list[str]:
        """The command line of a search."""
        raise NotImplementedError

    def fast(self, query: str) -> list[str]:
        """The command line of a search that lets no model read; the same where there is no such choice."""
        return self.search(query)

    def in_process(self, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
        """p50 and p95 by the number of words."""
        raise NotImplementedError

    def in_process_default(self, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
        """The same for questions that are new; equal where no model reads."""
        return self.in_process(queries, folder)


class Trackdown(Tool):
    """This program."""

    name = "trackdown"

    def __init__(self, folder: Path, clone: Path) -> None:
        super().__init__(folder, clone)
        self.environment["TRACKDOWN_STORE"] = str(self.store)

    def search(self, query: str) -> list[str]:
        return self._search(query)

    def fast(self, query: str) -> list[str]:
        return self._search(query, "--effort", "fast")

    def _search(self, query: str, *options: str) -> list[str]:
        program = str(Path(sys.executable).parent / "trackdown")
        # A query may begin with a dash, as the lines of a list do.
        return [program, "search", "--format", "json", *options, "--", query, str(self.clone)]

    def in_process(self, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
        return run_driver([sys.executable, str(HERE / "drivers.py"), "trackdown"], self, queries, folder)

    def in_process_default(self, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
        return run_driver([sys.executable, str(HERE / "drivers.py"), "default"], self, queries, folder)


class Semble(Tool):
    """The PyPI package semble 0.7.0: static embeddings, BM25 and boosts; no history."""

    name = "semble"
    version = "0.7.0"

    def __init__(self, folder: Path, clone: Path) -> None:
        super().__init__(folder, clone)
        self.home = HERE.parent / ".venv-semble"
        if not (self.home / "bin" / "semble").exists():
            subprocess.run([sys.executable, "-m", "venv", str(self.home)], check=True)
            pip = [str(self.home / "bin" / "python"), "-m", "pip", "install", "--quiet", f"semble=={self.version}"]
            subprocess.run(pip, check=True)
        model = folder / "model"
        subprocess.run([str(self.home / "bin" / "python"), str(HERE / "drivers.py"), "model", str(model)], check=True)
        self.environment |= {
            "SEMBLE_MODEL_NAME": str(model),
            "SEMBLE_CACHE_LOCATION": str(self.store),
            "HF_HUB_OFFLINE": "1",
        }

    def search(self, query: str) -> list[str]:
        return [str(self.home / "bin" / "semble"), "search", query, str(self.clone), "-k", "10"]

    def in_process(self, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
        python = str(self.home / "bin" / "python")
        return run_driver([python, str(HERE / "drivers.py"), "semble"], self, queries, folder)


def run_driver(command: list[str], tool: Tool, queries: Mapping[int, Sequence[str]], folder: Path) -> dict[str, Any]:
    """Let a driver search many times in one process, and read its figures."""
    file = folder / "queries.json"
    file.write_text(json.dumps(queries))
    output = subprocess.run(
        [*command, str(tool.clone), str(file)], env=tool.environment, check=True, capture_output=True, text=True
    )
    answer: dict[str, Any] = json.loads(output.stdout.splitlines()[-1])
    return answer


def run_timed(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command; seconds."""
    started = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def run_watched(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Run a command; the peak of its memory in MB."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = peak_memory(process)
    if process.wait():
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return peak[0]


def after_edit(tool: Tool, clone: Path, ready: float, rounds: int) -> dict[str, float]:
    """What the next search costs more after one file was edited, and whether it shows the change."""
    target = sorted(clone.rglob("*.py"), key=lambda path: path.stat().st_size)[-20:][0]
    original = target.read_text("utf-8")
    extras = []
    shown = True
    for number in range(rounds):
        target.write_text(f"{original}\n\ndef {MARKER}{number}():\n    pass\n", "utf-8")
        extras.append(run_timed(tool.search(f"{MARKER}{number}"), tool.environment) - ready)
        answer = subprocess.run(
            tool.search(f"{MARKER}{number}"), env=tool.environment, capture_output=True, text=True, check=True
        )
        shown &= f"{MARKER}{number}" in answer.stdout.split('"results"', 1)[-1]
    target.write_text(original, "utf-8")
    run_timed(tool.search(QUERY), tool.environment)
    return {"edit_extra_s": statistics.median(extras), "edit_shown": shown}


def after_switch(tool: Tool, clone: Path, ready: float) -> dict[str, float]:
    """What the next search costs more after switching to a state some commits back, and after switching back."""
    switch = ["git", "-C", str(clone), "checkout", "-q", "--detach"]
    count = int(subprocess.check_output(["git", "-C", str(clone), "rev-list", "--count", "--first-parent", "HEAD"]))
    head = subprocess.check_output(["git", "-C", str(clone), "rev-parse", "HEAD"], text=True).strip()
    subprocess.run([*switch, f"HEAD~{min(BACK, count - 1)}"], check=True)
    there = run_timed(tool.search(QUERY), tool.environment) - ready
    subprocess.run([*switch, head], check=True)
    back = run_timed(tool.search(QUERY), tool.environment) - ready
    return {"switch_extra_s": there, "switch_back_extra_s": back}


def make_queries(clone: Path, each: int = 20, seed: int = 7) -> dict[int, list[str]]:
    """Queries of each length, cut from the repository's own prose and commit messages."""
    log = subprocess.check_output(["git", "-C", str(clone), "log", "-3000", "--format=%B"], text=True, errors="replace")
    words = [word for word in log.split() if word.isascii()]
    generator = random.Random(seed)
    queries = {}
    for length in WORDS:
        starts = [generator.randrange(max(1, len(words) - length)) for _ in range(each)]
        queries[length] = [" ".join(words[start : start + length]) for start in starts]
    return queries


def describe_repository(clone: Path) -> dict[str, Any]:
    """What was measured on."""

    def git(*arguments: str) -> str:
        return subprocess.check_output(["git", "-C", str(clone), *arguments], text=True).strip()

    return {
        "name": git("config", "remote.origin.url").rstrip("/").removesuffix("/repo").rsplit("/", 1)[-1],
        "commit": git("rev-parse", "HEAD"),
        "files": len(git("ls-files").splitlines()),
        "commits": int(git("rev-list", "--count", "HEAD")),
    }


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile."""
    return {"p50": percentile(seconds, 50), "p95": percentile(seconds, 95)}


def folder_size(folder: Path) -> int:
    """Bytes below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def rounded(value: Any) -> Any:
    """Numbers to three places."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value


def print_table(report: Mapping[str, Any]) -> None:
    """The report as Markdown."""
    tools = report["tools"]
    about = report["repository"]
    print(f"{about['name']} at {about['commit'][:10]}: {about['files']} files, {about['commits']} commits\n")
    print("| | " + " | ".join(tools) + (" | ratio |" if len(tools) == 2 else " |"))
    print("|---" * (len(tools) + 1 + (len(tools) == 2)) + "|")
    names = list(next(iter(tools.values())))
    for name in names:
        values = [tool[name] for tool in tools.values()]
        if isinstance(values[0], dict):
            for inner in values[0]:
                _print_row(f"{name} {inner}", [value[inner] for value in values])
        else:
            _print_row(name, values)


def _print_row(name: str, values: Sequence[Any]) -> None:
    ratio = ""
    if len(values) == 2:
        numeric = not isinstance(values[0], bool) and values[1]
        ratio = f" {values[0] / values[1]:.2f} |" if numeric else " |"
    print(f"| {name} | " + " | ".join(str(value) for value in values) + " |" + ratio)


if __name__ == "__main__":
    main()
