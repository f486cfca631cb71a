"""How many tokens an agent's search costs until it has seen every line that a fix changes: docs/agents.md.

python benchmarks/agent_tokens.py ISSUES.jsonl --repos FOLDER [--layout '{owner}/{name}'] [--semble-model FOLDER]
    [--policies grep,trackdown,…] [--only ID …] [--work FOLDER] [--json FILE]

A fixed policy searches, reads and decides by rule: with grep, with Trackdown's MCP server and with semble's. Each issue
has a checkout of its own, in a clone that borrows the objects of the one in --repos. If a server fails, the report says
so. A run with the same --json continues where an earlier one ended. semble is installed into .venv-semble; without
--semble-model it gets Trackdown's static table.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from agent_policies import (
    BYTES_PER_TOKEN,
    CAREFUL,
    PLAIN,
    AgentContext,
    RunEnds,
    SembleServer,
    TrackdownServer,
    with_grep,
    with_server,
)
from mcp import StdioServerParameters
from mcp.client import Client
from measure import keep, new_parser

from trackdown.lab import find_repository
from trackdown.repository import parse_patch

HERE = Path(__file__).parent
MOST_TOKENS = 40_000
SEMBLE = "semble[mcp]==0.7.0"
POLICIES = ("grep", "grep careful", "trackdown", "trackdown concise", "trackdown title", "semble title", "semble issue")
HOUR_MS = 3_600_000
STRIDE = 3
"""Every third issue comes first, so that a run that is ended early has seen all repositories."""
WITHIN = (2_500, 5_000, 10_000, 20_000, 40_000)


def main() -> None:
    """Run from the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("issues", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--layout", default="{owner}/{name}")
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--semble-model", type=Path)
    parser.add_argument("--work", type=Path, help="a folder to keep clones and indexes in")
    parser.add_argument("--only", nargs="*", help="only issues whose id contains one of these")
    chosen = parser.parse_args()
    rows = [json.loads(line) for line in chosen.issues.read_text("utf-8").splitlines() if line.strip()]
    if chosen.only:
        rows = [row for row in rows if any(part in row["instance_id"] for part in chosen.only)]
    with tempfile.TemporaryDirectory(prefix="agents-") as folder:
        bench = AgentBench(chosen.work or Path(folder), chosen.repos, chosen.layout, chosen.semble_model)
        bench.resume(chosen.json)
        for row in [row for start in range(STRIDE) for row in rows[start::STRIDE]]:
            anyio.run(bench.measure, row, chosen.policies.split(","))
            if chosen.json is not None:
                keep(bench.report(), chosen.json)
    print(table(bench.report()))


class AgentBench:
    """Runs policies on issues, one after the other."""

    def __init__(self, folder: Path, repos: Path, layout: str, semble_model: Path | None) -> None:
        self._folder, self._repos, self._layout = folder, repos, layout
        self._semble_model = semble_model
        self._count = real_tokenizer()
        self._runs: dict[str, dict[str, Any]] = {}
        self._left_out: dict[str, str] = {}
        self._definitions: dict[str, dict[str, int]] = {}

    def resume(self, path: Path | None) -> None:
        """Take over what an earlier run found, so that it is not measured again."""
        if path is not None and path.exists():
            earlier = json.loads(path.read_text("utf-8"))
            self._runs, self._definitions = earlier["runs"], earlier["definitions"]

    async def measure(self, row: Mapping[str, Any], policies: list[str]) -> None:
        """All policies on one issue."""
        id_ = row["instance_id"]
        policies = [policy for policy in policies if policy not in self._runs.get(id_, {})]
        if not policies:
            return
        clone = find_repository(self._repos, self._layout, row["repo"])
        if clone is None:
            self._left_out[id_] = "no clone"
            return
        tree = checkout(clone, self._folder / row["repo"].replace("/", "+"), row["base_commit"])
        gold = gold_lines(row["patch"], tree)
        if not gold:
            self._left_out[id_] = "the fix changes no line of a file that is there"
            return
        found = self._runs.setdefault(id_, {"gold_lines": sum(map(len, gold.values()))})
        for tool in dict.fromkeys(policy.partition(" ")[0] for policy in policies):
            own = [policy for policy in policies if policy.partition(" ")[0] == tool]
            contexts = {policy: AgentContext(gold, MOST_TOKENS, self._count) for policy in own}
            try:
                await self._run(tool, row["problem_statement"], tree, contexts)
            except Exception as error:  # a server that fails is a figure, too
                traceback.print_exc()
                found.update({name: {"failed": f"{type(error).__name__}: {innermost(error)}"[:300]} for name in own})
                continue
            found.update({policy: figures(context) for policy, context in contexts.items()})
        print(id_, json.dumps(found), flush=True)

    async def _run(self, tool: str, issue: str, tree: Path, contexts: Mapping[str, AgentContext]) -> None:
        """All policies of a tool, with one server. RunEnds stays inside, because a client wraps what passes it."""
        if tool == "grep":
            for policy, context in contexts.items():
                with suppress(RunEnds):
                    await with_grep(issue, tree, context, CAREFUL if policy.endswith(" careful") else PLAIN)
            return
        async with self._trackdown(tree) if tool == "trackdown" else self._semble() as client:
            await self._define(tool, client)
            for policy, context in contexts.items():
                kind = TrackdownServer if tool == "trackdown" else SembleServer
                server = kind(client, tree, context)
                server.concise = policy.endswith(" concise")
                with suppress(RunEnds):
                    await with_server(issue, server, title_only=policy.endswith(" title"))

    async def _define(self, tool: str, client: Client) -> None:
        """Count the definitions of a server's tools, once."""
        if tool not in self._definitions:
            listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
            text = listed + (client.instructions or "")
            self._definitions[tool] = {"bytes": len(listed.encode()), "real_tokens": self._count(text)}

    @asynccontextmanager
    async def _trackdown(self, tree: Path) -> AsyncIterator[Client]:
        environment = os.environ | {"TRACKDOWN_STORE": str(self._folder / "store"), "TRACKDOWN_DEEP": "no"}
        environment["TRACKDOWN_BUDGET_MS"] = str(HOUR_MS)  # a busy machine must not change what the models read
        command = ["-m", "trackdown", "mcp", str(tree), "--wait", "600"]
        async with Client(StdioServerParameters(command=sys.executable, args=command, env=environment)) as client:
            yield client

    @asynccontextmanager
    async def _semble(self) -> AsyncIterator[Client]:
        home = HERE.parent / ".venv-semble" / "bin"
        if subprocess.run([home / "python", "-c", "import semble, mcp"], check=False, capture_output=True).returncode:
            subprocess.run([sys.executable, "-m", "venv", str(home.parent)], check=True)
            subprocess.run([home / "python", "-m", "pip", "install", "--quiet", SEMBLE], check=True)
        model = self._semble_model or self._folder / "model"
        if not model.exists():
            subprocess.run([home / "python", HERE / "drivers.py", "static", model, weights_folder()], check=True)
        environment = os.environ | {"SEMBLE_MODEL_NAME": str(model), "HF_HUB_OFFLINE": "1"}
        environment["SEMBLE_CACHE_LOCATION"] = str(self._folder / "semble")
        async with Client(StdioServerParameters(command=str(home / "semble"), args=[], env=environment)) as client:
            yield client

    def report(self) -> dict[str, Any]:
        """All figures so far."""
        names = [name for name in POLICIES if any(name in run for run in self._runs.values())]
        return {
            "what": "tokens until all gold lines are seen, by policy (docs/agents.md)",
            "most_tokens": MOST_TOKENS,
            "issues": len(self._runs),
            "policies": {name: summary([run.get(name, {}) for run in self._runs.values()]) for name in names},
            "cheaper_than_grep": {
                name: beside_grep(name, list(self._runs.values())) for name in names if name != "grep"
            },
            "definitions": self._definitions,
            "left_out": self._left_out,
            "runs": self._runs,
        }


def figures(context: AgentContext) -> dict[str, Any]:
    """The figures of one run."""
    return {
        "solved": context.solved,
        "calls": context.calls,
        "tokens": round(context.size / BYTES_PER_TOKEN) if context.solved else MOST_TOKENS,
        "real_tokens": context.real_tokens,
    }


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of a policy over all issues; one that failed counts as not solved."""
    solved = [run for run in runs if run.get("solved") and run["tokens"] <= MOST_TOKENS]
    costs = [run["tokens"] if run in solved else MOST_TOKENS for run in runs]
    return {
        "solved": len(solved),
        "failed": sum("failed" in run for run in runs),
        "tokens_mean": round(statistics.fmean(costs)),
        "tokens_median": round(statistics.median(costs)),
        "solved_within": {str(limit): sum(run["tokens"] <= limit for run in solved) for limit in WITHIN},
        "real_tokens_mean_solved": round(statistics.fmean([run["real_tokens"] for run in solved])) if solved else None,
        "calls_mean_solved": round(statistics.fmean([run["calls"] for run in solved]), 1) if solved else None,
    }


def beside_grep(policy: str, runs: list[dict[str, Any]]) -> dict[str, int]:
    """On how many issues a policy costs less than grep, the same (neither solves it), or more."""

    def cost(run: dict[str, Any]) -> int:
        return int(min(run["tokens"], MOST_TOKENS)) if run.get("solved") else MOST_TOKENS

    pairs = [(cost(run[policy]), cost(run["grep"])) for run in runs if policy in run and "grep" in run]
    return {
        "less": sum(ours < grep for ours, grep in pairs),
        "same": sum(ours == grep for ours, grep in pairs),
        "more": sum(ours > grep for ours, grep in pairs),
    }


def gold_lines(patch: str, tree: Path) -> dict[str, frozenset[int]]:
    """Path → the lines that a fix changes; around an insertion, the lines before and after it."""
    found: dict[str, frozenset[int]] = {}
    for file in parse_patch(patch):
        if file.old_path is None or not (tree / file.old_path).is_file():
            continue
        length = len((tree / file.old_path).read_text("utf-8", "replace").split("\n"))
        lines: set[int] = set()
        for hunk in file.hunks:
            number = hunk.old_start - 1  # the last old line so far
            removed = False
            for line in hunk.lines:
                if line[0] == "+":
                    lines |= set() if removed else {number, number + 1}
                else:
                    number += 1
                    removed = line[0] == "-"
                    lines |= {number} if removed else set()
        if wanted := frozenset(line for line in lines if 1 <= line <= length):
            found[file.old_path] = wanted
    return found


def checkout(clone: Path, tree: Path, commit: str) -> Path:
    """A work tree at a commit. Files whose blobs the clone lacks (mirrors leave out large ones) are not in it."""
    if not tree.exists():
        command = ["git", "clone", "-q", "--shared", "--no-checkout", str(clone.resolve()), str(tree)]
        subprocess.run(command, check=True)
    subprocess.run(["git", "-C", str(tree), "checkout", "-q", "-f", "--detach", commit], check=False)
    head = subprocess.check_output(["git", "-C", str(tree), "rev-parse", "HEAD"], text=True).strip()
    if head != commit:
        raise SystemExit(f"{tree.name} has no {commit}")
    subprocess.run(["git", "-C", str(tree), "clean", "-q", "-fdx"], check=True)
    return tree


def real_tokenizer() -> Callable[[str], int]:
    """How many tokens Mistral's Tekken makes of a text. Its vocabulary comes with the package."""
    try:
        import mistral_common
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    except ImportError:
        raise SystemExit("install the tokenizer first: see `make bench-agents`") from None
    vocabulary = sorted((Path(mistral_common.__file__).parent / "data").glob("tekken_*.json"))[-1]
    tokenizer = Tekkenizer.from_file(vocabulary)
    return lambda text: len(tokenizer.encode(text, bos=False, eos=False))


def weights_folder() -> str:
    """Where the packaged models are."""
    from trackdown.models.registry import PACKAGED_FOLDER

    return str(PACKAGED_FOLDER)


def innermost(error: BaseException) -> BaseException:
    """The error inside groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def table(report: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    head = "| policy | solved | mean tokens | median | within 2,500 | 5,000 | 10,000 | Tekken, solved | calls |"
    rows = [head, "|---" * 9 + "|"]
    for name, one in report["policies"].items():
        within = " | ".join(str(one["solved_within"][limit]) for limit in ("2500", "5000", "10000"))
        cells = [name, one["solved"], one["tokens_mean"], one["tokens_median"], within]
        rows.append(
            "| " + " | ".join(map(str, [*cells, one["real_tokens_mean_solved"], one["calls_mean_solved"]])) + " |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    main()
