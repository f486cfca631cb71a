"""`trackdown mine`: histories of repositories → files to train models on."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from trackdown.errors import LlmError, TrackdownError, UsageError
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.plain import one_line

if TYPE_CHECKING:
    from trackdown.lab.mine.issue_style import IssueWriter
    from trackdown.lab.mine.repositories import Place
    from trackdown.lab.mine.training import Job, Mined, Wanted

_FILE = click.Path(path_type=Path)

EXAMPLES = """\b
Examples:
  trackdown mine ~/src/project --out mined
  trackdown mine mirrors/*/repo --layout '{owner}+{name}/repo' --exclude held-out.txt --out mined --negatives 15
  trackdown mine --manifest repositories.json --records --out records
  trackdown mine ~/src/kafka --rewritten kafka.parquet --exclude held-out.txt --allow apache/kafka --out mined
  trackdown mine ~/src/project --rewrite-queries --llm http://localhost:8000/v1 --llm-model qwen --out mined --dry-run
"""


@click.command(epilog=EXAMPLES)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--manifest", type=_FILE, help="More repositories: a JSON list of {name, path}.")
@click.option("--layout", default="", help="How PATHs tell a repository's name, e.g. '{owner}+{name}/repo'.")
@click.option("--out", type=_FILE, required=True, help="Folder for the files; finished ones in it are passed over.")
@click.option("--pairs", is_flag=True, help="Queries and the units that answer them; the default without --records.")
@click.option("--records", is_flag=True, help="One row per commit and file, with contents and diff.")
@click.option("--exclude", type=_FILE, help="owner/name per line: refuse to mine any of these.")
@click.option("--rewritten", type=_FILE, multiple=True,
              help="Parquet with the issue behind each commit: mine only the commits that it holds.")  # fmt: skip
@click.option("--rewrite-queries", is_flag=True, help="Let a language model write the issue behind every commit of the "
              "pairs, without the solution.")  # fmt: skip
@click.option("--allow", multiple=True, metavar="OWNER/NAME",
              help="Take the --rewritten commits of this repository although it is excluded.")  # fmt: skip
@click.option("--max-cases", type=click.IntRange(1), default=3000, show_default=True, help="Commits per repository.")
@click.option("--max-files", type=click.IntRange(1), default=10, show_default=True,
              help="A commit that touches more files is a mass change and no query.")  # fmt: skip
@click.option("--min-words", type=click.IntRange(0), default=0, show_default=True,
              help="A message with fewer words is no query: long ones read like issues.")  # fmt: skip
@click.option("--seconds", type=click.FloatRange(1), default=60, show_default=True,
              help="Time for the pairs of one repository's commits.")  # fmt: skip
@click.option("--negatives", type=click.IntRange(0), default=0, metavar="K",
              help="Add the K documents that BM25 takes for an answer, and the answer's rank.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 64), help="Repositories at a time; as many as `workers` by default.")
@llm_options
@format_option
def command(
    paths: tuple[str, ...],
    manifest: Path | None,
    layout: str,
    exclude: Path | None,
    allow: tuple[str, ...],
    jobs: int | None,
    rewrite_queries: bool,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    style: str,
    **wanted: Any,
) -> None:
    """Make training data out of the histories of repositories.

    A commit's message asks for the functions and classes that it edited, a docstring for its function. Files are
    Parquet, up to three per repository; docs/formats.md describes them. A repository that cannot be mined is
    reported, and the others go on; then the exit code is 1.
    """
    from trackdown.lab.mine.repositories import check_allowed, find_places, read_names
    from trackdown.lab.mine.table_file import check_pyarrow

    check_pyarrow()
    if allow and not (wanted["rewritten"] and exclude):
        raise UsageError("--allow needs --exclude and --rewritten: an excluded repository is never mined as a whole")
    excluded = read_names(exclude) if exclude is not None else frozenset()
    places = find_places(paths, manifest, layout)
    if exclude is not None:
        check_allowed(places, excluded, allow)
    if dry_run and not rewrite_queries:
        raise UsageError("--dry-run says what a language model would be asked: it goes with --rewrite-queries")
    settings = load_settings(workers=jobs, **llm_overrides(llm, llm_model, dry_run))
    chosen = _wanted(**wanted)
    if not rewrite_queries:
        _mine(places, chosen, settings, style)
        return
    if not chosen.pairs:
        raise UsageError("--rewrite-queries are part of --pairs: ask for these, too")
    if chosen.rewritten is not None:
        raise UsageError("the queries of --rewritten are written already: they do not go with --rewrite-queries")
    _mine_and_write(places, chosen, settings, style)


def _wanted(
    out: Path,
    pairs: bool,
    records: bool,
    rewritten: tuple[Path, ...],
    max_cases: int,
    max_files: int,
    min_words: int,
    seconds: float,
    negatives: int,
) -> Wanted:
    from trackdown.lab.mine.harvest import Limits
    from trackdown.lab.mine.rewritten import read_rewritten
    from trackdown.lab.mine.training import Wanted

    pairs = pairs or not records
    if negatives and not pairs:
        raise UsageError("--negatives are part of --pairs: ask for these, too")
    messages = read_rewritten(rewritten) if rewritten else None
    limits = Limits(cases=max_cases, files=max_files, seconds=seconds, words=min_words)
    return Wanted(out, pairs, records, limits, negatives, messages)


def _mine_and_write(places: list[Place], wanted: Wanted, settings: Settings, style: str) -> None:
    """Mine with a language model; in a dry run into a folder that is gone behind it."""
    from tempfile import TemporaryDirectory

    from trackdown.engine.llm.configured import asking
    from trackdown.lab.mine.issue_style import IssueWriter

    with ExitStack() as stack:
        desk = stack.enter_context(asking(settings))
        if settings.llm_dry_run:
            wanted = replace(wanted, out=Path(stack.enter_context(TemporaryDirectory())))
        _mine(places, wanted, settings, style, IssueWriter(desk))
        if desk.stopped is not None:
            raise LlmError(f"{desk.stopped} (what was answered so far is kept: run again, and files are completed)")
        print_notes(desk.notes())


def _mine(
    places: list[Place], wanted: Wanted, settings: Settings, style: str, writer: IssueWriter | None = None
) -> None:
    from trackdown.lab.mine.training import mine_all

    workers = settings.worker_count
    found: list[Mined] = []
    failed: list[tuple[str, str]] = []
    with (
        _Board(len(places)) as board,
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


def _told(mined: Mined) -> str:
    parts = [f"{count} {kind} queries" for kind, count in mined.examples.items()]
    counts = {
        "documents": mined.documents,
        "records": mined.records,
        "files from before": len(mined.passed_over),
        "queries without an answer": mined.unanswered,
    }
    parts += [f"{count} {what}" for what, count in counts.items() if count]
    return f"{mined.repository}: {', '.join(parts) or 'nothing to take'} in {mined.seconds:.0f} s"


def _show(
    found: list[Mined],
    failed: list[tuple[str, str]],
    wanted: Wanted,
    settings: Settings,
    writer: IssueWriter | None,
    style: str,
) -> None:
    from trackdown.engine.llm.configured import llm_cost

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
        asked = [mined.examples.get(kind, 0) for kind in ("commit", "docstring")]
        numbers = [mined.commits, *asked, mined.documents, mined.records]
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


class _Board:
    """What goes on, on standard error: a line for each repository that is done, and bars on a terminal."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _Board:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bars = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._bars.start()
            self._tasks[""] = self._bars.add_task("repositories", total=self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def heard(self, job: Job, step: str, done: int, total: int | None) -> None:
        """Show how far a repository is."""
        if self._bars is None:
            return
        name = str(job.place)
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(one_line(name), total=total)
        self._bars.update(self._tasks[name], description=one_line(f"{name}: {step}"), completed=done, total=total)

    def finished(self, line: str) -> None:
        """Tell that a repository is over."""
        self._done += 1
        text = one_line(f"{line} ({self._done} of {self._count})")
        if self._bars is None:
            if self._count > 1:
                print(text, file=sys.stderr)
            return
        task = self._tasks.pop(line.split(": ", 1)[0], None)
        if task is not None:
            self._bars.remove_task(task)
        self._bars.update(self._tasks[""], completed=self._done)
        self._bars.console.print(text, highlight=False, markup=False, soft_wrap=True)
