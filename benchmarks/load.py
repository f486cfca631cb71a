"""What the HTTP server does under load on loopback, beside the same searches in one process without it.

python benchmarks/load.py REPOSITORY [--seconds 60] [--connections 64] [--client wrk|own] [--json FILE]

The repository is cloned and indexed in a temporary folder. Queries are the subjects of its latest commits, searched
with effort `fast`. Measured are: a search in this process, one after the other; how soon `serve` answers /health on the
ready index; one connection; many connections for a while, with the server's memory each second; and an overload of four
times as many connections, which the server has to shed. `wrk` is the client where it is installed (Debian: wrk),
otherwise a small one of our own in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit
from urllib.request import urlopen

import psutil
from measure import cloned, keep, latest_subjects, new_parser, percentile
from speed import describe_repository

import trackdown
from trackdown.settings import load_settings

SCRIPT = Path(__file__).with_name("load.lua")
Numbers = dict[str, Any]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--starts", type=int, default=5, help="how often the start of the server is timed")
    parser.add_argument("--client", choices=("wrk", "own"), default="wrk" if shutil.which("wrk") else "own")
    parser.add_argument("--own", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.own:
        print(json.dumps(asyncio.run(own_client(*arguments.own))))
        return
    with cloned(arguments.repository) as (clone, folder):
        report = measure(clone, folder, arguments)
    print_table(report)
    keep(report, arguments.json)
    if report["failures"]:
        raise SystemExit("\n".join(report["failures"]))


def measure(clone: Path, folder: Path, arguments: argparse.Namespace) -> Numbers:
    """All figures, and what is wrong with them."""
    store = folder / "store"
    queries = latest_subjects(clone, arguments.queries)
    addresses = write_addresses(folder, queries)
    report: Numbers = {
        "repository": describe_repository(clone),
        "client": arguments.client,
        "in_process": in_process(clone, store, queries),
        "start_s": [round(time_start(clone, store), 3) for _ in range(arguments.starts)],
    }
    with server(clone, store) as (url, process):
        load(arguments, url, addresses, 1, 2)  # what is read from disk once is read
        report["one_connection"] = load(arguments, url, addresses, 1, min(10, arguments.seconds))
        with memory(process) as seen:
            report["many_connections"] = load(arguments, url, addresses, arguments.connections, arguments.seconds)
        report["many_connections"] |= {"connections": arguments.connections, "memory_mb": seen}
        over = 4 * arguments.connections
        report["overload"] = load(arguments, url, addresses, over, min(10, arguments.seconds)) | {"connections": over}
        report["alive_after_overload"] = health(url) is not None and process.poll() is None
    report["failures"] = failures(report)
    return report


def write_addresses(folder: Path, queries: list[str]) -> Path:
    """A file with the address of a search on each line."""
    path = folder / "addresses.txt"
    path.write_text("".join(f"/v1/search?effort=fast&query={quote_plus(query)}\n" for query in queries))
    return path


def failures(report: Numbers) -> list[str]:
    """What must not be."""
    found = []
    many, over = report["many_connections"], report["overload"]
    if many["refused"] or many["other"] or many["broken"]:
        found.append(f"not every request was answered: {many}")
    if over["other"] or over["broken"] or over["unexplained"] or not over["refused"]:
        found.append(f"an overload is not shed as it should be: {over}")
    if not report["alive_after_overload"]:
        found.append("the server did not live through the overload")
    if max(report["start_s"]) > 2:
        found.append(f"the server took {max(report['start_s'])} s to answer /health")
    seen = many["memory_mb"]
    third = len(seen) // 3
    if third > 2 and max(seen[-third:]) > 1.05 * max(seen[third:-third]):
        found.append(f"memory grows: {seen}")
    return found


def in_process(clone: Path, store: Path, queries: list[str]) -> Numbers:
    """The same searches one after the other in this process, on a ready index."""
    times = []
    with trackdown.open(clone, settings=load_settings(store=store)) as repository:
        repository.index()
        for round_ in range(3):
            for query in queries:
                started = time.perf_counter()
                repository.search(query, effort="fast")
                if round_:
                    times.append((time.perf_counter() - started) * 1000)
    return {"searches_per_s": round(1000 * len(times) / sum(times), 1), **percentiles(times)}


def percentiles(times: list[float]) -> Numbers:
    """The usual ones, in milliseconds."""
    return {f"p{share}_ms": round(percentile(times, share), 2) for share in (50, 95, 99)}


@contextmanager
def server(clone: Path, store: Path) -> Iterator[tuple[str, psutil.Popen]]:
    """`trackdown serve` in a process of its own, with a whole index."""
    process = start(clone, store)
    try:
        url = json.loads(process.stdout.readline())["url"]
        while not json.load(urlopen(f"{url}v1/repositories"))["repositories"][0]["ready"]:
            time.sleep(0.05)
        yield url, process
    finally:
        process.terminate()
        if process.wait(30):
            print(f"the server ended with {process.returncode}", file=sys.stderr)


def start(clone: Path, store: Path) -> psutil.Popen:
    """Start a server."""
    command = [sys.executable, "-m", "trackdown", "serve", str(clone), "--port", "0", "--format", "json"]
    environment = {**psutil.Process().environ(), "TRACKDOWN_STORE": str(store), "TRACKDOWN_DEEP": "no"}
    return psutil.Popen(command, stdout=subprocess.PIPE, env=environment)


def time_start(clone: Path, store: Path) -> float:
    """Seconds from the start of the process to the first answer to /health."""
    started = time.perf_counter()
    process = start(clone, store)
    try:
        url = json.loads(process.stdout.readline())["url"]
        health(url)
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.wait(30)


def health(url: str) -> Any:
    """What the server says of itself."""
    with urlopen(f"{url}health", timeout=10) as answer:
        return json.load(answer)


@contextmanager
def memory(process: psutil.Popen, measured: Callable[[int], float] | None = None) -> Iterator[list[float]]:
    """The server's memory in megabytes, each second: its own, or what a function of its process id says."""
    seen: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(1):
            seen.append(round(measured(process.pid) if measured else process.memory_info().rss / 1e6, 1))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def load(arguments: argparse.Namespace, url: str, addresses: Path, connections: int, seconds: int) -> Numbers:
    """Ask for so long over so many connections."""
    if arguments.client == "wrk":
        threads = min(2, connections)
        command = [
            "wrk",
            "-t",
            str(threads),
            "-c",
            str(connections),
            "-d",
            f"{seconds}s",
            "--timeout",
            "30s",
            "--script",
            str(SCRIPT),
            url,
            "--",
            str(addresses),
        ]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(next(line for line in printed.splitlines() if line.startswith("JSON "))[5:])
    else:
        words = ["--own", url, str(addresses), str(connections), str(seconds)]
        command = [sys.executable, __file__, str(addresses), *words]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found["requests_per_s"] = round((found["answered"] + found["refused"]) / found["seconds"], 1)
    found["answered_per_s"] = round(found["answered"] / found["seconds"], 1)
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in found.items()}


