"""`trackdown bench`: public benchmarks on data and repositories that are given by path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trackdown.errors import UsageError
from trackdown.settings import Settings, load_settings
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import format_option, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.suggestions import SuggestingGroup
from trackdown.types import Level

if TYPE_CHECKING:
    from trackdown.engine import CodeExample
    from trackdown.lab import Bench, BenchPlan, Row, RunFile
    from trackdown.types import Progress

F = TypeVar("F", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)

EXAMPLES = """\b
Examples:
  trackdown bench swe lite.jsonl --repos clones --level file --modes bm25,hybrid
  trackdown bench swe lite.jsonl --repos mirrors --layout '{owner}+{name}/repo' --run-file lite.run.jsonl
  trackdown bench cmu django_gold.parquet --repo ~/src/django --modes commits,commits+maxp
  trackdown bench semble annotations --repos clones --format json
  trackdown bench text2code --set mbpp --data mbpp.jsonl
  trackdown bench score lite.run.jsonl
"""


@click.group(cls=SuggestingGroup, epilog=EXAMPLES, subcommand_metavar="NAME [ARGS]...", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Measure on public benchmarks.

    You give data and repositories by path; nothing is downloaded. A run file keeps the rankings: an interrupted bench
    continues from it, and `trackdown report` shows it.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def checked_modes(modes: Sequence[str]) -> list[str]:
    """Modes, if all can be searched: a wrong one is refused before data are read and cases are mined."""
    from trackdown.lab import resolve_modes

    resolve_modes(modes, load_settings())
    return list(modes)


def named_modes(text: str) -> list[str]:
    """The modes of a comma-separated list."""
    return [mode for mode in ("".join(part.split()) for part in text.split(",")) if mode]


def _modes(context: click.Context, option: click.Parameter, text: str) -> list[str]:
    return named_modes(text) if context.resilient_parsing else checked_modes(named_modes(text))


def bench_options(function: F) -> F:
    """The options that all benches share."""
    for option in reversed(
        [
            click.option(
                "--modes",
                default="bm25,commits,hybrid",
                show_default=True,
                callback=_modes,
                help="What to measure, comma-separated; see `trackdown modes`.",
            ),
            click.option("--run-file", type=_FILE, help="File for all rankings; an existing one is resumed."),
            click.option("--trec", type=_FILE, help="Also write the rankings in TREC's run format."),
            click.option("--jobs", type=click.IntRange(1, 64), help="Worker processes; one per core by default."),
            click.option("--strict", is_flag=True, help="Fail on a case that cannot be scored."),
        ]
    ):
        function = option(function)
    return format_option(llm_options(function))


def repos_options(function: F) -> F:
    """Where the clones are."""
    function = click.option(
        "--layout", default="{owner}/{name}", show_default=True, help="How a repository's name maps to a folder."
    )(function)
    return click.option("--repos", type=_FILE, required=True, help="Folder that holds clones or bare mirrors.")(
        function
    )


@command.command(short_help="Issues and the patches that resolved them.")
@click.argument("data", type=_FILE)
@repos_options
@click.option("--level", type=click.Choice(["function", "class", "file"]), default="function", show_default=True)
@bench_options
def swe(data: Path, repos: Path, layout: str, level: Level, strict: bool, **shared: Any) -> None:
    """SWE-bench-shaped JSONL: instance_id, repo, base_commit, problem_statement, patch.

    The truth is what the patch edits and what exists at the base commit. `gold_entities` and `gold_files` are used if
    given.
    """
    from trackdown.lab.benches import read_swe

    run(read_swe(data, repos, layout, level, strict=strict), data, strict=strict, **shared)


@command.command(short_help="Search by commit history, in a commit's past.")
@click.argument("gold", type=_FILE)
@click.option("--repo", type=_FILE, required=True, help="Clone or bare mirror of the repository.")
@click.option("--query", default="transformed_message_gpt4", show_default=True, help="The column that holds the query.")
@click.option("--depths", default="", help="Sweep: measure `commits` with the best N commits only, e.g. 100,250,500.")
@click.option(
    "--oracle",
    default="",
    metavar="DEPTHS",
    help="Oracle setting: gold files scattered through a list of each depth, e.g. 100,1000.",
)
@bench_options
def cmu(
    gold: Path, repo: Path, query: str, depths: str, oracle: str, modes: list[str], strict: bool, **shared: Any
) -> None:
    """Commit-history search: Parquet with commit_id, actual_files_modified and a query.

    The state searched is the parent of each commit, with only its ancestors visible.
    """
    from trackdown.lab.benches import read_cmu

    wanted = checked_modes([*modes, *(f"commits@{depth}" for depth in numbers("--depths", depths))])
    among = numbers("--oracle", oracle)
    bench = read_cmu(gold, repo, query=query, strict=strict)
    run(bench, gold, modes=wanted, strict=strict, oracle=among, **shared)


@command.command(short_help="semble's questions about repositories.")
@click.argument("annotations", type=_FILE)
@repos_options
@bench_options
def semble(annotations: Path, repos: Path, layout: str, strict: bool, **shared: Any) -> None:
    """semble's annotations (NAME.json, and repos.json next to or above them), averaged over repositories."""
    from trackdown.lab.benches import read_semble

    run(read_semble(annotations, repos, layout, strict=strict), annotations, strict=strict, **shared)


