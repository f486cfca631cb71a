"""What agents see of the MCP server: start-up, a first call without an index, and calls with one.

python benchmarks/mcp_server.py REPOSITORY [--runs 10] [--calls 100] [--json FILE]

The official SDK's client drives the server as a process (stdio) and over HTTP. Start-up is the time from starting the
process until its tools are listed, on a ready index. A cold call has an empty store and the default waiting time.
Calls are `fast` searches; the same ones are timed in this process, through the engine.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from measure import keep, new_parser, spread

import trackdown
from trackdown.settings import load_settings
from trackdown.surfaces.mcp.fitting import tokens

SERVER = ["-m", "trackdown", "mcp"]
QUESTIONS = [
    "where is the session cookie signed and saved?",
    "how are database migrations applied in order",
    "TypeError when a template tag gets an unexpected keyword argument",
    "retry a request after a timeout",
    "parse the Accept-Language header",
]


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--calls", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mcp-") as folder:
        report = anyio.run(measure, arguments.repository.resolve(), Path(folder), arguments.runs, arguments.calls)
    for name, value in report.items():
        print(f"{name}: {value}")
    keep(report, arguments.json)


async def measure(repository: Path, folder: Path, runs: int, calls: int) -> dict[str, Any]:
    """All figures of a repository."""
    ready = folder / "ready"
    report: dict[str, Any] = {"repository": repository.name, "cold_first_call": await cold(repository, ready)}
    starts = [await start_up(repository, ready) for _ in range(runs)]
    report["tools_listed_s"] = {"p50": round(statistics.median(starts), 2), "max": round(max(starts), 2)}
    async with over_stdio(repository, ready) as client:
        report["stdio_ms"], report["answer_tokens"] = await timed(client, calls)
    async with over_http(repository, ready) as client:
        report["http_ms"], _ = await timed(client, calls)
    report["in_process_ms"] = in_process(repository, ready, calls)
    return report


async def cold(repository: Path, store: Path) -> dict[str, Any]:
    """A first call with an empty store; then the wait until answers are whole."""
    heard: list[str] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    async with over_stdio(repository, store) as client:
        before = time.perf_counter()
        answer = await ask(client, QUESTIONS[0], told)
        first = time.perf_counter() - before
        found = {"answer_s": round(first, 2), "partial": answer["partial"], "results": len(answer["results"])}
        while answer["partial"]:
            answer = await ask(client, QUESTIONS[0], told)
        return {**found, "whole_s": round(time.perf_counter() - before, 2), "progress_notifications": len(heard)}


async def start_up(repository: Path, store: Path) -> float:
    """Seconds from nothing to the list of tools."""
    before = time.perf_counter()
    async with over_stdio(repository, store) as client:
        await client.list_tools()
        return time.perf_counter() - before


async def timed(client: Client, calls: int) -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds of calls one after the other, and the tokens of their answers."""
    await ask(client, QUESTIONS[0])
    times, sizes = [], []
    for number in range(calls):
        before = time.perf_counter()
        result = await client.call_tool("search_code", {"query": QUESTIONS[number % len(QUESTIONS)], "effort": "fast"})
        times.append((time.perf_counter() - before) * 1000)
        sizes.append(float(sum(tokens(getattr(one, "text", "")) for one in result.content)))
    return spread(times, 1), spread(sizes, 1)


def in_process(repository: Path, store: Path, calls: int) -> dict[str, float]:
    """The same searches through the engine."""
    times = []
    with trackdown.open(repository, settings=load_settings(store=store)) as opened:
        opened.search(QUESTIONS[0], effort="fast")
        for number in range(calls):
            before = time.perf_counter()
            opened.search(QUESTIONS[number % len(QUESTIONS)], effort="fast")
            times.append((time.perf_counter() - before) * 1000)
    return spread(times, 1)


async def ask(client: Client, question: str, told: Any = None) -> Any:
    """The value of an answer."""
    arguments = {"query": question, "effort": "fast", "structured": True}
    result = await client.call_tool("search_code", arguments, progress_callback=told)
    assert not result.is_error, result
    return result.structured_content


@asynccontextmanager
async def over_stdio(repository: Path, store: Path) -> AsyncIterator[Client]:
    """A client of a process."""
    environment = os.environ | {"TRACKDOWN_STORE": str(store), "TRACKDOWN_DEEP": "no"}
    parameters = StdioServerParameters(command=sys.executable, args=[*SERVER, str(repository)], env=environment)
    async with Client(parameters) as client:
        yield client


@asynccontextmanager
async def over_http(repository: Path, store: Path) -> AsyncIterator[Client]:
    """A client of a server at a free port."""
    with http_server(repository, store) as (url, _):
        async with Client(url) as client:
            yield client


@contextmanager
def http_server(repository: Path, store: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server at a free port: its address and its process."""
    command = [sys.executable, *SERVER, str(repository), "--http", "--port", "0"]
    environment = os.environ | {"TRACKDOWN_STORE": str(store), "TRACKDOWN_DEEP": "no"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found.group(), process
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
