"""How long answers are: bytes and tokens of ten results as text, as JSON and from the MCP server, with the definitions
of its tools; rows on a terminal, and what matches cost.

python benchmarks/answer_sizes.py REPOSITORY … [--before PROGRAM] [--json FILE]

A repository is the path of a clone of flask, redis, kafka or django. `answer_queries.json` has three queries for each:
a name, a question and an issue. `--before` is another `trackdown`, to compare with. Tokens are bytes / 3.5. Rows are
those of a terminal with 100 columns. What matches cost is the time that a search takes to choose the lines of ten
results: processor time, the median of seven.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import StdioServerParameters
from mcp.client import Client
from measure import keep, new_parser

import trackdown
from trackdown.engine.searching import source_reader

BYTES_OF_TOKEN = 3.5
COLUMNS = 100
REPEATS = 7
QUERIES: dict[str, list[str]] = json.loads(Path(__file__).with_name("answer_queries.json").read_text("utf-8"))
_ESCAPE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("repositories", nargs="+", type=Path, help="clones that are called as in the table of queries")
    parser.add_argument("--before", type=Path, metavar="PROGRAM", help="a trackdown to compare with")
    arguments = parser.parse_args()
    unknown = [str(path) for path in arguments.repositories if path.resolve().name not in QUERIES]
    if unknown:
        raise SystemExit(f"there are no queries for {', '.join(unknown)}: use clones of {', '.join(QUERIES)}")
    programs = {"after": [sys.executable, "-m", "trackdown"]}
    if arguments.before is not None:
        programs = {"before": [str(arguments.before)], **programs}
    report: dict[str, Any] = {"columns": COLUMNS, "bytes_of_token": BYTES_OF_TOKEN, "repositories": {}}
    with tempfile.TemporaryDirectory(prefix="trackdown-bench-") as store:
        for path in arguments.repositories:
            figures = {name: measured(program, path.resolve(), Path(store)) for name, program in programs.items()}
            figures["after"]["matches_ms"] = cost_of_matches(path.resolve(), Path(store))
            report["repositories"][path.resolve().name] = figures
            print(f"{path.resolve().name}: {figures}")
    keep(report, arguments.json)


def measured(program: Sequence[str], repository: Path, store: Path) -> dict[str, Any]:
    """The mean over the queries of a repository, and the most rows of one."""
    environment = os.environ | {"TRACKDOWN_STORE": str(store), "TERM": "xterm-256color", "COLUMNS": ""}
    subprocess.run(
        [*program, "search", "index it first", str(repository)], env=environment, capture_output=True, check=True
    )
    sizes: dict[str, list[int]] = {"text": [], "json": []}
    rows, lines = [], []
    for query in QUERIES[repository.name]:
        command = [*program, "search", query, str(repository)]
        text, value = (
            subprocess.run([*command, "--format", style], env=environment, capture_output=True, check=True).stdout
            for style in ("text", "json")
        )
        sizes["text"].append(len(text))
        sizes["json"].append(len(value))
        lines.append(text.count(b"\n"))
        rows.append(rows_on_terminal(command, environment))
    found: dict[str, Any] = {style: mean_size(values) for style, values in sizes.items()}
    found["mcp"] = anyio.run(mcp_sizes, [*program, "mcp", str(repository), "--wait", "600"], repository.name, store)
    return {**found, "most_lines_in_a_pipe": max(lines), "most_rows_on_a_terminal": max(rows)}


def mean_size(sizes: Sequence[int]) -> dict[str, int]:
    """The mean of bytes, and its tokens."""
    mean = statistics.fmean(sizes)
    return {"bytes": round(mean), "tokens": round(mean / BYTES_OF_TOKEN)}


async def mcp_sizes(command: Sequence[str], name: str, store: Path) -> dict[str, Any]:
    """The definitions of the tools, and the mean answer: its text, the concise text, and its structured content."""
    environment = os.environ | {"TRACKDOWN_STORE": str(store), "TRACKDOWN_DEEP": "no"}
    sizes: dict[str, list[int]] = {}
    async with Client(StdioServerParameters(command=command[0], args=[*command[1:]], env=environment)) as client:
        listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        for query in QUERIES[name]:
            for style, more in {"text": {}, "concise": {"concise": True}}.items():
                answer = await client.call_tool("search_code", {"query": query, **more}, read_timeout_seconds=900)
                if answer.is_error:  # earlier versions have no concise answers
                    continue
                text = "".join(getattr(one, "text", "") for one in answer.content)
                sizes.setdefault(style, []).append(len(text.encode()))
                if answer.structured_content is not None:
                    value = json.dumps(answer.structured_content, ensure_ascii=False, separators=(",", ":"))
                    sizes.setdefault("structured", []).append(len(value.encode()))
    return {"definitions": mean_size([len(listed.encode())]), **{key: mean_size(one) for key, one in sizes.items()}}


def rows_on_terminal(command: Sequence[str], environment: dict[str, str]) -> int:
    """How many rows an answer takes on a terminal. Progress goes elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen(command, env=environment, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        printed = b"".join(_read(ours))
    os.close(ours)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    lines = _ESCAPE.sub(b"", printed).decode("utf-8", "replace").splitlines()
    return sum(max(1, -(-len(line) // COLUMNS)) for line in lines)


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux says so when the last process has closed the terminal
            return
        if not chunk:
            return
        yield chunk


def cost_of_matches(repository: Path, store: Path) -> float:
    """The median processor time of choosing the lines of an answer, in milliseconds: the highest of the queries."""
    opened = trackdown.open(repository, settings=trackdown.load_settings(store=store))
    worst = 0.0
    for query in QUERIES[repository.name]:
        times = []
        for _ in range(REPEATS):
            with timed_lines() as spent:
                opened.search(query, effort="fast")
            times.append(1000 * sum(spent))
        worst = max(worst, statistics.median(times))
    return round(worst, 2)


@contextmanager
def timed_lines() -> Iterator[list[float]]:
    """Notes how long each choice of lines takes."""
    choose, spent = source_reader.best_lines, []

    def timed(*arguments: Any) -> Any:
        start = time.thread_time()
        found = choose(*arguments)
        spent.append(time.thread_time() - start)
        return found

    vars(source_reader)["best_lines"] = timed
    try:
        yield spent
    finally:
        vars(source_reader)["best_lines"] = choose


if __name__ == "__main__":
    main()
