"""Does a fleet tell of what a token does not open? Through answers, or by the time that they take?

python benchmarks/fleet_access.py OPEN… CLOSED [--pairs 500] [--json FILE]

Repositories are synced as two groups, the last one as a group of its own, and served over HTTP and over MCP with a
token for each group. With the token of the others, every route and tool is asked for the last one by its name and by
other ways to say it, and searches also for its group. The answer must be what a name gives that nobody has, and no
answer may hold the name, a path or a commit of the closed repository. Then queries in pairs: words of the closed
repository that the open ones lack, and the same letters in another order. If the times of the two told them apart, the
area under the ROC curve would be above .5; more than .6 fails. The times need a quiet machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from measure import keep, new_parser, spread

PROGRAM = [sys.executable, "-m", "trackdown", "fleet"]
TOKENS = {"open": "token-of-the-open-group-0123456789", "closed": "token-of-the-closed-group-0123456789"}
NOBODY = "nobodyhasthis"
MOST_AREA = 0.6
PATCH = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-one\n+two\n"
ROUTES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", "/v1/search", {"query": "where is it", "effort": "fast"}),
    ("POST", "/v1/search", {"query": "where is it", "effort": "fast"}),
    ("POST", "/v1/search/stream", {"query": "where is it", "effort": "fast"}),
    ("GET", "/v1/history", {"query": "fix"}),
    ("GET", "/v1/status", {}),
    ("GET", "/v1/examples", {}),
    ("GET", "/v1/unit", {"path": "README.md"}),
    ("GET", "/v1/graph", {"target": "main"}),
    ("GET", "/v1/related", {"location": "main"}),
    ("GET", "/v1/blame", {"target": "README.md:1"}),
    ("GET", "/v1/show", {"commit": "HEAD"}),
    ("POST", "/v1/impact", {"patch": PATCH}),
    ("GET", "/v1/reports/{name}", {}),
)
"""What takes the name of a repository, or of a report."""
SEARCHES = tuple(route for route in ROUTES if route[1].startswith("/v1/search"))
"""What takes names of groups."""
UNNAMED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/v1/repositories", {}),
    ("/v1/status", {}),
    ("/v1/reports", {}),
    ("/v1/search", {"query": "kind:function", "effort": "fast", "k": 50}),
    ("/v1/history", {"query": "fix"}),
    ("/metrics", {}),
    ("/health", {}),
    ("/openapi.json", {}),
)
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_code", {"query": "where is it"}),
    ("locate_issue", {"issue": "it does not work"}),
    ("past_changes", {"query": "fix"}),
    ("show_commit", {"commit": "HEAD"}),
    ("related_code", {"target": "main"}),
    ("change_impact", {"patch": PATCH}),
    ("code_graph", {"target": "main"}),
    ("read_unit", {"path": "README.md"}),
    ("index_status", {}),
)
SEARCH_TOOLS = TOOLS[:2]
"""What takes names of groups."""


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("open", type=Path, nargs="+")
    parser.add_argument("closed", type=Path)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="trackdown-fleet-") as name:
        fleet = Fleet(Path(name), [path.resolve() for path in arguments.open], arguments.closed.resolve())
        fleet.sync()
        with fleet.served() as url:
            report: dict[str, Any] = {"routes": routes(fleet, url)}
            report["times"] = times(fleet, url, arguments.pairs, chance)
        with fleet.served("--mcp", "http") as url:
            report["tools"] = asyncio.run(tools(fleet, url))
    print(json.dumps(report, indent=1))
    keep(report, arguments.json)
    told = report["routes"]["told"] or report["tools"]["told"]
    sys.exit(1 if told or report["times"]["auc"] > MOST_AREA else 0)


class Fleet:
    """A fleet of two groups in a folder."""

    def __init__(self, folder: Path, opened: Sequence[Path], closed: Path) -> None:
        self.folder = folder
        self.opened = opened
        self.closed = closed
        self.environment = os.environ | {"TRACKDOWN_STORE": str(folder / "store")}
        groups = [("open", path, f"commons{number}") for number, path in enumerate(opened)]
        groups.append(("closed", closed, "vault"))
        entries = [
            f'[[repositories]]\npath = "{path}"\nname = "{name}"\ngroups = ["{group}"]\n'
            for group, path, name in groups
        ]
        (folder / "fleet.toml").write_text('place = "place"\n' + "".join(entries), "utf-8")
        tokens = [
            f'[[tokens]]\nname = "{group}"\nsha256 = "{sha256(token.encode()).hexdigest()}"\ngroups = ["{group}"]\n'
            for group, token in TOKENS.items()
        ]
        (folder / "tokens.toml").write_text("".join(tokens), "utf-8")

    def sync(self) -> None:
        """Build and publish both."""
        self._run("sync", "--workers", "0")

    def _run(self, *words: str) -> None:
        command = [*PROGRAM, *words, "--fleet", str(self.folder / "fleet.toml")]
        subprocess.run(command, env=self.environment, check=True, capture_output=True)

    @contextmanager
    def served(self, *options: str) -> Iterator[str]:
        """A server of the fleet, and its address."""
        files = ["--fleet", str(self.folder / "fleet.toml"), "--tokens", str(self.folder / "tokens.toml")]
        command = [*PROGRAM, "serve", *files, "--port", "0", "--rate", "100000", "--format", "json", *options]
        with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield json.loads(process.stdout.readline())["url"]
            finally:
                process.terminate()

    def secrets(self) -> list[str]:
        """What only somebody who sees the closed repository can know: paths and commits of it."""
        paths = _git(self.closed, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        known = {
            name for path in self.opened for name in _git(path, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        }
        commits = _git(self.closed, "log", "-500", "--format=%h", "--abbrev=10").split()
        return [path for path in paths if "/" in path and path not in known] + commits

    def words(self) -> list[str]:
        """Words of the closed repository that the open ones lack."""
        return sorted(_words(self.closed) - set().union(*map(_words, self.opened)))


def names_of(secret: str, beside: str = "closed") -> list[str]:
    """Ways to say a name: as it is, and as somebody would who tries to get around a check. `beside` is another name."""
    return [
        secret,
        secret.upper(),
        f" {secret}",
        f"./{secret}",
        f"../{beside}/{secret}",
        f"commons0/../{secret}",
        f"{secret}.git",
        f"{secret}' OR '1'='1",
        f"{secret}\u200b",
        f"{beside}:{secret}",
        f"commons0,{secret}",
    ]


def routes(fleet: Fleet, url: str) -> dict[str, Any]:
    """Ask every route for the closed repository."""
    secrets = fleet.secrets()
    told: list[str] = []
    tries = 0
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {TOKENS['open']}"}, timeout=60) as client:
        for name, unknown in zip(names_of("vault"), names_of(NOBODY), strict=True):
            for method, path, given in ROUTES:
                tries += 1
                one, other = (asked(client, method, path, given, of) for of in (name, unknown))
                what = f"{method} {path} {name!r}"
                told += differences(what, one, other, "vault")
                told += leaks(what, one[1], secrets)
        for group, unknown in zip(names_of("closed", "vault"), names_of(NOBODY, "vault"), strict=True):
            for method, path, given in SEARCHES:
                tries += 1
                key = "groups" if method == "POST" else "group"
                one, other = (sent(client, method, path, {**given, key: [of]}) for of in (group, unknown))
                what = f"{method} {path} group {group!r}"
                told += differences(what, one, other, "closed")
                told += leaks(what, one[1], secrets)
        for path, given in UNNAMED:
            tries += 1
            told += leaks(path, client.get(path, params=given).text, [*secrets, "vault", "closed"])
    return {"tries": tries, "told": told}


def asked(client: httpx.Client, method: str, path: str, given: dict[str, Any], name: str) -> tuple[int, str]:
    """Ask a route for something by its name: in the path, in the query or in the body."""
    if "{name}" in path:
        return sent(client, method, path.format(name=quote(name, safe="")), given)
    return sent(client, method, path, {**given, "repository": name})


def sent(client: httpx.Client, method: str, path: str, parameters: dict[str, Any]) -> tuple[int, str]:
    """The status and the text that a route answers."""
    answer = client.post(path, json=parameters) if method == "POST" else client.get(path, params=parameters)
    return answer.status_code, answer.text


async def tools(fleet: Fleet, url: str) -> dict[str, Any]:
    """Ask every tool for the closed repository, with the official client."""
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    secrets = fleet.secrets()
    told: list[str] = []
    tries = 0
    address = url if url.rstrip("/").endswith("/mcp") else f"{url.rstrip('/')}/mcp"
    headers = {"Authorization": f"Bearer {TOKENS['open']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http_client,
        Client(streamable_http_client(address, http_client=http_client)) as session,
    ):

        async def called(tool: str, given: dict[str, Any]) -> tuple[bool, str]:
            found = await session.call_tool(tool, given)
            return bool(found.is_error), "".join(getattr(part, "text", "") for part in found.content)

        for tool, given in TOOLS:
            tries += 1
            told += leaks(tool, (await called(tool, given))[1], [*secrets, "vault", "closed"])
            for name, unknown in zip(names_of("vault"), names_of(NOBODY), strict=True):
                tries += 1
                one, other = [await called(tool, {**given, "repository": of}) for of in (name, unknown)]
                told += differences(f"{tool} {name!r}", one, other, "vault")
                told += leaks(f"{tool} {name!r}", one[1], secrets)
        for tool, given in SEARCH_TOOLS:
            for group, unknown in zip(names_of("closed", "vault"), names_of(NOBODY, "vault"), strict=True):
                tries += 1
                one, other = [await called(tool, {**given, "groups": [of]}) for of in (group, unknown)]
                told += differences(f"{tool} group {group!r}", one, other, "closed")
                told += leaks(f"{tool} group {group!r}", one[1], secrets)
    return {"tries": tries, "told": told}


def differences(what: str, one: tuple[Any, str], other: tuple[Any, str], closed: str) -> list[str]:
    """A closed name must be answered as one that nobody has."""
    same = one[0] == other[0] and _plain(one[1], closed) == _plain(other[1], NOBODY)
    return [] if same else [f"{what} is told from an unknown name: {one[0]} {one[1][:200]}"]


def _plain(text: str, name: str) -> str:
    """A text without the name that was asked for, and without what differs from call to call."""
    text = re.sub(name, "NAME", text, flags=re.IGNORECASE)
    return re.sub(r'"timings_ms":\{[^}]*\}', "", text)


def leaks(what: str, text: str, secrets: Sequence[str]) -> list[str]:
    """What an answer holds of the closed repository."""
    return [f"{what} says {secret}" for secret in secrets if secret in text]


def times(fleet: Fleet, url: str, pairs: int, chance: random.Random) -> dict[str, Any]:
    """The times of queries with words of the closed repository, and of the same letters in another order."""
    words = fleet.words()
    seconds: dict[str, list[float]] = {"closed": [], "nowhere": []}
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {TOKENS['open']}"}, timeout=60) as client:
        for number in range(pairs + 5):
            chosen = chance.sample(words, 4)
            queries = {"closed": " ".join(chosen), "nowhere": " ".join(_shuffled(word, chance) for word in chosen)}
            for kind in chance.sample(sorted(queries), 2):
                started = time.perf_counter()
                client.get("/v1/search", params={"query": queries[kind], "effort": "fast"}).raise_for_status()
                if number >= 5:
                    seconds[kind].append(time.perf_counter() - started)
    return {
        "pairs": pairs,
        "auc": round(area(seconds["closed"], seconds["nowhere"]), 4),
        **{kind: spread(values, 4) for kind, values in seconds.items()},
    }


def _shuffled(word: str, chance: random.Random) -> str:
    return "".join(chance.sample(word, len(word)))


def area(ones: Sequence[float], others: Sequence[float]) -> float:
    """How often a value of the first is above one of the second; ties count half. Below .5 tells as much as above."""
    import numpy as np

    first, second = np.asarray(ones)[:, None], np.asarray(others)[None, :]
    found = float((first > second).mean() + (first == second).mean() / 2)
    return max(found, 1 - found)


def _words(path: Path) -> set[str]:
    return set(re.findall(r"\b[a-z]{7,12}\b", _git(path, "grep", "-hIE", "[a-z]{7,12}", "HEAD")))


def _git(path: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(path), *words], capture_output=True, text=True, errors="replace", check=True
    ).stdout


if __name__ == "__main__":
    main()
