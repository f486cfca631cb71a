"""`trackdown search`."""

from __future__ import annotations

import os
from dataclasses import replace

import click

from trackdown.engine import search_all
from trackdown.errors import NoSuchPath, UsageError
from trackdown.request import SearchRequest, help_of
from trackdown.surfaces.cli.answer_formats import AnswerOutput, answer_options
from trackdown.surfaces.cli.issue_text import is_address, issue_options, read_issue
from trackdown.surfaces.cli.llm_options import llm_options, llm_overrides
from trackdown.surfaces.cli.options import at_option, count_option, exclude_option, open_all
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.types import EFFORTS, LEVELS, Effort, Level

EXAMPLES = """\b
Examples:
  trackdown search "where is the session cookie signed?"
  trackdown search "TypeError in make_response" src/ --explain
  trackdown search "signed cookie path:src/web -path:tests lang:python"
  trackdown search "symbol:QuerySet.filter"
  trackdown search Flask.make_response ~/src/flask --at 2.3.0
  trackdown search --issue bug.md . --level file -k 5 --effort thorough
  trackdown search --issue 5049
  trackdown search --issue https://github.com/pallets/flask/issues/5049 ~/src/flask --comments
  trackdown search "undo the last edit" --reco --llm embedded
  gh issue view 123 | trackdown search --issue - --format json
  trackdown search "sign the cookie" --format lines | fzf
"""


@click.command(epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="QUERY [PATH]...")
@issue_options
@count_option
@click.option("--level", type=click.Choice(LEVELS), default="function", show_default=True, help=help_of("level"))
@at_option
@click.option("--effort", type=click.Choice(EFFORTS), default="balanced", show_default=True, help=help_of("effort"))
@click.option("--budget", type=float, metavar="MS", help=help_of("budget") + " Default: TRACKDOWN_BUDGET_MS, or 10000.")
@click.option("--depth", type=int, metavar="N", help=help_of("depth"))
@click.option("--rerank/--no-rerank", default=None, help=help_of("rerank"))
@click.option("--mode", metavar="MODE", help=help_of("mode") + " See `trackdown modes`.")
@click.option("--adaptive", is_flag=True, help=help_of("adaptive"))
@click.option("--graph", is_flag=True, help=help_of("graph"))
@click.option("--gar", is_flag=True, help=help_of("gar"))
@click.option("--reco", is_flag=True, help=help_of("reco"))
@llm_options
@click.option("--language", "languages", multiple=True, metavar="NAME", help=help_of("languages") + " Repeatable.")
@click.option("--folder", default="", metavar="DIR", help=help_of("folder"))
@exclude_option
@click.option("--no-tests", is_flag=True, help="Leave out test files. By default they are included, below code.")
@click.option("--explain", is_flag=True, help=help_of("explain") + " Text also shows the time of each stage.")
@answer_options
def command(
    arguments: tuple[str, ...],
    issue: str | None,
    comments: bool,
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
    folder: str,
    exclude: tuple[str, ...],
    no_tests: bool,
    explain: bool,
    output: AnswerOutput,
) -> None:
    """Find the functions, classes or files for an issue, a question or a name.

    PATH is a folder, a repository (bare ones, too) or a git URL. It defaults to the current folder. If it is a
    subfolder, only code in it is found. The first search in a repository indexes it.

    A query of one line may contain filters: path:GLOB, lang:NAME, kind:KIND, symbol:NAME, each also with a minus before
    it, and "exact phrases". Filters alone list what matches. #123, GH-123, KEY-123 or a commit id stand for the files
    that those commits changed.
    """
    if issue is None and not arguments:
        raise UsageError('give a QUERY or --issue ISSUE, e.g. trackdown search "where is the cookie signed?"')
    if comments and issue is None:
        raise UsageError("--comments needs --issue: it is about a fetched issue")
    query, places = (arguments[0], arguments[1:]) if issue is None else (read_issue(issue), arguments)
    try:
        model = llm_overrides(llm, llm_model, dry_run)
        repositories = open_all(places, **model)
    except NoSuchPath as error:
        if issue is None and not any(map(os.path.exists, places)):
            raise NoSuchPath(f"{error} (a query of several words needs quotes)") from None
        if issue is not None:
            raise NoSuchPath(f"{error} (--issue replaces QUERY)") from None
        raise
    fetched = None
    if query is None:
        from trackdown.engine import fetch_issue

        assert issue is not None
        sources = [repository.source for repository in repositories]
        fetched = fetch_issue(sources, repositories[0].store, issue, comments=comments)
        query = fetched.text
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
            folder=folder,
            exclude=exclude,
            tests=not no_tests,
            explain=explain,
        )
        answer = search_all(repositories, request, progress=progress)
    if fetched is not None:
        answer = fetched.noted(answer)
    elif issue is None and is_address(query):
        answer = replace(
            answer, notes=(*answer.notes, "the query is the address of an issue: --issue fetches its text")
        )
    output.print(answer, repositories, at)
