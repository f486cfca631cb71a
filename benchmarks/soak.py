"""Does a server hold out while its repository changes? Searches, memory and delays, minute by minute.

python benchmarks/soak.py REPOSITORY [--minutes 30] [--connections 64] [--agents 10] [--calls 300] [--json FILE]

The repository is cloned and indexed in a temporary folder. 64 connections search `trackdown serve` with effort `fast`,
one query after the other, while an editor changes a source file every three seconds and commits every 30. Queries are
the subjects of the latest commits. Then ten clients of the official MCP SDK do the same with `trackdown mcp --http`.

It fails if a search gets no answer, if a minute's median memory is over 10 % away from that of the second, or if the
99th percentile of the times is more than twice the median. All traffic stays on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from load import memory, server, write_addresses
from mcp_server import http_server
from measure import cloned, family_memory, keep, latest_subjects, new_parser, percentile
from speed import describe_repository

CLIENTS = Path(__file__).with_name("soak_clients.py")
MOST_DRIFT = 0.10
MOST_SPREAD = 2.0
Numbers = dict[str, Any]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--agents", type=int, default=10, help="MCP clients that search at once")
    parser.add_argument("--calls", type=int, default=300, help="searches of each MCP client")
    arguments = parser.parse_args()
    with cloned(arguments.repository) as (clone, folder):
        report = measure(clone, folder, arguments)
    for name, verdict in report["verdicts"].items():
        print(f"{'FAILED' if verdict['failed'] else 'held':6}  {name}: {verdict['seen']}")
    keep(report, arguments.json)
    sys.exit(any(verdict["failed"] for verdict in report["verdicts"].values()))


def measure(clone: Path, folder: Path, arguments: argparse.Namespace) -> Numbers:
    """All figures, and what is to be said of them."""
    store = folder / "store"
    report: Numbers = {"repository": describe_repository(clone), "connections": arguments.connections}
    queries = latest_subjects(clone, arguments.queries)
    index(clone, store)
    with server(clone, store) as (url, process):
        report |= soak_http(clone, url, process, write_addresses(folder, queries), arguments)
    (folder / "queries.txt").write_text("\n".join(queries))
    report["mcp"] = soak_mcp(clone, store, folder / "queries.txt", arguments)
    report["verdicts"] = verdicts(report)
    return report


def index(clone: Path, store: Path) -> None:
    """Build the index, in a process of its own."""
    command = [sys.executable, "-m", "trackdown", "index", str(clone)]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"TRACKDOWN_STORE": str(store)})


def soak_http(clone: Path, url: str, process: psutil.Popen, addresses: Path, arguments: argparse.Namespace) -> Numbers:
    """The figures of each minute, and those of all."""
    print(f"{'minute':>6} {'searches':>9} {'errors':>7} {'p50 ms':>8} {'p99 ms':>8} {'memory MB':>10}")
    minutes: list[Numbers] = []
    everything: list[float] = []
    words = ["http", url, str(addresses), str(arguments.connections), str(arguments.minutes)]
    with editing(clone) as edits, client(*words) as asking:
        for number in range(1, arguments.minutes + 1):
            with memory(process, family_memory) as seen:
                found = next_line(asking)
            times = found.pop("times_ms")
            everything += times
            minutes.append(minute(found, times, seen))
            print_row(str(number), minutes[-1])
    whole = totals(minutes, everything)
    print_row("all", whole)
    print(f"{edits['edits']} edits and {edits['commits']} commits meanwhile", flush=True)
    return {"minutes": minutes, "all": whole, "editor": edits}


def minute(found: Numbers, times: list[float], memory_mb: list[float]) -> Numbers:
    """What is kept of a minute. Any status but 200 is an error, and so is a broken connection."""
    errors = {name: found[name] for name in ("refused", "other", "broken") if found[name]}
    return {
        "answered": found["answered"],
        "errors": sum(errors.values()),
        **({"kinds_of_errors": errors} if errors else {}),
        **middle_and_end(times),
        "memory_mb": round(statistics.median(memory_mb), 1) if memory_mb else None,
    }


def totals(minutes: list[Numbers], times: list[float]) -> Numbers:
    """The figures of all minutes together."""
    sums = {name: sum(one[name] for one in minutes) for name in ("answered", "errors")}
    seen = [one["memory_mb"] for one in minutes if one["memory_mb"]]
    return {**sums, **middle_and_end(times), "memory_mb": round(statistics.median(seen), 1) if seen else None}


def middle_and_end(times: list[float]) -> Numbers:
    """Median and 99th percentile in milliseconds; none without times."""
    return {f"p{share}_ms": round(percentile(times, share), 1) if times else None for share in (50, 99)}


def print_row(name: str, row: Numbers) -> None:
    """A line of the table."""
    shown = ["-" if row[key] is None else f"{row[key]:.1f}" for key in ("p50_ms", "p99_ms", "memory_mb")]
    print(
        f"{name:>6} {row['answered']:9} {row['errors']:7} {shown[0]:>8} {shown[1]:>8} {shown[2]:>10}",
        flush=True,
    )


def soak_mcp(clone: Path, store: Path, queries: Path, arguments: argparse.Namespace) -> Numbers:
    """Agents that search at once, beside the editor."""
    with http_server(clone, store) as (url, _), editing(clone):
        words = ["mcp", url, str(queries), str(arguments.agents), str(arguments.calls)]
        with client(*words) as asking:
            found = next_line(asking)
    times = found.pop("times_ms")
    report = {**found, "agents": arguments.agents, "calls": arguments.calls, **middle_and_end(times)}
    print(
        f"MCP: {found['answered']} searches of {arguments.agents} agents, {len(found['errors'])} errors, "
        f"p50 {report['p50_ms']} ms, p99 {report['p99_ms']} ms",
        flush=True,
    )
    return report


def verdicts(report: Numbers) -> dict[str, Numbers]:
    """What was promised, what was seen, and whether the promise was kept."""
    whole, agents = report["all"], report["mcp"]
    asked = agents["agents"] * agents["calls"]
    seen = [one["memory_mb"] for one in report["minutes"][1:] if one["memory_mb"]]
    drift = max((abs(one / seen[0] - 1) for one in seen), default=0.0)
    spread = whole["p99_ms"] / whole["p50_ms"] if whole["p50_ms"] else float("inf")
    return {
        "every search over HTTP was answered": {
            "seen": f"{whole['answered']} answers, {whole['errors']} errors",
            "failed": bool(whole["errors"]) or not whole["answered"],
        },
        f"memory within {MOST_DRIFT:.0%} of the second minute's": {
            "seen": f"{drift:.1%} away at most, {len(seen)} minutes",
            "failed": drift > MOST_DRIFT,
        },
        f"p99 within {MOST_SPREAD:g} times p50": {"seen": f"{spread:.2f} times", "failed": spread > MOST_SPREAD},
        "every search over MCP was answered": {
            "seen": f"{agents['answered']} of {asked} answers, {len(agents['errors'])} errors",
            "failed": bool(agents["errors"]) or agents["answered"] != asked,
        },
    }


@contextmanager
def client(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A process that asks or edits, and ends when the block does."""
    command = [sys.executable, str(CLIENTS), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def editing(clone: Path) -> Iterator[Numbers]:
    """An editor beside the block; the dictionary then says how much it did."""
    done: Numbers = {}
    with client("edit", str(clone)) as process:
        yield done
        assert process.stdin is not None
        process.stdin.close()
        done |= next_line(process)


def next_line(process: subprocess.Popen[str]) -> Numbers:
    """The next figures that a process prints."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"{' '.join(map(str, process.args[1:3]))} ended early")  # type: ignore[index]
    return dict(json.loads(line))


if __name__ == "__main__":
    main()
