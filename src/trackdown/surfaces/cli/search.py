"""`trackdown search`."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict

import click

from trackdown.engine import search_all
from trackdown.errors import NoSuchPath, QueryError, UsageError
from trackdown.request import SearchRequest
from trackdown.surfaces.cli.llm_cost import print_llm_cost
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import at_option, count_option, format_option, open_all, print_json, print_notes
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.types import EFFORTS, LEVELS, Effort, Level

_LONGEST_FILE = 4 << 20

EXAMPLES = """\b
Examples:
  trackdown search "where is the session cookie signed?"
  trackdown search "TypeError in make_response" src/ --explain
  trackdown search Flask.make_response ~/src/flask --at 2.3.0
  trackdown search --issue bug.md . --level file -k 5 --effort thorough
  trackdown search "undo the last edit" --reco --llm embedded
  gh issue view 123 | trackdown search --issue - --format json
"""


@click.command(epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="QUERY [PATH]...")
@click.option("--issue", metavar="FILE", help="Take the query from a file, or from standard input with `-`.")
@count_option
@click.option("--level", type=click.Choice(LEVELS), default="function", show_default=True, help="What to rank.")
@at_option
@click.option(
    "--effort",
    type=click.Choice(EFFORTS),
    default="balanced",
    show_default=True,
    help="How much models may read: nothing, as much as --budget allows, or all that helps however long it takes.",
)
@click.option("--budget", type=float, metavar="MS", help="How long models may read, in milliseconds (by default "
              "what TRACKDOWN_BUDGET_MS says, or 300).")  # fmt: skip
@click.option("--depth", type=int, metavar="N", help="Let models read exactly the best N, however long it takes: the "
              "same answer on every machine.")  # fmt: skip
@click.option("--rerank/--no-rerank", default=None, help="Let models reorder the best results, or leave that out; "
              "by default the effort decides.")  # fmt: skip
@click.option("--mode", metavar="MODE", help="Which retrievers and stages take part: bm25, commits, hybrid+rrf, … "
              "(`trackdown modes` lists them).")  # fmt: skip
@click.option("--adaptive", is_flag=True, help="Let the query decide what each retriever weighs.")
@click.option("--graph", is_flag=True, help="Move up what hangs together with the best results in the code.")
@click.option("--gar", is_flag=True, help="Let a language model write code as an answer, and search for that, too.")
@click.option("--reco", is_flag=True, help="The same, in code together with what `trackdown rewrite` made of it.")
@llm_options
@click.option("--language", "languages", multiple=True, metavar="NAME", help="Show only files in this language, e.g. "
              "python; may be given several times.")  # fmt: skip
@click.option("--no-tests", is_flag=True, help="Leave test files out; by default they rank below code.")
@click.option("--explain", is_flag=True, help="Show every reason in full, and the time of each stage.")
@format_option
def command(
    arguments: tuple[str, ...],
    issue: str | None,
    k: int,
    level: Level,
    at: str | None,
    effort: Effort,
    budget: float | None,
    depth: int | None,
    rerank: bool | None,
    mode: str | None,
    adaptive: bool,
    graph: bool,
    gar: bool,
    reco: bool,
    llm: str | None,
    llm_model: str | None,
    dry_run: bool,
    languages: tuple[str, ...],
    no_tests: bool,
    explain: bool,
    style: str,
) -> None:
    """Find the functions, classes or files for an issue, a question or a name.

    PATH is a folder, a repository (bare ones too) or a git URL; the current folder by default. A subfolder restricts
    the answer to it. The first search in a repository indexes it.
    """
    if issue is None and not arguments:
        raise UsageError('give a QUERY or --issue FILE, e.g. trackdown search "where is the cookie signed?"')
    query, places = (arguments[0], arguments[1:]) if issue is None else (_read_issue(issue), arguments)
    try:
        model = llm_overrides(llm, llm_model, dry_run)
        repositories = open_all(places, **model)
    except NoSuchPath as error:
        if issue is None and not any(map(os.path.exists, places)):
            raise NoSuchPath(f"{error} (a query of several words needs quotes)") from None
        if issue is not None:
            raise NoSuchPath(f"{error} (with --issue there is no QUERY)") from None
        raise
    names = ", ".join(dict.fromkeys(repository.source.name for repository in repositories))
    with TerminalProgress(names) as progress:
        request = SearchRequest(
            query,
            k=k,
            level=level,
            at=at,
            effort=effort,
            budget=budget,
            depth=depth,
            rerank=rerank,
            mode=mode,
            adaptive=adaptive,
            graph=graph,
            gar=gar,
            reco=reco,
            languages=languages,
            tests=not no_tests,
        )
        answer = search_all(repositories, request, progress=progress)
    if style == "json":
        value = asdict(answer)
        shown = {name: value[name] for name in (
            "query", "level", "partial", "notes", "snapshots", "timings_ms", "results")}  # fmt: skip
        print_json(shown | ({"llm": value["llm"]} if answer.llm else {}))
        return
    print_notes(answer.notes)
    print_llm_cost(answer.llm)
    from trackdown.surfaces.cli.render import print_results

    print_results(answer, explain=explain)


def _read_issue(place: str) -> str:
    try:
        if place == "-":
            data = sys.stdin.buffer.read(_LONGEST_FILE)
        else:
            with open(place, "rb") as stream:
                data = stream.read(_LONGEST_FILE)
    except OSError as error:
        raise UsageError(f"cannot read the issue {place!r}: {error.strerror}") from None
    if b"\0" in data[:8192]:
        raise QueryError(f"the issue {place!r} is not text: it looks like a binary file")
    return data.decode("utf-8", "replace")
