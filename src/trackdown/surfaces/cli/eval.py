"""`trackdown eval`: measure on the repository's own history, and `trackdown eval gate`: may this become a default?"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trackdown.errors import UsageError
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.bench import checked_modes, named_modes, numbers, show, show_dry_run
from trackdown.surfaces.cli.eval_cases import build_cases, mine_cases
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.terminal_text import one_line
from trackdown.types import Level, Progress

if TYPE_CHECKING:
    from trackdown.lab import Bench, Case, Protocol, Row, Skipped

_FILE = click.Path(path_type=Path)
_COMPARED = ("bm25", "commits", "hybrid")
_STAGES = ("adaptive", "graph", "rerank")
_TOLD_LINES = 5

EXAMPLES = """\b
Examples:
  trackdown eval --build --level symbol --dataset cases.jsonl
  trackdown eval --dataset cases.jsonl --level symbol --compare
  trackdown eval ~/src/project --max-cases 100 --compare --adaptive --ks 1,5,10
  trackdown eval --manifest repositories.json --level symbol --compare --run-file run.jsonl
  trackdown eval --build --query-from rewritten --llm embedded --dataset issues.jsonl --max-cases 20
  trackdown eval gate run.jsonl:bm25 run.jsonl:hybrid
"""


class WithGate(click.Command):
    """`eval` takes a PATH, unless its first argument is `gate`: then it is the other command."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["gate"]:
            return gate.make_context(f"{info_name} gate", args[1:], parent=parent, **extra)
        return super().make_context(info_name, args, parent=parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        return gate.invoke(ctx) if ctx.command is gate else super().invoke(ctx)


@click.command(cls=WithGate, epilog=EXAMPLES)
@click.argument("path", default=".")
@click.option("--build", is_flag=True, help="Mine cases from the history and write them to --dataset.")
@click.option("--dataset", type=_FILE, help="JSONL file of cases; without it they are mined first.")
@click.option("--manifest", type=_FILE, help="Several repositories: a JSON list of {name, path, dataset}.")
@click.option("--level", type=click.Choice(["file", "symbol"]), default="file", show_default=True, help="What to find.")
@click.option(
    "--protocol",
    type=click.Choice(["past", "head"]),
    help="past (default for mined cases): search each case at its commit's parent. head: search the present state with "
    "later history hidden; faster, and less honest.",
)
@click.option(
    "--query-from",
    type=click.Choice(["subject", "message", "rewritten"]),
    default="subject",
    show_default=True,
    help="Which part of a commit is the query. rewritten: a language model turns the message into an issue that does "
    "not give the solution away.",
)
@click.option("--max-cases", type=click.IntRange(1), default=200, show_default=True, help="How many cases to mine.")
@click.option(
    "--max-files",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Skip commits that touch more files: mass changes.",
)
@click.option("--no-tests", is_flag=True, help="Leave test files out of the truth of mined cases.")
@click.option("--compare", is_flag=True, help="Compare bm25, commits and hybrid.")
@click.option("--modes", default="", help="What to measure, comma-separated (see `trackdown modes`).")
@click.option("--adaptive", is_flag=True, help="Add a row with query-adaptive fusion.")
@click.option("--graph", is_flag=True, help="Add a row with the code graph.")
@click.option("--rerank", is_flag=True, help="Add a row with the encoder and the code reranker.")
@click.option("--ks", default="1,5,10", show_default=True, help="The k of recall, nDCG and hits.")
@click.option("--run-file", type=_FILE, help="File for all rankings; an existing one is resumed.")
@click.option("--jobs", type=click.IntRange(1, 64), help="Worker processes; one per core by default.")
@click.option("--strict", is_flag=True, help="Fail on a bad line or a case that cannot be scored.")
@llm_options
@format_option
def command(
    path: str,
    build: bool,
    dataset: Path | None,
    manifest: Path | None,
    level: Level,
    modes: str,
    compare: bool,
    ks: str,
    run_file: Path | None,
    jobs: int | None,
    strict: bool,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    style: str,
    **mining: Any,
) -> None:
    """Measure retrieval on a repository's own history: which files or symbols did past commits have to change?

    Cases are commits: the message is the query, and the code the commit edited is the truth. Nothing is downloaded, and
    no language model is asked unless you name one. You can add your own cases to the data set, one per line:
    {"query", "relevant_files", "relevant_symbols"}. `trackdown eval gate A B` says whether run B may become a default.
    """
    added = [name for name in _STAGES if mining.pop(name)]
    mining["symbols"] = level == "symbol"
    settings = mining["settings"] = load_settings(**llm_overrides(llm, llm_model, dry_run))
    if manifest is not None and (dataset is not None or build):
        raise UsageError("--manifest names each repository's data set: it cannot be combined with --dataset or --build")
    if build and dataset is None:
        raise UsageError("--build needs --dataset FILE: where to write the cases")
    from trackdown.lab import plan

    chosen = checked_modes(_modes(modes, compare, added))
    cut = numbers("--ks", ks)
    with TerminalProgress(path if manifest is None else str(manifest)) as progress:
        if build and dataset is not None:
            build_cases(path, dataset, style, mining, progress)
            return
        bench = _bench(path, dataset, manifest, level, strict, mining, progress)
        if dry_run:
            show_dry_run(bench, plan(bench, chosen, settings), style)
            return
        rows = _search(bench, chosen, run_file, jobs, strict, settings, progress)
    columns = ["MRR", *(f"R@{k}" for k in cut), *(f"nDCG@{k}" for k in cut), *(f"Hit@{k}" for k in cut)]
    show(rows, columns, style, run_file, settings=settings)


def _modes(modes: str, compare: bool, added: Sequence[str]) -> list[str]:
    """The rows of the table."""
    base = [*(_COMPARED if compare else ()), *named_modes(modes)] or ["hybrid"]
    return list(dict.fromkeys([*base, *(f"hybrid+{name}" for name in added)]))


def _bench(
    path: str,
    dataset: Path | None,
    manifest: Path | None,
    level: Level,
    strict: bool,
    mining: dict[str, Any],
    progress: Progress,
) -> Bench:
    from dataclasses import replace

    from trackdown.lab import bench_of_cases, joined

    protocol: Protocol | None = mining["protocol"]

    def one(place: str, data: Path | None, name: str = "") -> Bench:
        cases, bad = _cases(place, data, strict, mining, progress)
        bench = bench_of_cases(place, cases, level=level, protocol=protocol, name=name)
        lines = (replace(line, id=f"{name}/{line.id}" if name else line.id, repository=name) for line in bad)
        return replace(bench, skipped=(*bench.skipped, *lines))

    if manifest is None:
        return one(path, dataset)
    from trackdown.lab import read_manifest

    return joined([one(str(entry.path), entry.dataset, entry.name) for entry in read_manifest(manifest)])


def _cases(
    path: str, dataset: Path | None, strict: bool, mining: dict[str, Any], progress: Progress
) -> tuple[Sequence[Case], list[Skipped]]:
    """The cases of a file with its bad lines, or mined ones. The first bad lines go to standard error."""
    if dataset is None:
        mined: Sequence[Case] = mine_cases(path, mining, progress)
        if not mined:
            raise UsageError(f"{path}: no commit makes a case: write some by hand and give them with --dataset")
        return mined, []
    from trackdown.lab import Skipped, read_cases

    found = read_cases(dataset, strict=strict)
    told = [f"{dataset}, line {problem.line}: {problem.reason}" for problem in found.problems]
    if not found.cases:
        raise UsageError(f"{dataset} has no cases{f' ({told[0]})' if told else ''}")
    more = len(told) - _TOLD_LINES
    print_notes([*told[:_TOLD_LINES], *([f"{dataset}: {more} more bad lines"] if more > 0 else [])])
    return found.cases, [Skipped(f"line {bad.line}", "unreadable line", bad.reason) for bad in found.problems]


def _search(
    bench: Bench,
    modes: Sequence[str],
    run_file: Path | None,
    jobs: int | None,
    strict: bool,
    settings: Settings,
    progress: Progress,
) -> list[Row]:
    import tempfile

    from trackdown.lab import RunFile, plan, run_bench

    chosen = plan(bench, modes, settings)
    with tempfile.TemporaryDirectory() as folder, RunFile(run_file or Path(folder, "run"), chosen.config) as file:
        return run_bench(bench, chosen, file, jobs=jobs or 0, strict=strict, progress=progress)


@click.command(name="gate")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--metric", "name", default="MRR", show_default=True, help="The metric to compare.")
@format_option
def gate(a: str, b: str, name: str, style: str) -> None:
    """Say whether B may become a default in place of A.

    A and B are run files, RUN.jsonl or RUN.jsonl:MODE where a file holds several modes. B passes if it is better on
    average over repositories and does not lose significantly on any. The exit code is 0 if it passes, 1 if not.
    """
    from trackdown.lab import gate as compare

    verdict = compare(_run_of(a), _run_of(b), name)
    if style == "json":
        print_json(verdict.as_dict())
    else:
        from trackdown.lab import verdict_lines

        for line in verdict_lines(verdict):
            print(one_line(line))
    sys.stdout.flush()
    click.get_current_context().exit(0 if verdict.passed else 1)


def _run_of(name: str) -> list[Row]:
    """The rows that RUN.jsonl or RUN.jsonl:MODE names; both parts may hold colons."""
    from trackdown.lab import by_mode, read_run

    places = [len(name), *(place for place, sign in enumerate(name) if sign == ":")]
    place = next((place for place in places if os.path.isfile(name[:place])), name.find(":"))
    path, mode = (name, "") if place < 0 else (name[:place], name[place + 1 :])
    found = by_mode(read_run(Path(path), tell=lambda note: print_notes([note])))
    if not found:
        raise UsageError(f"the run file {path} is empty")
    if not mode and len(found) > 1:
        raise UsageError(f"{path} holds several modes: name one, e.g. {path}:{next(iter(found))}")
    if mode and mode not in found:
        raise UsageError(f"{path} has no mode {mode!r}; it has {', '.join(found)}")
    return found[mode] if mode else next(iter(found.values()))
