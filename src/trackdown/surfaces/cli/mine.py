"""`trackdown mine`: histories of repositories → files to train models on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trackdown.errors import LlmError, TrackdownError, UsageError
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.mine_archive import archive
from trackdown.surfaces.cli.mining_board import MiningBoard
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.suggestions import SuggestingGroup

if TYPE_CHECKING:
    from trackdown.lab import MinedRepository
    from trackdown.lab.mine import IssueWriter, MiningPlan, MiningReport

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)

EXAMPLES = """\b
Examples:
  trackdown mine pairs ~/src/project --out mined
  trackdown mine pairs mirrors/*/repo --layout '{owner}+{name}/repo' --exclude held-out.txt --out mined --negatives 15
  trackdown mine pairs ~/src/kafka --issues kafka.parquet --exclude held-out.txt --allow apache/kafka --out mined
  trackdown mine pairs ~/src/project --rewrite-queries --llm http://localhost:8000/v1 --llm-model qwen --out mined
  trackdown mine archive jira-export ~/src/project --adapter jira --out owner+project.parquet
  trackdown mine issues tables/*.parquet --repos mirrors --layout '{owner}+{name}/repo' --out cases.jsonl
  trackdown mine records --manifest repositories.json --out records
"""


@click.group(cls=SuggestingGroup, epilog=EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Mine training data from the histories of repositories.

    The files are Parquet; docs/formats.md describes them. If a repository cannot be mined, the command
    reports it, mines the others and exits with code 1. Repositories whose files are complete are skipped.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


command.add_command(archive)


def repository_options(function: F) -> F:
    """The options that say which repositories are mined, and where the files go."""
    for option in reversed(
        (
            click.argument("paths", nargs=-1, metavar="[PATH]..."),
            click.option("--manifest", type=_FILE, help="More repositories: a JSON list of {name, path}."),
            click.option(
                "--layout", default="", help="How PATHs spell a repository's name, e.g. '{owner}+{name}/repo'."
            ),
            click.option("--out", type=_FILE, required=True, help="Folder for the files; complete ones are skipped."),
            click.option("--exclude", type=_FILE, help="owner/name per line: refuse to mine any of these."),
            click.option(
                "--issues",
                type=_FILE,
                multiple=True,
                help="Parquet with the issue behind each commit: mine only the commits in it.",
            ),
            click.option(
                "--allow",
                multiple=True,
                metavar="OWNER/NAME",
                help="Take the --issues commits of this repository even though it is excluded.",
            ),
            click.option(
                "--jobs", type=click.IntRange(1, 64), help="Repositories at a time (default: the `workers` setting)."
            ),
        )
    ):
        function = option(function)
    return format_option(function)


@command.command(short_help="Queries and the functions and classes that answer them.")
@click.option("--max-cases", type=click.IntRange(1), default=3000, show_default=True, help="Commits per repository.")
@click.option(
    "--max-files",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Skip commits that touch more files: mass changes.",
)
@click.option(
    "--min-words",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Skip messages with fewer words: long ones read like issues.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=60,
    show_default=True,
    help="Time limit for the commits of one repository.",
)
@click.option(
    "--negatives",
    type=click.IntRange(0),
    default=0,
    metavar="K",
    help="Add the K best wrong documents by BM25, and the rank of the answer.",
)
@click.option(
    "--rewrite-queries",
    is_flag=True,
    help="Let a language model write the issue behind every commit, without the solution.",
)
@repository_options
@llm_options
def pairs(
    out: Path,
    max_cases: int,
    max_files: int,
    min_words: int,
    seconds: float,
    negatives: int,
    rewrite_queries: bool,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    style: str,
    jobs: int | None,
    issues: tuple[Path, ...],
    **repositories: Any,
) -> None:
    """Mine pairs: a commit's message asks for the units that it edited, a docstring asks for its function."""
    from trackdown.lab.mine import HarvestLimits, MiningPlan

    places, texts, pull_requests = _chosen(issues=issues, **repositories)
    if dry_run and not rewrite_queries:
        raise UsageError("--estimate-cost is for the language model: it needs --rewrite-queries")
    settings = load_settings(workers=jobs, **llm_overrides(llm, llm_model, dry_run))
    limits = HarvestLimits(cases=max_cases, files=max_files, seconds=seconds, words=min_words)
    wanted = MiningPlan(out, limits=limits, negatives=negatives, rewritten=texts, pull_requests=pull_requests)
    if not rewrite_queries:
        _mine(places, wanted, settings, style)
    elif texts is not None:
        raise UsageError("--issues already holds the queries: it cannot be combined with --rewrite-queries")
    else:
        _mine_and_write(places, wanted, settings, style)


@command.command(short_help="One row per commit and file, with contents and diff.")
@repository_options
def records(out: Path, style: str, jobs: int | None, issues: tuple[Path, ...], **repositories: Any) -> None:
    """Mine records: what every commit did to every file, with the contents before and after, and the diff."""
    from trackdown.lab.mine import MiningPlan

    places, texts, _ = _chosen(issues=issues, **repositories)
    _mine(places, MiningPlan(out, records=True, rewritten=texts), load_settings(workers=jobs), style)


def _chosen(
    paths: tuple[str, ...],
    manifest: Path | None,
    layout: str,
    exclude: Path | None,
    allow: tuple[str, ...],
    issues: tuple[Path, ...],
) -> tuple[list[MinedRepository], dict[str, str] | None, frozenset[str]]:
    """The repositories to mine, none of them excluded, the issues of their commits where a file has them, and those of
    the commits that have a pull request instead.
    """
    from trackdown.lab import check_allowed, find_repositories, read_names
    from trackdown.lab.mine import check_pyarrow, read_rewritten

    check_pyarrow()
    if allow and not (issues and exclude):
        raise UsageError("--allow needs --exclude and --issues: an excluded repository is never mined as a whole")
    places = find_repositories(paths, manifest, layout)
    if exclude is not None:
        check_allowed(places, read_names(exclude), allow)
    return (places, *read_rewritten(issues)) if issues else (places, None, frozenset())


def _mine_and_write(places: list[MinedRepository], wanted: MiningPlan, settings: Settings, style: str) -> None:
    """Mine with a language model. A cost estimate writes to a temporary folder."""
    from tempfile import TemporaryDirectory

    from trackdown.engine import asking
    from trackdown.lab.mine import IssueWriter

    with ExitStack() as stack:
        desk = stack.enter_context(asking(settings))
        if settings.llm_dry_run:
            wanted = replace(wanted, out=Path(stack.enter_context(TemporaryDirectory())))
        _mine(places, wanted, settings, style, IssueWriter(desk))
        if desk.stopped is not None:
            raise LlmError(f"{desk.stopped} (answers so far are kept: run again to complete the files)")
        print_notes(desk.notes())


def _mine(
    places: list[MinedRepository], wanted: MiningPlan, settings: Settings, style: str, writer: IssueWriter | None = None
) -> None:
    from trackdown.lab.mine import mine_all

    workers = settings.worker_count
    found: list[MiningReport] = []
    failed: list[tuple[str, str]] = []
    with (
        MiningBoard(len(places)) as board,
        closing(mine_all(places, wanted, workers, heard=board.heard, writer=writer)) as results,
    ):
        for done in results:
            if done.result is not None:
                found.append(done.result)
                board.finished(_told(done.result))
            elif len(places) == 1:
                error = TrackdownError(done.problem)
                error.exit_code = done.exit_code
                raise error
            else:
                failed.append((str(done.job.place), done.problem))
                board.finished(f"{done.job.place}: {done.problem}")
    _show(found, failed, wanted, settings, writer, style)
    if failed:
        raise TrackdownError(f"{len(failed)} of {len(places)} repositories could not be mined: {_names(failed)}")


def _names(failed: list[tuple[str, str]]) -> str:
    return ", ".join(name for name, _ in failed[:5]) + (", …" if len(failed) > 5 else "")


@command.command(short_help="Issues that commits resolved → cases.")
@click.argument("tables", nargs=-1, required=True, type=_FILE, metavar="OWNER+NAME.parquet...")
@click.option("--repos", type=_FILE, required=True, help="Folder that holds clones or bare mirrors.")
@click.option("--layout", default="{owner}/{name}", show_default=True, help="How a repository's name maps to a folder.")
@click.option("--most", type=click.IntRange(1), default=150, show_default=True, help="Cases of each repository.")
@click.option("--out", type=_FILE, required=True, help="The JSONL file to write.")
@format_option
def issues(tables: tuple[Path, ...], repos: Path, layout: str, most: int, out: Path, style: str) -> None:
    """Turn tables of issues into cases in SWE-bench's shape.

    A table has the columns commit_id and issue, and may have kind and plan. Pull requests and texts about a change
    already made are left out. A case asks at the commit's first parent for what the commit changed, tests and prose
    left out.
    """
    from trackdown.lab.mine import issue_cases, write_issue_cases

    with TerminalProgress("issues") as progress:
        found = issue_cases(tables, repos, layout, most, progress)
    write_issue_cases(out, found.rows)
    if style == "json":
        repositories = Counter(row["repo"] for row in found.rows)
        print_json({"out": str(out), "repositories": dict(repositories), "dropped": dict(found.dropped)})
        return
    click.echo(f"{len(found.rows)} cases of {len({row['repo'] for row in found.rows})} repositories in {out}")
    for rule, count in found.dropped.most_common():
        click.echo(f"  left out, {rule}: {count}")


def _told(mined: MiningReport) -> str:
    parts = [f"{count} {kind.replace('_', ' ')} queries" for kind, count in mined.examples.items()]
    counts = {
        "documents": mined.documents,
        "records": mined.records,
        "files already complete": len(mined.passed_over),
        "queries without an answer": mined.unanswered,
    }
    parts += [f"{count} {what}" for what, count in counts.items() if count]
    return f"{mined.repository}: {', '.join(parts) or 'nothing to mine'} in {mined.seconds:.0f} s"


def _show(
    found: list[MiningReport],
    failed: list[tuple[str, str]],
    wanted: MiningPlan,
    settings: Settings,
    writer: IssueWriter | None,
    style: str,
) -> None:
    from trackdown.engine import llm_cost

    cost = {} if writer is None else llm_cost(settings)
    dropped: Counter[str] = Counter()
    for mined in found:
        dropped.update(mined.dropped)
    found.sort(key=lambda mined: mined.repository.casefold())
    if style == "json":
        from dataclasses import asdict

        answer = {
            "out": str(wanted.out),
            "repositories": [asdict(mined) for mined in found],
            "failed": [{"repository": name, "problem": problem} for name, problem in failed],
            "dropped": dict(dropped.most_common()),
        }
        answer |= {} if writer is None else {"rewriting": writer.done.as_dict(), "llm": cost}
        print_json(answer)
        return
    from rich.console import Console

    from trackdown.surfaces.cli.tables import print_table

    console = Console(highlight=False, markup=False, emoji=False)
    header = ["repository", "commits", "commit queries", "docstrings", "documents", "records", "seconds"]
    rows = []
    for mined in found:
        docstrings = mined.examples.get("docstring", 0)
        asked = sum(mined.examples.values()) - docstrings
        numbers = [mined.commits, asked, docstrings, mined.documents, mined.records]
        rows.append([mined.repository, *map(str, numbers), f"{mined.seconds:.1f}"])
    if rows:
        print_table(console, header, rows)
    if dropped:
        print_table(console, ["left out", "times"], [[rule, str(count)] for rule, count in dropped.most_common()])
    if writer is not None:
        from trackdown.surfaces.cli.llm_cost import print_llm_cost

        for line in writer.done.lines() if not settings.llm_dry_run else ():
            print(line)
        print_llm_cost(cost, writer.done.commits)