@command.command(short_help="Text → code sets: MBPP, CoSQA and others.")
@click.option("--set", "name", type=click.Choice(["mbpp", "mbjp", "conala", "cosqa", "csn"]), required=True)
@click.option("--data", type=_FILE, required=True, help="The set's file or folder.")
@click.option("--normalise-names", is_flag=True, help="AdvTest: rename functions and variables (Python sets).")
@click.option(
    "--llm-texts",
    type=_FILE,
    metavar="DIR",
    help="Exemplars, summaries and rewrites that a language model "
    "wrote elsewhere, for the modes gar, reco and exemplar: SET-exemplars.jsonl and so on.",
)
@click.option("--without-ids", type=_FILE, metavar="FILE", help="Leave out the questions with these ids, one per line.")
@click.option(
    "--examples",
    type=_FILE,
    metavar="FILE",
    help='Lines {"query", "code"} to show a language model that writes exemplars.',
)
@bench_options
def text2code(
    name: str,
    data: Path,
    normalise_names: bool,
    llm_texts: Path | None,
    without_ids: Path | None,
    examples: Path | None,
    strict: bool,
    **shared: Any,
) -> None:
    """Text → code sets: MBPP, MBJP, CoNaLa, CoSQA, CodeSearchNet. The snippets are searched as files of a folder."""
    from trackdown.engine import read_pairs
    from trackdown.lab.benches import read_text2code

    folder = load_settings().store / "text2code"
    pairs = () if examples is None else read_pairs(examples)
    bench = read_text2code(
        name, data, folder, normalise_names=normalise_names, strict=strict, texts=llm_texts, without=without_ids
    )
    run(bench, data, strict=strict, pairs=pairs, **shared)


@command.command(short_help="Score a run file again.")
@click.argument("run_file", type=_FILE)
@click.option("--strict", is_flag=True, help="Refuse a file whose last line was cut short.")
@format_option
def score(run_file: Path, strict: bool, style: str) -> None:
    """Score a run file again, from the file alone."""
    from trackdown.lab import read_run

    rows = read_run(run_file, cut_short_is_fine=not strict, tell=lambda note: print_notes([note]))
    if not any(row.gold for row in rows):
        raise UsageError(f"{run_file} has no case with gold: nothing to score")
    show(rows, (), style)


def run(
    bench: Bench,
    data: Path,
    *,
    modes: Sequence[str],
    run_file: Path | None,
    trec: Path | None,
    jobs: int | None,
    strict: bool,
    style: str,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    oracle: Sequence[int] = (),
    pairs: tuple[CodeExample, ...] = (),
) -> None:
    """Search a bench and print the result."""
    from trackdown.lab import RunFile, plan, run_bench, trec_lines, without_answer

    if not bench.tasks and not bench.skipped:
        raise UsageError(f"{data} has no cases")
    settings = load_settings(**llm_overrides(llm, llm_model, dry_run))
    chosen = plan(bench, modes, settings, pairs)
    if dry_run:
        show_dry_run(bench, chosen, style)
        return
    path = run_file or _own_run_file(settings, bench, data, chosen)
    with RunFile(path, chosen.config) as file, TerminalProgress(bench.name) as progress:
        taken = len(file.rows)
        rows = run_bench(bench, chosen, file, jobs=jobs or 0, strict=strict, progress=progress)
        rows += _oracle_rows(bench, rows, oracle, chosen, file, jobs or 0, progress)
    if trec is not None:
        try:
            trec.write_text("".join(f"{line}\n" for line in trec_lines(rows)), "utf-8", "backslashreplace")
        except OSError as error:
            raise UsageError(f"cannot write {trec}: {error.strerror}") from None
    if taken:
        print_notes([f"{taken} rankings were reused from {path}"])
    if run_file is None and not without_answer(rows):
        path = path.replace(path.with_suffix(".done.jsonl"))
    show(rows, bench.metrics, style, path, bench.remarks, settings)


