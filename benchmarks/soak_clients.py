"""What keeps the servers of soak.py busy, each in a process of its own: searches over HTTP, agents, and an editor.

python benchmarks/soak_clients.py http URL FILE CONNECTIONS MINUTES [SECONDS]
python benchmarks/soak_clients.py mcp URL FILE CLIENTS CALLS
python benchmarks/soak_clients.py edit REPOSITORY

FILE has an address or a query on each line. Figures are printed as lines of JSON. The editor ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import random
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

EDIT_EVERY = 3.0
COMMIT_EVERY = 30.0
SOURCES = (".py", ".js", ".ts", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".cs", ".rb", ".php")


def search(url: str, addresses: str, connections: str, minutes: str, seconds: str = "60") -> None:
    """Search over many connections. Prints a line for each minute, with the time of each search."""
    from load import ask_over

    lines = Path(addresses).read_text().splitlines()
    for _ in range(int(minutes)):
        counts, times = asyncio.run(ask_over(url, lines, int(connections), float(seconds)))
        say(counts | {"times_ms": [round(one, 1) for one in times]})


def ask_as_agents(url: str, queries: str, clients: str, calls: str) -> None:
    """Search with several clients of the official SDK at once. Prints one line."""
    lines = Path(queries).read_text().splitlines()
    say(asyncio.run(_ask_as_agents(url, lines, int(clients), int(calls))))


async def _ask_as_agents(url: str, queries: list[str], clients: int, calls: int) -> dict[str, Any]:
    from mcp.client import Client

    times: list[float] = []
    errors: list[str] = []

    async def agent(number: int) -> None:
        """One client. A call that is refused is an error; one that breaks the connection ends this client."""
        async with Client(url) as client:
            for call in range(calls):
                words = {"query": queries[(7 * number + call) % len(queries)], "effort": "fast"}
                before = time.perf_counter()
                result = await client.call_tool("search_code", words)
                if result.is_error:
                    errors.append(str(result.content)[:200])
                else:
                    times.append(round((time.perf_counter() - before) * 1000, 1))

    ended = await asyncio.gather(*(agent(number) for number in range(clients)), return_exceptions=True)
    errors += [repr(one)[:200] for one in ended if isinstance(one, BaseException)]
    return {"answered": len(times), "errors": errors, "times_ms": times}


def edit(place: str) -> None:
    """Edit a random source file every few seconds and commit every half minute, until the input ends."""
    clone, dice = Path(place), random.Random(1)
    listed = git(clone, "ls-files", "-z").split("\0")
    paths = [clone / name for name in listed if name.endswith(SOURCES) and (clone / name).is_file()]
    if not paths:
        raise SystemExit(f"{clone.name} has no source files to edit")
    edits = commits = 0
    committed_at = time.monotonic()
    while not select.select([sys.stdin], [], [], EDIT_EVERY)[0]:
        repeat_a_line(dice.choice(paths), dice)
        edits += 1
        if time.monotonic() - committed_at >= COMMIT_EVERY:
            git(clone, "-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit", "-qam", f"Edit {edits}")
            commits, committed_at = commits + 1, time.monotonic()
    say({"edits": edits, "commits": commits})


def repeat_a_line(path: Path, dice: random.Random) -> None:
    """Write a line of a file twice."""
    lines = path.read_bytes().splitlines(keepends=True) or [b"\n"]
    at = dice.randrange(len(lines))
    path.write_bytes(b"".join([*lines[:at], lines[at].rstrip(b"\r\n") + b"\n", *lines[at:]]))


def git(clone: Path, *arguments: str) -> str:
    """What git prints in a clone."""
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="surrogateescape").stdout


def say(figures: dict[str, Any]) -> None:
    """Print figures as a line of JSON."""
    print(json.dumps(figures), flush=True)


def main(words: Iterable[str]) -> None:
    """Run from the command line."""
    name, *arguments = words
    clients: dict[str, Callable[..., None]] = {"http": search, "mcp": ask_as_agents, "edit": edit}
    clients[name](*arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
