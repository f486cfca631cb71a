"""`trackdown search`."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click

from trackdown.engine import search_all
from trackdown.errors import NoSuchPath, UsageError
from trackdown.surfaces.cli.answer_formats import AnswerOutput, answer_options
from trackdown.surfaces.cli.issue_text import is_address, issue_options, read_issue
from trackdown.surfaces.cli.options import open_all
from trackdown.surfaces.cli.progress import TerminalProgress
from trackdown.surfaces.cli.search_options import MakeRequest, search_options
from trackdown.surfaces.cli.suggestions import QueryCommand

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


@click.command(cls=QueryCommand, epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="QUERY [PATH]...")
@issue_options
@search_options
@answer_options
def command(
    arguments: tuple[str, ...],
    issue: str | None,
    comments: bool,
    request: MakeRequest,
    model: dict[str, Any],
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
    query, places = (arguments[0].strip(), arguments[1:]) if issue is None else (read_issue(issue), arguments)
    try:
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
        asked = output.asking_for(request(query))
        answer = search_all(repositories, asked, progress=progress)
    if fetched is not None:
        answer = fetched.noted(answer)
    elif issue is None and is_address(query):
        answer = replace(
            answer, notes=(*answer.notes, "the query is the address of an issue: --issue fetches its text")
        )
    output.print(answer, repositories, asked.at)