def show_dry_run(bench: Bench, chosen: BenchPlan, style: str) -> None:
    """Say what a bench would ask a language model. Its rankings are another mode's, so none of them is kept."""
    import tempfile

    from trackdown.engine import llm_cost
    from trackdown.lab import RunFile, run_bench
    from trackdown.surfaces.cli.llm_cost import print_llm_cost

    with (
        tempfile.TemporaryDirectory() as folder,
        RunFile(Path(folder, "run"), chosen.config) as file,
        TerminalProgress(bench.name) as progress,
    ):
        run_bench(bench, chosen, file, progress=progress)
    cost = llm_cost(chosen.settings)
    if style == "json":
        print_json({"bench": bench.name, "cases": len(bench.tasks), "llm": cost})
        return
    print(f"{len(bench.tasks)} cases: {'nothing was measured' if cost else 'no language model would be asked'}")
    print_llm_cost(cost, len(bench.tasks))


def _oracle_rows(
    bench: Bench,
    rows: Sequence[Row],
    depths: Sequence[int],
    chosen: BenchPlan,
    file: RunFile,
    jobs: int,
    progress: Progress,
) -> list[Row]:
    """Rows of the oracle setting; their modes carry the depth. What surrounds the gold files is the first mode's."""
    from dataclasses import replace

    from trackdown.lab import run_bench
    from trackdown.lab.benches import oracle

    found: list[Row] = []
    first_mode = chosen.modes[0][0]
    for depth in depths:
        narrowed, shuffled = oracle(bench, [row for row in rows if row.mode == first_mode], depth)
        listed = [replace(row, mode=f"oracle@{depth}:{row.mode}") for row in shuffled]
        file.add(listed)
        modes = tuple((f"oracle@{depth}:{name}", options) for name, options in chosen.modes)
        found += [*listed, *run_bench(narrowed, replace(chosen, modes=modes), file, jobs=jobs, progress=progress)]
    return found


def _own_run_file(settings: Settings, bench: Bench, data: Path, chosen: BenchPlan) -> Path:
    """Where a run is kept when the user names no file: until it is done, so that it can go on."""
    modes = [name for name, _ in chosen.modes]
    place = repr((str(data.resolve()), chosen.config, modes, bench.tasks)).encode("utf-8", "backslashreplace")
    return settings.store / "runs" / f"{bench.name}-{bench.level}-{hashlib.sha256(place).hexdigest()[:12]}.jsonl"


def numbers(option: str, text: str) -> list[int]:
    """A comma-separated list of whole numbers above 0."""
    try:
        found = [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = [0]
    if any(number < 1 for number in found):
        raise UsageError(f"{option} must be whole numbers above 0, separated by commas, not {text!r}")
    return found


def show(
    rows: Sequence[Row],
    columns: Sequence[str],
    style: str,
    path: Path | None = None,
    remarks: Mapping[str, int] | None = None,
    settings: Settings | None = None,
) -> None:
    """Print a summary as JSON or as a table. `settings` are those that a language model was asked with."""
    from trackdown.engine import llm_cost
    from trackdown.lab import ALL_METRICS, summarise, without_answer

    missing = without_answer(rows)
    if missing:
        many = f"{len(missing)} rankings are" if len(missing) > 1 else "1 ranking is"
        print_notes([f"{many} missing: no answer from the language model ({missing[-1]}). Run again to continue"])
    summary = summarise(rows, tuple(dict.fromkeys([*ALL_METRICS, *columns])))
    if remarks:
        summary["remarks"] = dict(remarks)
    if path is not None:
        summary["run_file"] = str(path)
    cost = {} if settings is None else llm_cost(settings)
    if cost:
        summary["llm"] = cost
    if style == "json":
        print_json(summary)
        return
    from trackdown.surfaces.cli.llm_cost import print_llm_cost
    from trackdown.surfaces.cli.tables import print_summary

    print_summary(summary, columns)
    print_llm_cost(cost, len({row.id for row in rows}))
