"""`trackdown history`."""

from __future__ import annotations

import os
from dataclasses import asdict

import click

from trackdown.errors import UsageError
from trackdown.surfaces.cli.options import (
    at_option,
    count_option,
    exclude_option,
    format_option,
    open_all,
    print_json,
    print_notes,
)
from trackdown.surfaces.cli.progress import TerminalProgress

EXAMPLES = """\b
Examples:
  trackdown history "race condition in the cache"
  trackdown history "#4692" ~/src/flask
  trackdown history 1a2b3c4
  trackdown history --author ada --since "2 weeks ago"
  trackdown history "session cookie" --path src/sessions.py --until 2023-06
"""


@click.command(epilog=EXAMPLES)
@click.argument("arguments", nargs=-1, metavar="[QUERY] [PATH]")
@click.option(
    "--author", multiple=True, metavar="NAME", help="Only commits by a part of a name or address. Repeatable."
)
@click.option(
    "--path", multiple=True, metavar="GLOB", help="Only commits that touched files matching a pattern. Repeatable."
)
@click.option("--since", metavar="DATE", help="Only commits from this date on: 2024, 2024-03-01, 2 weeks ago.")
@click.option("--until", metavar="DATE", help="Only commits up to this date; a day, month or year counts whole.")
@count_option
@at_option
@exclude_option
@format_option
def command(
    arguments: tuple[str, ...],
    author: tuple[str, ...],
    path: tuple[str, ...],
    since: str | None,
    until: str | None,
    k: int,
    at: str | None,
    exclude: tuple[str, ...],
    style: str,
) -> None:
    """Find past commits that resemble a query, with the files they touched under their current names.

    The commits that the query refers to come first: #123, GH-123, !45 or KEY-123 in their messages, or a commit id. A
    number alone is an issue's number. The filters path: and lang: in the query select commits by the files they
    touched.

    Without a query, the latest commits. A folder that is written with a slash is a PATH, even as the only argument.
    Dates are those of the authors, in UTC.
    """
    query, place = _query_and_place(arguments)
    (repository,) = open_all([place])
    with TerminalProgress(repository.source.name) as progress:
        answer = repository.history(
            query, k, at, exclude, author=author, path=path, since=since, until=until, progress=progress
        )
    if style == "json":
        value = asdict(answer)
        print_json({name: value[name] for name in ("query", "notes", "snapshots", "partial", "commits")})
        return
    print_notes(answer.notes)
    from trackdown.surfaces.cli.render_past import print_history

    print_history(answer)


def _query_and_place(arguments: tuple[str, ...]) -> tuple[str, str]:
    """A folder alone is the place if it is written as one: `.`, `../flask` or `/src/flask`."""
    if len(arguments) > 2:
        raise UsageError("give one QUERY and one PATH: a query of several words needs quotes")
    if len(arguments) == 1 and (arguments[0] in (".", "..") or "/" in arguments[0]) and os.path.isdir(arguments[0]):
        return "", arguments[0]
    query, place = [*arguments, *("", ".")[len(arguments) :]]
    return query or " " * len(arguments), place  # an empty query is no wish for the latest commits