async def own_client(url: str, addresses: str, connections: str, seconds: str) -> Numbers:
    """What wrk's script counts, and percentiles of the times."""
    asked = await asyncio.to_thread(Path(addresses).read_text)
    counts, times = await ask_over(url, asked.splitlines(), int(connections), float(seconds))
    return {**counts, **percentiles(times), "max_ms": max(times)}


async def ask_over(url: str, lines: list[str], connections: int, seconds: float) -> tuple[Numbers, list[float]]:
    """Keep so many connections busy for so long. Returns counts, and the milliseconds of each request."""
    counts = dict.fromkeys(("answered", "refused", "other", "unexplained", "broken"), 0)
    times: list[float] = []
    place = urlsplit(url)
    started = time.perf_counter()

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        while time.perf_counter() - started < seconds:
            number += 1
            began = time.perf_counter()
            writer.write(f"GET {lines[number % len(lines)]} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
            times.append((time.perf_counter() - began) * 1000)
            status = head.split(b" ")[1]
            counts[{b"200": "answered", b"503": "refused"}.get(status, "other")] += 1
            counts["unexplained"] += status == b"503" and b"retry-after" not in head
        writer.close()

    for ended in await asyncio.gather(*(client(7 * number) for number in range(connections)), return_exceptions=True):
        counts["broken"] += isinstance(ended, Exception)
    return {"seconds": time.perf_counter() - started, **counts}, times


def print_table(report: Numbers) -> None:
    """The figures, a line each."""
    heads = f"{'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'answered':>9} {'shed':>7} {'errors':>7}"
    print(f"{'':20} {'per second':>10} {heads}")
    for name in ("in_process", "one_connection", "many_connections", "overload"):
        row = report[name]
        rate = row.get("answered_per_s", row.get("searches_per_s"))
        times = "".join(f" {row[column]:8.1f}" for column in ("p50_ms", "p95_ms", "p99_ms"))
        counts = (
            f" {row['answered']:9} {row['refused']:7} {row['other'] + row['broken']:7}" if "answered" in row else ""
        )
        print(f"{name.replace('_', ' '):20} {rate:10}{times}{counts}")
    seen = report["many_connections"]["memory_mb"]
    told = f"{seen[0]} MB at the beginning, {max(seen)} at the most, {seen[-1]} at the end" if seen else "not seen"
    print(f"memory: {told}; first answer to /health after {max(report['start_s'])} s at the latest")


if __name__ == "__main__":
    main()
