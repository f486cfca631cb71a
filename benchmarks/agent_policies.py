"""The policies of `agent_tokens.py`, as docs/agents.md writes them down: search, read, decide by rule.

A policy knows the issue and its tools. Its `AgentContext` counts what passes through the agent's context and ends the
run when all gold lines are seen or the run costs too much.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.client import Client

BYTES_PER_TOKEN = 3.5
MOST_TERMS, LONGEST_MATCH, PLACES_A_GREP = 10, 200, 3
CHUNK = 200
TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_|conftest)[^/]*$|_test\.py$")
NO_TERMS = {"self", "None", "True", "False", "python", "module", "return", "import", "print", "https", "http"}


class RunEnds(Exception):
    """All gold lines are seen, or the run costs too much."""


class AgentContext:
    """What an agent has seen of the files, and what it cost."""

    def __init__(self, gold: Mapping[str, frozenset[int]], most_tokens: float, count: Callable[[str], int]) -> None:
        self.unseen = {path: set(lines) for path, lines in gold.items()}
        self.seen: dict[str, set[int]] = {}
        self.calls, self.size, self.real_tokens = 0, 0, 0
        self._most_bytes = most_tokens * BYTES_PER_TOKEN
        self._count = count

    @property
    def solved(self) -> bool:
        """Whether all gold lines are seen."""
        return not any(self.unseen.values())

    def pay(self, arguments: Mapping[str, Any], answer: str) -> None:
        """Count a call and its answer."""
        asked = json.dumps(arguments, ensure_ascii=False)
        self.calls += 1
        self.size += len(asked.encode()) + len(answer.encode())
        self.real_tokens += self._count(asked) + self._count(answer)

    def see(self, path: str, lines: Iterable[int]) -> None:
        """Note lines that the last answer showed. Raises RunEnds."""
        numbers = set(lines)
        self.seen.setdefault(path, set()).update(numbers)
        self.unseen.get(path, set()).difference_update(numbers)

    def check(self) -> None:
        """Raise RunEnds after an answer that ends the run."""
        if self.solved or self.size >= self._most_bytes:
            raise RunEnds

    def knows(self, path: str, first: int, last: int) -> bool:
        """Whether all of these lines are seen."""
        return set(range(first, last + 1)) <= self.seen.get(path, set())


class PlainReader:
    """The *read* that every agent has."""

    def __init__(self, tree: Path, context: AgentContext) -> None:
        self._tree, self._context = tree, context
        self._files: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        """The lines of a file; none if it cannot be read."""
        if path not in self._files:
            try:
                self._files[path] = (self._tree / path).read_text("utf-8", "replace").split("\n")
            except OSError:
                self._files[path] = []
        return self._files[path]

    async def read(self, path: str, first: int, last: int) -> None:
        """Read some lines, unless all of them are seen."""
        last, first = min(last, len(self.lines(path))), max(1, first)
        if first > last or self._context.knows(path, first, last):
            return
        shown = "\n".join(f"{number}\t{self.lines(path)[number - 1]}" for number in range(first, last + 1))
        self._context.pay({"path": path, "offset": first, "limit": last - first + 1}, shown)
        self._context.see(path, range(first, last + 1))
        self._context.check()

    async def read_all(self, path: str) -> None:
        """Read a file from its beginning."""
        for first in range(1, len(self.lines(path)) + 1, CHUNK):
            await self.read(path, first, first + CHUNK - 1)


# The policy with grep


@dataclass(frozen=True, slots=True)
class GrepHabits:
    """How an agent uses grep: how many matches it looks at, tests among them or not, and how much it reads around one.

    A file that the issue names is read whole, or else its matches come first.
    """

    matches: int = 50
    tests: bool = True
    before: int = 10
    after: int = 50
    whole_files: bool = True


PLAIN, CAREFUL = GrepHabits(), GrepHabits(25, False, 5, 30, False)


async def with_grep(issue: str, tree: Path, context: AgentContext, habits: GrepHabits) -> None:
    """Search with grep. Raises RunEnds."""
    reader = PlainReader(tree, context)
    matched: dict[str, set[str]] = {}
    named: set[str] = set()
    tracked = _git(tree, "ls-files").splitlines()
    for term in terms_of(issue):
        if term.endswith(".py"):
            files = [path for path in tracked if f"/{path}".endswith(f"/{term}")]
            named.update(files)
            for path in files[:PLACES_A_GREP] if habits.whole_files else ():
                await reader.read_all(path)
            continue
        matches = _grep(tree, term, context, habits)
        for path, _, _ in matches:
            matched.setdefault(path, set()).add(term)
        context.check()
        defines = re.compile(rf"\s*(async\s+)?(def|class)\s+{re.escape(term)}\b")
        first = set() if habits.whole_files else named
        ordered = sorted(
            matches, key=lambda one: (not defines.match(one[2]), one[0] not in first, -len(matched[one[0]]))
        )
        read = 0
        for path, line, _ in ordered:
            if read < PLACES_A_GREP and not context.knows(path, line, min(line + 1, len(reader.lines(path)))):
                await reader.read(path, line - habits.before, line + habits.after)
                read += 1
    for path in sorted(matched, key=lambda path: (bool(TEST.search(path)), -len(matched[path]), path)):
        await reader.read_all(path)


def terms_of(issue: str) -> list[str]:
    """What to grep for, in order."""
    title = issue.strip().partition("\n")[0]
    name = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
    found = [path.rpartition("/")[2] for path in re.findall(r"[\w./-]+\.py\b", issue)]
    found += re.findall(r'File ".*", line \d+, in (\w+)', issue)
    found += [part for quoted in re.findall(r"`([^`\n]{2,80})`", issue) for part in re.findall(name, quoted)]
    shaped = re.compile(r"\w*[a-z]\w*_\w+|\w+(?:\.\w+)+|[A-Za-z]*[a-z][A-Z]\w*|_\w+")
    found += [word for text in (title, issue) for word in re.findall(name, text) if shaped.fullmatch(word)]
    found += re.findall(r"[A-Za-z]{5,}", title)
    terms = [word if word.endswith(".py") else word.rpartition(".")[2] for word in found]
    useful = [term for term in dict.fromkeys(terms) if len(term) > 2 and term not in NO_TERMS]
    return useful[:MOST_TERMS]


def _grep(tree: Path, term: str, context: AgentContext, habits: GrepHabits) -> list[tuple[str, int, str]]:
    """The matches that the agent gets to see: (path, line, text)."""
    output = _git(tree, "grep", "-n", "-I", "-F", "-w", "-z", "--", term)
    matches = []
    for row in output.split("\n"):
        path, _, rest = row.partition("\0")
        number, _, text = rest.partition("\0")
        if number.isdigit():
            matches.append((path, int(number), text))
    matches = [one for one in matches if habits.tests or not TEST.search(one[0])]
    matches = sorted(matches, key=lambda one: bool(TEST.search(one[0])))[: habits.matches]
    shown = "\n".join(f"{path}:{line}:{text[:LONGEST_MATCH]}" for path, line, text in matches)
    context.pay({"pattern": term}, shown or "no matches")
    for path, line, text in matches:
        if len(text) <= LONGEST_MATCH:
            context.see(path, [line])
    return matches


def _git(tree: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(tree), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


# The same policy with a search server

Place = tuple[str, int, int]


class SearchServer:
    """How a server is asked, and what its answers show."""

    concise = False

    def __init__(self, client: Client, tree: Path, context: AgentContext) -> None:
        self._client, self.context = client, context
        self.reader = PlainReader(tree, context)

    async def search(self, query: str, count: int) -> list[Place]:
        """The places of an answer, in its order."""
        raise NotImplementedError

    async def read(self, place: Place) -> None:
        """Read a place, unless all of it is seen."""
        await self.reader.read(*place)

    async def call(self, tool: str, arguments: dict[str, Any], hidden: Mapping[str, Any]) -> str:
        """Call a tool. An agent would not write the `hidden` arguments, so they are not paid for."""
        result = await self._client.call_tool(tool, {**arguments, **hidden}, read_timeout_seconds=900)
        text = "\n".join(getattr(one, "text", "") for one in result.content)
        if result.is_error:
            raise RuntimeError(f"{tool}: {text}")
        self.context.pay(arguments, text)
        return text


async def with_server(issue: str, server: SearchServer, *, title_only: bool) -> None:
    """Search with a server. Raises RunEnds."""
    query = issue.strip().partition("\n")[0] if title_only else issue
    places: list[Place] = []
    for count in (10, 30):
        found = await server.search(query, count)
        server.context.check()
        for place in [place for place in found if place not in places]:
            await server.read(place)
        places += [place for place in found if place not in places]
    for path in dict.fromkeys(path for path, _, _ in places):
        await server.reader.read_all(path)


class TrackdownServer(SearchServer):
    """Trackdown's server. Whole issues go to `locate_issue`, titles to `search_code`."""

    _HIT = re.compile(r"\d+\. (.+?):(\d+)-(\d+) ")
    _LINE = re.compile(r" *(\d+)(?:  (.*))?$")
    _REST = re.compile(r"… lines (\d+)-(\d+) left out")

    async def search(self, query: str, count: int) -> list[Place]:
        tool, name = ("locate_issue", "issue") if "\n" in query else ("search_code", "query")
        arguments: dict[str, Any] = {name: query} | ({} if count == 10 else {"k": count})
        text = await self.call(tool, arguments | ({"concise": True} if self.concise else {}), {})
        places: list[Place] = []
        for line in text.split("\n"):
            if hit := self._HIT.match(line):
                places.append((hit[1], int(hit[2]), int(hit[3])))
            elif places and (shown := self._LINE.match(line)) and line.startswith("   ") and not line.endswith("…"):
                self.context.see(places[-1][0], [int(shown[1])])
        return places

    async def read(self, place: Place) -> None:
        path, first, last = place
        while first <= last and not self.context.knows(path, first, last):
            text = await self.call("read_unit", {"path": path, "lines": f"{first}-{last}"}, {})
            numbers = [int(shown[1]) for line in text.split("\n")[1:] if (shown := self._LINE.match(line))]
            self.context.see(path, numbers)
            self.context.check()
            rest = self._REST.search(text)
            if rest is None:
                return
            first = int(rest[1])


class SembleServer(SearchServer):
    """semble's server. Its answers name the lines of a chunk and show the first ten."""

    def __init__(self, client: Client, tree: Path, context: AgentContext) -> None:
        super().__init__(client, tree, context)
        self._repository = str(tree)

    async def search(self, query: str, count: int) -> list[Place]:
        text = await self.call("search", {"query": query, "top_k": count}, {"repo": self._repository})
        found: Sequence[Mapping[str, Any]] = json.loads(text).get("results", [])
        places = []
        for one in found:
            path, first, last = one["file_path"], one["start_line"], one["end_line"]
            self.context.see(path, range(first, min(last, first + len(one["content"].split("\n")) - 1) + 1))
            places.append((path, first, last))
        return places
